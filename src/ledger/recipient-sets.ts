import type { Db } from '../db/connect.ts'
import { keepRecipients, readRoster } from '../db/queries/members/roster.ts'
import { type BlastRadius, type Channel, type ChannelChoice, reach } from '../gate/reach.ts'
import { limits } from '../limits.ts'
import { recipientsHash } from './digest.ts'

export interface FrozenReach {
  sha256: Buffer
  blastRadius: BlastRadius
}

export interface RecipientSets {
  /** Stores the current recipients of a broadcast. Cached by roster version: an unchanged roster is stored once an hour. */
  freeze(
    account: string,
    rosterVersion: number,
    choice: ChannelChoice,
    available: readonly Channel[],
  ): Promise<FrozenReach>
}

export function recipientSets(db: Db, now: () => number = Date.now): RecipientSets {
  const kept = new Map<string, { made: Promise<FrozenReach>; at: number }>()
  return {
    freeze(account, rosterVersion, choice, available) {
      const name = [account, rosterVersion, choice, available.join('+')].join(' ')
      const known = kept.get(name)
      if (known && now() - known.at < limits.recipientSetKeptMs) return known.made
      const made = freezeNow(db, account, choice, available)
      kept.set(name, { made, at: now() })
      made.catch(() => kept.delete(name))
      if (kept.size > limits.recipientSetsCachedMax) kept.delete(kept.keys().next().value!)
      return made
    },
  }
}

async function freezeNow(
  db: Db,
  account: string,
  choice: ChannelChoice,
  available: readonly Channel[],
): Promise<FrozenReach> {
  const { members } = await readRoster(db, account)
  const { recipients, blastRadius } = reach(members, choice, available)
  const sha256 = recipientsHash(recipients)
  await keepRecipients(db, account, sha256, recipients)
  return { sha256, blastRadius }
}
