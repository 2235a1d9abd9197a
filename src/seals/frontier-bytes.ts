import type { Frontier } from './merkle.ts'
import { rootOf } from './merkle.ts'
import { splitHashes } from './tiled-tree.ts'

export const frontierText = ({ hashes }: Frontier): string => Buffer.concat(hashes).toString('hex')

/** A frontier as it was stored; undefined if it is none, or does not lead to the root that was stored with it. */
export function storedFrontier(stored: {
  size: number
  frontier: string
  root: string
}): Frontier | undefined {
  const bytes = Buffer.from(stored.frontier, 'hex')
  const frontier = { size: stored.size, hashes: splitHashes(bytes) }
  const isWhole = bytes.length % 32 === 0 && frontier.hashes.length === onesIn(stored.size)
  return isWhole && rootOf(frontier).toString('hex') === stored.root ? frontier : undefined
}

const onesIn = (size: number): number => size.toString(2).replaceAll('0', '').length
