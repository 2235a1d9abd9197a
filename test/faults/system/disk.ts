import { spawnSync } from 'node:child_process'
import { mkdirSync, rmSync, statfsSync } from 'node:fs'

/** A volume for the database alone, which can be full. */
export interface Disk {
  folder: string
  /** Leaves no room beside what is used. */
  fill(): void
  /** Gives the room back. */
  empty(): void
  unmount(): void
}

const bytes = 2 * 2 ** 30

/** @returns undefined where this user may not mount */
export function mountDisk(folder: string): Disk | undefined {
  mkdirSync(folder, { mode: 0o711 })
  if (!mount(`size=${bytes},mode=0711`, 'tmpfs', folder)) {
    rmSync(folder, { recursive: true })
    return undefined
  }
  return {
    folder,
    fill() {
      const { blocks, bfree, bsize } = statfsSync(folder)
      mount(`remount,size=${(blocks - bfree) * bsize}`, 'tmpfs', folder)
    },
    empty: () => void mount(`remount,size=${bytes}`, 'tmpfs', folder),
    unmount() {
      spawnSync('umount', ['-l', folder])
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

const mount = (options: string, device: string, folder: string) =>
  spawnSync('mount', ['-t', 'tmpfs', '-o', options, device, folder]).status === 0
