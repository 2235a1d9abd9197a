import type { Db } from '../db/connect.ts'
import { keepRecipients, readRoster } from '../db/queries/members/roster.ts'
import { type BlastRadius, type Channel, type ChannelChoice, reach } from '../gate/reach.ts'
import { limits } from '../limits.ts'
import { recipientsHash } from './digest.ts'

/** By account and roster version. */
const recipientSetsCachedMax = 200

export interface FrozenReach {
  sha256: Buffer
  blastRadius: BlastRadius
}

/** What decides who is reached. */
type SetOf = readonly [
  account: string,
  rosterVersion: number,
  choice: ChannelChoice,
  available: readonly Channel[],
  room?: string | undefined,
]

export interface RecipientSets {
  /** Stores the current recipients of a broadcast. Cached by roster version: an unchanged roster is stored once an hour. */
  freeze(...of: SetOf): Promise<FrozenReach>
  /** Whether `freeze` would store nothing now. */
  isKept(...of: SetOf): boolean
}

export function recipientSets(db: Db, now: () => number = Date.now): RecipientSets {
  const kept = new Map<string, { made: Promise<FrozenReach>; at: number }>()
  const nameOf = ([account, rosterVersion, choice, available, room = '']: SetOf): string =>
    [account, rosterVersion, choice, available.join('+'), room].join(' ')
  const knownOf = (name: string): Promise<FrozenReach> | undefined => {
    const known = kept.get(name)
    return known && now() - known.at < limits.recipientSetKeptMs ? known.made : undefined
  }
  return {
    isKept: (...of) => knownOf(nameOf(of)) !== undefined,
    freeze(...of) {
      const [account, , choice, available, room] = of
      const name = nameOf(of)
      const known = knownOf(name)
      if (known) return known
      const made = freezeNow(db, account, [choice, available, room])
      kept.set(name, { made, at: now() })
      made.catch(() => kept.delete(name))
      if (kept.size > recipientSetsCachedMax) kept.delete(kept.keys().next().value!)
      return made
    },
  }
}

async function freezeNow(
  db: Db,
  account: string,
  of: [ChannelChoice, readonly Channel[], string | undefined],
): Promise<FrozenReach> {
  const { members } = await readRoster(db, account)
  const { recipients, blastRadius } = reach(members, ...of)
  const sha256 = recipientsHash(recipients)
  await keepRecipients(db, account, sha256, recipients)
  return { sha256, blastRadius }
}
