import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from '@jest/globals'
import { projectRoot } from '../../src/process/root.ts'

/** Compares a text with a file, by default of test/snapshots, which is reviewed as the interface. `npm run test:snapshots` writes it again. */
export function expectReviewed(file: string, text: string, folder = 'test/snapshots'): void {
  const path = join(projectRoot, folder, file)
  // As jest's own snapshots: `-u` writes them.
  const { snapshotState } = expect.getState() as unknown as { snapshotState?: { _updateSnapshot?: string } }
  if (snapshotState?._updateSnapshot === 'all') writeFileSync(path, text)
  const reviewed = readFileSync(path, 'utf8')
  if (reviewed !== text) {
    process.stderr.write(`${folder}/${file} differs. If that is meant, run: npm run test:snapshots\n`)
  }
  expect(text.split('\n')).toEqual(reviewed.split('\n'))
}
