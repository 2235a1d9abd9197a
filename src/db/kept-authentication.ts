import type { Signer } from '../keys/hook-signature.ts'
import { kept } from '../waiting/kept.ts'
import type { KeyHolder } from './queries/accounts/authenticate.ts'
import type { Facts, Identity } from './queries/members/facts.ts'

const keptMs = 60_000
const keptMax = 1_000
const signersKeptMs = 3_600_000

/**
 * What a process keeps of authentications, each for a minute. Nothing kept decides by itself: what rests on it is recorded
 * by a statement that checks key, member and policy again, or follows a read of the key (`requireKeyNow`).
 */
export interface KeptAuthentication {
  /** Keys, by hash. */
  keys: KeptBy<[hash: Buffer], KeyHolder>
  /** Keys of agent runners with the facts of their member, by hash. */
  runners: KeptBy<[hash: Buffer], { holder: KeyHolder; facts: Facts }>
  /** Facts of whom a capability check names, without the policy, which may be long and does not judge a check. */
  checked: KeptBy<[account: string, identity: Identity], Facts>
  /** Facts of whom a tool call names, with the policy. */
  calling: KeptBy<[account: string, identity: Identity], Facts>
  /** What runner keys sign with, by the name that requests give them. Whether the key is valid is read apart. */
  signers: KeptBy<[name: Buffer], Signer>
  /** Forgets a key that is no longer valid. */
  dropKey(hash: Buffer): void
}

interface KeptBy<Name extends unknown[], T> {
  /** The clock of facts has gone on since they were kept: what expires is judged by it. */
  get(...name: Name): T | undefined
  keep(value: T, ...name: Name): void
  drop(...name: Name): void
}

export function keptAuthentication(): KeptAuthentication {
  const keys = keptBy<[Buffer], KeyHolder>(ofHash, asKept)
  const runners = keptBy<[Buffer], { holder: KeyHolder; facts: Facts }>(
    ofHash,
    ({ holder, facts }, ageMs) => ({
      holder,
      facts: aged(facts, ageMs),
    }),
  )
  return {
    keys,
    runners,
    checked: keptBy(ofMember, aged),
    calling: keptBy(ofMember, aged),
    signers: keptBy(ofHash, asKept, signersKeptMs),
    dropKey(hash) {
      keys.drop(hash)
      runners.drop(hash)
    },
  }
}

const asKept = <T>(value: T): T => value

const ofHash = (hash: Buffer): string => hash.toString('hex')
const ofMember = (account: string, identity: Identity): string => JSON.stringify([account, identity])

const aged = (facts: Facts, ageMs: number): Facts => ({
  ...facts,
  now: new Date(facts.now.getTime() + ageMs),
})

function keptBy<Name extends unknown[], T>(
  nameOf: (...name: Name) => string,
  atAge: (value: T, ageMs: number) => T,
  ms = keptMs,
): KeptBy<Name, T> {
  const values = kept<T>({ ms, max: keptMax })
  return {
    get(...name) {
      const found = values.get(nameOf(...name))
      return found && atAge(found.value, found.ageMs)
    },
    keep: (value, ...name) => values.keep(nameOf(...name), value),
    drop: (...name) => values.drop(nameOf(...name)),
  }
}
