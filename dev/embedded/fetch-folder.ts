import { chmodSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { identify } from '../../src/process/system-process.ts'

const prefix = '.fetching-'

/**
 * Puts the program `temporal` into the cache directory atomically: parallel attempts each use their own folder and rename
 * the result.
 * @param fetch  puts the program below the given folder and returns its path
 * @returns the path in the cache directory
 */
export async function fetchInto(
  cacheDir: string,
  fetch: (folder: string) => Promise<string>,
): Promise<string> {
  mkdirSync(cacheDir, { recursive: true })
  sweep(cacheDir)
  const folder = mkdtempSync(join(cacheDir, `${prefix}${process.pid}-`))
  try {
    const fetched = await fetch(folder)
    chmodSync(fetched, 0o755)
    const program = join(cacheDir, 'temporal')
    renameSync(fetched, program)
    return program
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Removes folders of processes that have ended. */
function sweep(cacheDir: string): void {
  for (const name of readdirSync(cacheDir)) {
    if (name.startsWith(prefix) && !identify(Number.parseInt(name.slice(prefix.length), 10)))
      rmSync(join(cacheDir, name), { recursive: true, force: true })
  }
}

/** Reports the progress of a long step every few seconds. @returns the function that stops it */
export function reportProgress(everyMs: number, say: (seconds: number) => void): () => void {
  const begin = performance.now()
  const timer = setInterval(() => say(Math.round((performance.now() - begin) / 1000)), everyMs)
  return () => clearInterval(timer)
}
