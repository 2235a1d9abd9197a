import { type FileHandle, mkdir, open } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { GateError } from '../errors.ts'
import { limits } from '../limits.ts'
import { type Opened, openExactly } from './open-exactly.ts'
import { readFully } from './read-fully.ts'
import type { View } from './store.ts'
import { newWalk } from './walk-bounds.ts'
import { walkFiles } from './walk.ts'

/** The copy of a workspace for a preview. */
const copyFilesMax = 50_000
const copyEntriesMax = 500_000
const copyPartBytes = 262_144

/**
 * Copies the files of a workspace as separate regular files: later changes in the workspace do not reach the copy.
 * @param root  the workspace's folder, absolute and without symbolic links
 * @param target  an existing, empty folder that no other user can write to
 * @throws GateError `too_large` if the workspace exceeds a limit
 */
export async function copyFiles(
  root: string,
  view: View,
  target: string,
): Promise<{ files: number; bytes: number }> {
  const walk = newWalk(root, view, { entries: copyEntriesMax, folders: copyFilesMax })
  const copied = { files: 0, bytes: 0 }
  for await (const some of walkFiles(walk, '')) {
    for (const { path } of some) {
      const opened = await openExactly(`${root}/${path}`, 'file')
      if (!opened) continue
      copied.bytes += await copyFile(opened, join(target, path), limits.copyBytesMax - copied.bytes)
      if (++copied.files > copyFilesMax) throw tooLarge()
    }
  }
  if (walk.endedBefore !== null || walk.steps.left < 0 || walk.leftOut.size > 0) throw tooLarge()
  return copied
}

/** Copies an open file and closes it. @returns its size in bytes */
async function copyFile({ handle, stats }: Opened, target: string, bytesMax: number): Promise<number> {
  let copy: FileHandle | undefined
  try {
    if (stats.size > bytesMax) throw tooLarge()
    await mkdir(dirname(target), { recursive: true })
    const isExecutable = (stats.mode & 0o100n) !== 0n
    copy = await open(target, 'wx', isExecutable ? 0o755 : 0o644)
    for (let bytes = 0; ;) {
      const part = await readFully(handle, bytes, copyPartBytes)
      bytes += part.length
      if (bytes > bytesMax) throw tooLarge()
      await copy.writeFile(part)
      if (part.length < copyPartBytes) return bytes
    }
  } finally {
    await copy?.close()
    await handle.close()
  }
}

function tooLarge(): GateError {
  return new GateError(
    'too_large',
    `This workspace is too large for a preview. The limits are ${copyFilesMax} files and ${limits.copyBytesMax / 2 ** 20} MiB.`,
  )
}
