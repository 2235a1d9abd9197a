import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import { standing } from '../../gate/tier.ts'
import { actingMember, identityFor, memberLabel } from './actor.ts'
import { refusedKey } from '../authenticate.ts'
import { type Answer, type CallContext, defineOperation } from '../operation.ts'
import { type Stale, keepsChanging, retryStale } from '../retry-stale.ts'
import { type Actor, Capability, actorFields } from '../schemas.ts'

/** Reads one member's tier and certification record. The check is recorded as an action. */
export const checkCapability = defineOperation({
  name: 'check_capability',
  title: 'Check what a member may do',
  summary: 'Read the tier of the member you act for and their certifications. Call it before you propose.',
  http: { method: 'GET', path: '/api/v1/capability', success: { 200: 'Capability' } },
  tool: { group: 'gate', readOnly: true, destructive: false, idempotent: true, openWorld: false },
  input: z.strictObject(actorFields),
  output: Capability,
  errors: ['not_found', 'forbidden', 'invalid'],
  powers: ['read'],
  checksKey: true,
  isKeyed: false,
  run: (context, input) =>
    retryStale(
      () => checkOnce(context, input),
      () => keepsChanging('The check was not recorded.'),
    ),
})

async function checkOnce(context: CallContext, input: Actor): Promise<Answer | Stale> {
  const { deps, account } = context
  const identity = identityFor(context, input)
  const kept = context.known ? undefined : deps.kept.checked.get(account, identity)
  if (kept) context.known = { identity, facts: kept }
  const acting = await actingMember(context, input).catch((refusal: unknown) => {
    // Kept facts never refuse: the identity may belong to another member now.
    if (!kept) throw refusal
    deps.kept.checked.drop(account, identity)
  })
  if (!acting) return 'stale'
  const { facts, member } = acting
  const readAt = performance.now()
  const { tier, tierSource, certified, certifications } = standing({ ...member, now: facts.now })
  const outcome = await deps.checks.record(account, {
    uuid: randomUUID(),
    memberId: member.memberId,
    member: memberLabel(member),
    tier,
    source: context.source,
    tierSource,
    certified,
    keyId: context.keyId,
    apiKey: context.keyHash,
    memberVersion: member.version,
    curriculaVersion: facts.curriculaVersion,
  })
  if (outcome === 'unauthenticated') throw refusedKey()
  if (outcome === 'stale') {
    deps.kept.checked.drop(account, identity)
    return 'stale'
  }
  if (!kept) {
    // The record may have waited: the clock went on.
    const now = new Date(facts.now.getTime() + performance.now() - readAt)
    deps.kept.checked.keep({ ...facts, now, policy: null }, account, identity)
  }
  const providers = [...(member.email === null ? [] : ['email']), ...(member.slack === null ? [] : ['slack'])]
  return {
    status: 200,
    body: {
      member: { name: member.name, email: member.email, providers },
      tier,
      tier_source: tierSource,
      certified,
      certifications,
    },
  }
}
