import type { AuthorityFacts } from '../../db/queries/ledger/authority.ts'
import type { Handler } from '../authority.ts'
import { erased, sha256 } from '../digest.ts'
import type { RecordedDelegation, RecordedPasskey } from '../recorded-authority.ts'
import { isSame } from '../upstream-authority.ts'

/** What the entries about passkeys change. */
export const passkeyHandlers: Record<'passkey_added' | 'passkey_removed', Handler> = {
  passkey_added({ passkeys }, { passkey, ...facts }, link) {
    passkeys.set(String(passkey), {
      seq: link.seq,
      isSeen: false,
      at: Date.parse(link.at),
      facts,
      removedBy: null,
    })
  },

  passkey_removed({ passkeys }, data, _link, actor) {
    const known = passkeys.get(String(data['passkey']))
    if (known) known.removedBy = actor
  },
}

/** The passkeys of an erased member are called `erased`. */
export function nameErased(passkeys: Map<string, RecordedPasskey>, member: string): void {
  for (const [id, { facts }] of passkeys)
    if (facts['member'] === member) facts['name_digest'] = sha256(`${id} ${erased}`).toString('hex')
}

/** Where a passkey differs from its entries; null if it matches. Pure. */
export function passkeyMismatch(facts: AuthorityFacts['passkey'], told: RecordedPasskey): string | null {
  const wrong = compared.find((name) => facts[name] !== (told.facts[name] ?? null))
  if (wrong) return `its ${wrong.replaceAll('_', ' ')} does not match the ledger`
  if (Math.abs(Date.parse(facts.created_at) - told.at) > soonMs)
    return 'when it was added does not match the ledger'
  return facts.removed === (told.removedBy !== null) && facts.removed_by === told.removedBy
    ? null
    : 'its removal does not match the ledger'
}

/** What the entries about delegations change. */
export const delegationHandlers: Record<'delegation_started' | 'delegation_ended', Handler> = {
  delegation_started({ delegations }, { delegation, ...facts }, link) {
    delegations.set(String(delegation), {
      seq: link.seq,
      isSeen: false,
      at: Date.parse(link.at),
      facts,
      endedBy: null,
    })
  },

  delegation_ended({ delegations }, data, _link, actor) {
    const known = delegations.get(String(data['delegation']))
    if (known) known.endedBy = actor
  },
}

/** The reason is what an erased member wrote. */
export function reasonErased(delegations: Map<string, RecordedDelegation>, member: string): void {
  for (const { facts } of delegations.values()) if (facts['from'] === member) facts['reason_digest'] = null
}

/** Where a delegation differs from its entries; null if it matches. Pure. */
export function delegationMismatch(
  { ended_by: endedBy, created_at: at, ...facts }: AuthorityFacts['delegation'],
  told: RecordedDelegation,
): string | null {
  if (!isSame(facts, told.facts)) return 'whom it is from and to, until when or why does not match the ledger'
  if (Math.abs(Date.parse(at) - told.at) > soonMs) return 'when it started does not match the ledger'
  return endedBy === told.endedBy ? null : 'its end does not match the ledger'
}

const compared = ['member', 'admin', 'device_bound', 'credential', 'public_key', 'name_digest'] as const

/** A row is written in the statement before its entry. */
const soonMs = 10_000
