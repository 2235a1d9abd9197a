import type { Link } from '../chain.ts'
import type { ParsedEntry } from '../checker.ts'
import { endsIn } from './member-ends.ts'
import { type PasskeyEvidence, counterOf, evidenceIn, evidenceProblem } from './evidence.ts'

/** Checks the consents by passkey in a ledger: what was signed, and with a passkey that the member had then. */
export interface PasskeyEntries {
  /** What is wrong with the next entry; null if nothing is. */
  problemOf(link: Pick<Link, 'kind' | 'action_id'>, entry: ParsedEntry): string | null
}

interface KnownPasskey {
  member: unknown
  credential: unknown
  publicKey: unknown
  isRemoved: boolean
  counter: number
}

/** Keeps the digests of open actions, and the passkeys of members. */
export function passkeyEntries(): PasskeyEntries {
  const digests = new Map<number, string>()
  const passkeys = new Map<string, KnownPasskey>()

  function consentProblem(id: number, entry: ParsedEntry): string | null {
    const { data = {}, actor, kind } = entry
    const evidence = evidenceIn(data['passkey'])
    if (!evidence)
      return data['passkey'] !== undefined || data['strength'] === 'passkey'
        ? 'its strength is passkey, but it has no evidence of one'
        : null
    const signed = {
      digest: digests.get(id) ?? '',
      decision: kind !== 'cancelled' ? ('confirm' as const) : ('decline' as const),
      card: String(data['card']),
    }
    const problem = evidenceProblem(evidence, signed) ?? holderProblem(evidence, actor)
    return problem === null ? null : `its passkey does not prove it: ${problem}`
  }

  function holderProblem(evidence: PasskeyEvidence, actor: unknown): string | null {
    const known = passkeys.get(evidence.passkey)
    if (known?.credential !== evidence.credential || known.publicKey !== evidence.public_key)
      return 'no entry before it adds this passkey'
    if (known.member !== actor) return 'the passkey is of another member'
    if (known.isRemoved) return 'the passkey was removed before'
    const counter = counterOf(Buffer.from(evidence.authenticator_data, 'hex'))
    if (counter <= known.counter && (counter !== 0 || known.counter !== 0)) return 'its counter went back'
    known.counter = counter
    return null
  }

  return {
    problemOf({ kind, action_id: id }, entry) {
      const { data = {} } = entry
      if (kind === 'passkey_added')
        passkeys.set(String(data['passkey']), {
          member: data['member'],
          credential: data['credential'],
          publicKey: data['public_key'],
          isRemoved: false,
          counter: 0,
        })
      const gone = kind === 'passkey_removed' ? [String(data['passkey'])] : endsIn(data).passkeys
      for (const one of gone) {
        const removed = passkeys.get(one)
        if (removed) removed.isRemoved = true
      }
      if (id === null) return null
      if (typeof data['digest'] === 'string' && data['digest'] !== '' && setsDigest.includes(kind))
        digests.set(id, data['digest'])
      // What others had to approve has its evidence in the approvals, and what a mandate consents to in that of the mandate.
      const isElsewhere = data['approvals'] !== undefined || data['mandate'] !== undefined
      const isEvident =
        kind === 'approved' ||
        kind === 'glass_broken' ||
        kind === 'cancelled' ||
        (kind === 'confirmed' && !isElsewhere)
      const problem = isEvident ? consentProblem(id, entry) : null
      if (ends.includes(kind)) digests.delete(id)
      return problem
    },
  }
}

const setsDigest = ['proposed', 'edited']
const ends = ['confirmed', 'cancelled', 'expired', 'denied']
