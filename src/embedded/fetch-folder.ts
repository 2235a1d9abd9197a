import { chmodSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { identify } from '../system-process.ts'

const prefix = '.fetching-'

/**
 * Brings the program `temporal` into the cache directory, whole or not at all, however many try at once: each works
 * in a folder of its own and renames the result into its place.
 * @param fetch  puts the program somewhere below the folder it is given, and returns its path
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

/** Removes what was left by processes that are no more. */
function sweep(cacheDir: string): void {
  for (const name of readdirSync(cacheDir)) {
    if (name.startsWith(prefix) && !identify(Number.parseInt(name.slice(prefix.length), 10)))
      rmSync(join(cacheDir, name), { recursive: true, force: true })
  }
}

/** Says every few seconds that a long step goes on. @returns the function that ends it */
export function sayItGoesOn(everyMs: number, say: (seconds: number) => void): () => void {
  const begin = performance.now()
  const timer = setInterval(() => say(Math.round((performance.now() - begin) / 1000)), everyMs)
  return () => clearInterval(timer)
}
