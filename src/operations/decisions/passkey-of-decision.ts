import type { PasskeyProblem, SignedByPasskey } from '../../db/queries/actions/decide.ts'
import type { MemberFacts, PasskeyFacts } from '../../db/queries/members/facts.ts'
import type { Deps } from '../../deps.ts'
import { assertionProblem, consentChallenge, originOf } from '../../ledger/consents/evidence.ts'
import { relyingParty } from '../../network/relying-party.ts'
import type { OpenProposal } from '../clearance/claim-confirm.ts'
import { type Refused, refused } from '../clearance/refusal.ts'
import type { MemberDecision } from './decide-as-member.ts'

/** A decision of a member, as far as their passkey signs it. */
type Signing = Pick<MemberDecision, 'passkey' | 'does' | 'shown'>

/** The passkey of a decision, if the member has it. Pure. */
export const passkeyUsed = (
  { passkeys }: Pick<MemberFacts, 'passkeys'>,
  { passkey }: Pick<MemberDecision, 'passkey'>,
): PasskeyFacts | undefined =>
  passkey && passkeys.find(({ credential }) => credential === passkey.credential.toString('hex'))

/**
 * Why the passkey of a decision does not prove it: not the member's, or its signature is for something else; undefined where it does,
 * or there is none. The claim checks again that the member has it. Pure.
 */
export function passkeyProblem(
  deps: Pick<Deps, 'publicUrl'>,
  { row, member }: OpenProposal,
  decision: Signing,
): Refused | undefined {
  const { passkey: signed } = decision
  if (!signed) return undefined
  const known = passkeyUsed(member, decision)
  if (!known) return refused('passkey_unknown')
  return isSignedHere(deps, signed, known, {
    digest: row.digest!,
    decision: decision.does,
    card: decision.shown.toString('hex'),
    nonce: signed.nonce.toString('hex'),
  })
    ? undefined
    : refused('passkey_invalid')
}

function isSignedHere(
  deps: Pick<Deps, 'publicUrl'>,
  { clientData, authenticatorData, signature }: SignedByPasskey,
  { publicKey }: PasskeyFacts,
  decision: Parameters<typeof consentChallenge>[0],
): boolean {
  const site = relyingParty(deps.publicUrl())
  if (site === undefined || originOf(clientData) !== site.origin) return false
  const assertion = { publicKey: Buffer.from(publicKey, 'hex'), clientData, authenticatorData, signature }
  return assertionProblem(assertion, consentChallenge(decision)) === null
}

export const isPasskeyProblem = (outcome: string): outcome is PasskeyProblem =>
  outcome === 'passkey_unknown' || outcome === 'passkey_used' || outcome === 'passkey_counter'
