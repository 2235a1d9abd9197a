import type { Db } from '../../connect.ts'
import { jsonArgument } from '../../json-argument.ts'
import { type ActionRow, type DenialNeeds, type Outcome, outcomeOf } from './actions.ts'
import type { Counted } from './velocity.ts'

/** Versions of the facts that a decision is based on. */
export interface FactVersions {
  member: number | null
  curricula: number | null
  policy: number | null
}

export interface Claim {
  account: string
  id: number
  /** The UUID of the action that is meant, where the caller has not read its row: another one is `missing`. */
  uuid?: string
  decision: 'confirm' | 'cancel' | 'expire' | 'admin_cancel'
  /** The same on every repeat of a request. */
  commandId: string
  eventId: string
  expireEventId: string
  dueMs: number
  versions: FactVersions | null
  /** The counts of confirmed actions that the decision is based on. */
  counted?: Counted[] | null
  /** The member's tier at the decision. */
  tier?: string | undefined
  /** The consent and its strength. The credential limits the strength. */
  consent: { strength: string; channel: string } | null
  /** The digest of the row as it was read, of a confirm: an approver may have changed it since. */
  digest?: string | null | undefined
  /** The reason of an administrator's cancel. */
  reason?: string | undefined
  /** The credential of the decision; null for an expiry and for the command line. */
  credential: Credential | null
  idempotency: { key: string; request: Buffer } | null
  /** Hash of the card that was shown to the person. */
  card?: Buffer | undefined
  /** The mandate that consents, where nobody decides about this action by itself. */
  mandate?: MandateUse | undefined
  /** What a passkey signed, if one did. It limits the strength, too. */
  passkey?: SignedByPasskey | undefined
  /** The member who approves what another one proposed; absent: the member who acts. */
  voter?: string | undefined
  /** Everybody whose approval was seen, and the voter, as they were judged. */
  voters?: JudgedVoter[] | undefined
  /** The voter executes it in place of those who must approve it; who is told of that. */
  glass?: { tell: string[] } | undefined
  /** What a member made of the proposal, of a confirm that consents to that. */
  edit?: Edit | undefined
}

/** A member who approved or approves, and whether that counts now. */
export interface JudgedVoter {
  member: string
  version: number
  counts: boolean
  /** Whose deputy they are; absent: nobody's. */
  for?: string | undefined
}

/** Version 2 of a proposal. */
export interface Edit {
  /** The id of its ledger entry. */
  eventId: string
  /** Canonical JSON text. */
  payload: string
  /** Canonical JSON text of labels and values. */
  facts: string | null
  /** The only channel by which recipients are still reached; null: they stay. */
  channel: string | null
  digest: string
  duplicateOf: number | null
}

/** One use of a bounded mandate, as it was judged. Its limits are checked again with those of the policy, which come with it. */
export interface MandateUse {
  id: number
  epoch: number
  strength: string
  amount: { cents: number; currency: string } | null
  /** The policy's; null: none for the currency. */
  caps: { uses: number; uses_per_day: number; cents: number | null; cents_per_day: number | null }
}

/** The argument of `gate_private.draw_mandate`. */
export const mandateArgument = ({ id, epoch, strength, amount, caps }: MandateUse) => ({
  id,
  epoch,
  strength,
  cents: amount?.cents ?? null,
  currency: amount?.currency ?? null,
  uses: caps.uses,
  uses_per_day: caps.uses_per_day,
  cents_max: caps.cents,
  cents_per_day: caps.cents_per_day,
})
/** A signature of a passkey over a decision. Its text and the hash of its data were checked. */
export interface SignedByPasskey {
  credential: Buffer
  clientData: string
  authenticatorData: Buffer
  signature: Buffer
  nonce: Buffer
}

/** Why a passkey does not decide: it is not the member's, its number was used or has expired, or its counter went back. */
export type PasskeyProblem = 'passkey_unknown' | 'passkey_used' | 'passkey_counter'

/** The hash of an API key, of a session token, or of a consent request's token, which can be used once. */
export type Credential = { apiKey: Buffer } | { session: Buffer } | { token: Buffer }

export type ClaimOutcome =
  | 'claimed'
  /** It counts, and others must still approve. */
  | 'approved'
  | 'replayed'
  | 'reused'
  | 'missing'
  | 'lost'
  | 'expired'
  | 'early'
  | 'suspended'
  | 'stale'
  /** A count that the decision is based on has changed, or what version 2 repeats, or the mandate no longer covers the action. */
  | 'moved'
  | PasskeyProblem

