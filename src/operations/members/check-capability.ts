import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import { standing } from '../../gate/tier.ts'
import { actingMember, memberLabel } from './actor.ts'
import { defineOperation } from '../operation.ts'
import { Capability, actorFields } from '../schemas.ts'

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
  isKeyed: false,
  async run(context, input) {
    const { deps, account } = context
    const { facts, member } = await actingMember(context, input)
    const { tier, tierSource, certified, certifications } = standing({ ...member, now: facts.now })
    const uuid = randomUUID()
    await deps.checks.record(account, {
      uuid,
      memberId: member.memberId,
      member: memberLabel(member),
      tier,
      source: context.source,
      tierSource,
      certified,
      keyId: context.keyId,
    })
    const providers = [
      ...(member.email === null ? [] : ['email']),
      ...(member.slack === null ? [] : ['slack']),
    ]
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
  },
})
