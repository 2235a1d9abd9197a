import { spawnSync } from 'node:child_process'
import { mkdirSync, rmSync, statfsSync } from 'node:fs'
import { join } from 'node:path'

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

/** The folder that is the disk of a run. */
export const diskOf = (folder: string): string => join(folder, 'disk')

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
    unmount: () => unmountDisk(folder),
  }
}

/** Unmounts the disk. Does nothing where none is mounted. */
export function unmountDisk(folder: string): void {
  spawnSync('umount', ['-l', folder])
  rmSync(folder, { recursive: true, force: true })
}

const mount = (options: string, device: string, folder: string) =>
  spawnSync('mount', ['-t', 'tmpfs', '-o', options, device, folder]).status === 0