/** Claims the decision of a proposal: of several concurrent decisions, exactly one gets `claimed`. */
export async function claimDecision(db: Db, c: Claim): Promise<Outcome<ClaimOutcome>> {
  const credential: { apiKey?: Buffer; session?: Buffer; token?: Buffer } = c.credential ?? {}
  const claim = jsonArgument({
    command: c.commandId,
    event: c.eventId,
    expire_event: c.expireEventId,
    due_ms: c.dueMs,
    member_version: c.versions?.member ?? null,
    curricula_version: c.versions?.curricula ?? null,
    policy_version: c.versions?.policy ?? null,
    counted: c.counted ?? null,
    tier: c.tier ?? null,
    strength: c.consent?.strength ?? null,
    channel: c.consent?.channel ?? null,
    card: c.card ?? null,
    reason: c.reason ?? null,
    api_key: credential.apiKey ?? null,
    session: credential.session ?? null,
    token: credential.token ?? null,
    key: c.idempotency?.key ?? null,
    request: c.idempotency?.request ?? null,
    digest: c.digest ?? null,
    voter: c.voter ?? null,
    voters: c.voters ?? null,
    glass: c.glass ?? null,
  })
  const edit = c.edit
    ? jsonArgument({
        event: c.edit.eventId,
        payload: c.edit.payload,
        facts: c.edit.facts,
        channel: c.edit.channel,
        digest: c.edit.digest,
        duplicate_of: c.edit.duplicateOf,
      })
    : null
  const passkey = c.passkey
    ? jsonArgument({
        credential: c.passkey.credential,
        client_data: c.passkey.clientData,
        authenticator_data: c.passkey.authenticatorData,
        signature: c.passkey.signature,
        nonce: c.passkey.nonce,
      })
    : null
  const rows = await db.run<ActionRow & { outcome: string }>(
    (sql) => sql`
      select r.outcome, (r.action).*
      from gate.claim_decision(
        p_account => ${c.account}, p_id => ${c.id}, p_decision => ${c.decision}, p_claim => ${claim}::text::jsonb,
        p_uuid => ${c.uuid ?? null}, p_edit => ${edit}::text::jsonb, p_passkey => ${passkey}::text::jsonb,
        p_mandate => ${c.mandate ? jsonArgument(mandateArgument(c.mandate)) : null}::text::jsonb) r`,
  )
  return outcomeOf(rows)
}

/** What is read for version 2 of a proposal: its recipients, and the action that it would repeat. */
export async function lookAtEdit(
  db: Db,
  { account, id, payload, channel }: { account: string; id: number; payload: string; channel: string | null },
): Promise<Pick<ActionRow, 'recipients' | 'duplicate_of'>> {
  const rows = await db.read<Pick<ActionRow, 'recipients' | 'duplicate_of'>>(
    (sql) => sql`
      select e.recipients, e.duplicate_of from gate.look_at_edit(
        p_account => ${account}, p_id => ${id}, p_payload => ${payload}, p_channel => ${channel}) e`,
  )
  return rows[0]!
}

export interface Denial {
  account: string
  id: number
  /** True if the confirm was already claimed, but its execution comes too late. */
  isClaimed: boolean
  reason: string
  code: string | null
  needs: DenialNeeds | null
  eventId: string
  dueMs: number
  versions: FactVersions
  /** Hash of the API key whose confirm is denied, if any. */
  apiKey: Buffer | null
  idempotency: { key: string; request: Buffer } | null
}

export type DenyOutcome = 'denied' | 'replayed' | 'reused' | 'lost' | 'stale'

/** Denies a proposal whose member no longer qualifies, if the facts have not changed. */
export async function denyAction(db: Db, d: Denial): Promise<Outcome<DenyOutcome>> {
  const rows = await db.run<ActionRow & { outcome: string }>(
    (sql) => sql`
      select r.outcome, (r.action).* from gate.deny_action(
        p_account => ${d.account}, p_id => ${d.id}, p_claimed => ${d.isClaimed}, p_reason => ${d.reason},
        p_code => ${d.code}, p_needs => ${d.needs && JSON.stringify(d.needs)},
        p_event => ${d.eventId}, p_due_ms => ${d.dueMs}, p_api_key => ${d.apiKey},
        p_member_version => ${d.versions.member}, p_curricula_version => ${d.versions.curricula},
        p_policy_version => ${d.versions.policy},
        p_key => ${d.idempotency?.key ?? null}, p_request => ${d.idempotency?.request ?? null}
      ) r`,
  )
  return outcomeOf(rows)
}

/** A refused confirm, cancel or connection. `actor`: an id, or `unknown`. */
export interface RefusalNote {
  account: string
  id: number
  eventId: string
  decision: string
  reason: string
  source: string
  actor: string
  apiKey: Buffer | null
}

/** Records a refused decision in the ledger. */
export async function noteRefusal(db: Db, r: RefusalNote): Promise<void> {
  await db.run(
    (sql) => sql`
      select gate.note_refusal(
        p_account => ${r.account}, p_id => ${r.id}, p_event => ${r.eventId}, p_decision => ${r.decision},
        p_reason => ${r.reason}, p_source => ${r.source}, p_actor => ${r.actor}, p_api_key => ${r.apiKey})`,
  )
}
