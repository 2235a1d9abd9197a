import { createReadStream } from 'node:fs'
import { limits } from '../../src/limits.ts'

/**
 * The first SQLite driver that Temporal itself changed to because statements stayed interrupted. With an older one, a
 * statement that is cancelled on a busy machine can leave every later one failing with `interrupted (9)`.
 * @source https://github.com/temporalio/temporal/pull/9198
 */
const lowestGood = [1, 44, 3] as const

/** The first Temporal CLI that is known to have a good driver: 1.51.0. */
export const lowestGoodCli = '1.9.1'

/**
 * Finds the version of the SQLite driver that a Temporal program was built with. Its own version does not tell: a program that
 * Go built calls itself `0.0.0-DEV`. Go writes the versions of all modules into each program as text.
 * @returns the version if its driver can get stuck; undefined if it cannot, or if the file is no program of Go, as a script is
 */
export async function stuckDriverOf(program: string): Promise<string | undefined> {
  const version = await driverVersion(program)
  return version && isBelow(version.split('.').map(Number), lowestGood) ? version : undefined
}

async function driverVersion(program: string): Promise<string | undefined> {
  let before = ''
  for await (const chunk of createReadStream(program, { highWaterMark: limits.programChunkBytes })) {
    const text = before + (chunk as Buffer).toString('latin1')
    const found = /dep\tmodernc\.org\/sqlite\tv(\d+\.\d+\.\d+)\D/.exec(text)
    if (found) return found[1]
    before = text.slice(-moduleLineCharsMax)
  }
  return undefined
}

/** Longer than what is searched for, which may be in two chunks. */
const moduleLineCharsMax = 64

function isBelow(version: readonly number[], bound: readonly number[]): boolean {
  const place = bound.findIndex((part, n) => version[n] !== part)
  return place !== -1 && version[place]! < bound[place]!
}
