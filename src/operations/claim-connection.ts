import { randomUUID } from 'node:crypto'
import { type ActionRow } from '../db/queries/actions.ts'
import { claimConnection } from '../db/queries/connect-links.ts'
import { type FactVersions, denyAction } from '../db/queries/decide.ts'
import { readFacts } from '../db/queries/facts.ts'
import { type Deps } from '../deps.ts'
import { GateError } from '../errors.ts'
import { meetsFloor } from '../gate/consent.ts'
import { type Tier } from '../gate/tier.ts'
import { type Credential } from '../integrations/provider.ts'
import { randomBase62 } from '../keys/api-key.ts'
import { eventId } from '../ledger/digest.ts'
import { entryTail } from '../ledger/entry.ts'
import { limits } from '../limits.ts'
import { fingerprintOf } from '../providers/fingerprint.ts'
import { seal } from '../secrets/seal.ts'
import { clearanceNow } from './clearance-now.ts'
import { wakeAndWait, workflowOf } from './await-end.ts'
import { type OpenLink, requireOpen } from './connect-link.ts'
import { expiryEvent } from './expiry.ts'
import { kindOf } from './kind-of.ts'

// What the link was given for: the agent said that the member asked, and the member came.
const strength = 'agent_attested'
const channel = 'console'

/**
 * Stores a checked credential and claims the confirm of its connection, in one statement; then waits a little until it is
 * in use. Of any number that race with one link, one wins; an expired or cancelled one stores nothing.
 * @returns the row: executed, or still being executed
 * @throws GateError `forbidden` where the member no longer qualifies (the row is then denied), `gone` where the link was
 * lost meanwhile, `conflict` where the account is suspended
 */
export async function claimWithCredential(
  deps: Deps,
  link: OpenLink,
  credential: Credential,
): Promise<ActionRow> {
  const integrationId = `int_${randomBase62(16)}`
  const place = { account: link.account_id, integration: integrationId, field: credential.field }
  const sealed = await seal(deps.secretsKeys!, place, credential.secret)
  const commandId = randomUUID()
  for (let tries = 0; tries < limits.staleTriesMax; tries++) {
    const { versions, tier } = await requireQualified(deps, link)
    const { outcome, action } = await claimConnection(deps.db, {
      token: link.token,
      account: link.account_id,
      id: link.action_id,
      commandId,
      eventId: eventId(link.uuid, 'confirmed'),
      entryTail: entryTail({
        kind: 'confirmed',
        actor: link.member_id,
        data: { strength, channel, tier, policy_version: versions.policy },
      }),
      ...expiryEvent(link.uuid),
      dueMs: limits.outboxDueMs,
      versions,
      consent: { strength, by: link.member, channel },
      integrationId,
      settings: JSON.stringify(credential.settings),
      fingerprint: fingerprintOf(credential.identity),
      secrets: [{ field: credential.field, ...sealed }],
    })
    if (outcome === 'claimed') {
      const waitMs = Math.min(limits.connectWaitMs, deps.config.CONFIRM_WAIT_MS)
      return wakeAndWait({ deps }, action, waitMs)
    }
    if (outcome === 'stale') continue
    // Whoever was quicker has left the row in a state that says what to do.
    await requireOpen(deps, link.token)
    throw new GateError('gone', 'This link was used meanwhile. Look whether the provider is connected.')
  }
  throw new GateError(
    'unavailable',
    'The facts about you keep changing. Nothing was connected; try again.',
    1,
  )
}

/**
 * Checks tier and policy as they are now, as a confirm does. Where they no longer suffice the row becomes denied.
 * @throws GateError `forbidden` with the reason
 */
export async function requireQualified(
  deps: Deps,
  link: OpenLink,
): Promise<{ versions: FactVersions; tier: Tier }> {
  const facts = await readFacts(deps.db, link.account_id, { memberId: link.member_id })
  const member = facts?.members[0]
  if (!facts || !member)
    throw new GateError('forbidden', 'The member who asked for this is no longer active.')
  const kind = kindOf(deps, 'integration')
  const { versions, tier, cleared, reason } = await clearanceNow(deps, {
    account: link.account_id,
    facts,
    member,
    kind,
    payload: { provider: link.provider },
  })
  if (reason !== null) {
    await deny(deps, link, reason, versions)
    throw new GateError('forbidden', `This request was denied: ${reason}.`)
  }
  if (!meetsFloor(strength, cleared.consent))
    throw new GateError(
      'forbidden',
      `${kind.kind} asks for ${cleared.consent} consent, which a link does not give.`,
    )
  return { versions, tier }
}

// Should the facts have moved, the next try decides anew.
async function deny(deps: Deps, link: OpenLink, reason: string, versions: FactVersions): Promise<void> {
  const { outcome, action } = await denyAction(deps.db, {
    account: link.account_id,
    id: link.action_id,
    isClaimed: false,
    reason,
    eventId: eventId(link.uuid, 'denied'),
    entryTail: entryTail({ kind: 'denied', actor: link.member_id, data: { reason, at: 'confirm' } }),
    dueMs: limits.outboxDueMs,
    versions,
    idempotency: null,
  })
  if (outcome === 'denied') deps.starter.closeBehind(workflowOf(action))
}
