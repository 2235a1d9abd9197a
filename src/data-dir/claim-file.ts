import { linkSync, renameSync, rmSync } from 'node:fs'
import { limits } from '../limits.ts'
import { identify, isRunning, type ProcessIdentity } from '../process/system-process.ts'
import { readPrivateJson, writePrivateJson } from './private-file.ts'

/**
 * Creates the file by which one process claims a folder. Linking fails if a file exists, so only one of several parallel starts
 * succeeds. The file of a dead process is moved away first, and moved back if another start was faster.
 * @param refusal  what to say to the person who starts, where the process in the file still runs
 * @returns the file of a killed process, if there was one
 * @throws Error with that refusal
 */
export function claimFile<Claim extends { owner: ProcessIdentity }>(
  file: string,
  claim: Claim,
  refusal: (other: Claim) => string,
): Claim | undefined {
  const [draft, aside] = [`${file}.${process.pid}`, `${file}.old-${process.pid}`]
  const refuseIfRunning = (path: string) => {
    const other = readPrivateJson(path) as Claim | undefined
    if (other && isRunning(other.owner)) throw new Error(refusal(other))
  }
  writePrivateJson(draft, claim)
  let leftOver: Claim | undefined
  try {
    for (let attempt = 1; attempt <= limits.runFileAttemptsMax; attempt++) {
      if (link(draft, file)) return leftOver
      refuseIfRunning(file)
      if (!moveAway(file, aside)) continue
      leftOver = readPrivateJson(aside) as Claim
      if (isRunning(leftOver.owner)) link(aside, file)
      refuseIfRunning(aside)
    }
    throw new Error(
      `${file} could not be claimed, because several processes are starting at once. Start again.`,
    )
  } finally {
    for (const path of [draft, aside]) rmSync(path, { force: true })
  }
}

/** @returns false if another process moved it first */
function moveAway(from: string, to: string): boolean {
  try {
    renameSync(from, to)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false
    throw error
  }
}

function link(from: string, to: string): boolean {
  try {
    linkSync(from, to)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}

/** @throws Error where this process cannot say who it is */
export function ownIdentity(): ProcessIdentity {
  const own = identify(process.pid)
  if (own) return own
  throw new Error(
    'This process cannot read the process table. Check that /proc is mounted, or that `ps` is installed.',
  )
}
