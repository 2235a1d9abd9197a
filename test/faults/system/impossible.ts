import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { StepName } from '../schedule/steps.ts'
import { mountDisk } from './disk.ts'

/** The steps that this machine cannot do, and why. */
export function impossibleHere(): { step: StepName; why: string }[] {
  const folder = mkdtempSync(join(tmpdir(), 'gate-faults-try-'))
  const disk = mountDisk(join(folder, 'disk'))
  disk?.unmount()
  rmSync(folder, { recursive: true, force: true })
  return disk ? [] : [{ step: 'fill_disk', why: 'this user may not mount a volume' }]
}
