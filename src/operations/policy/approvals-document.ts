import { z } from 'zod'
import { approvalStrengths } from '../../gate/approvals/rule.ts'
import { tiers } from '../../gate/tier.ts'
import { limits } from '../../limits.ts'
import { groupId, memberId } from '../ids.ts'

const minutes = (what: string) =>
  z
    .int(`must be whole minutes ${what}`)
    .min(1, 'must be at least 1')
    .max(limits.approvalMinutesMax, `must be at most ${limits.approvalMinutesMax}`)

const namedMembers = z
  .array(memberId)
  .min(1, 'must name a member')
  .max(limits.approversNamedMax, `must name at most ${limits.approversNamedMax} members`)
  .refine((given) => new Set(given).size === given.length, 'must not name a member twice')

/** Whom a rule asks: by one of tier, group and members. */
const approvers = z
  .strictObject({
    tier: z.enum(tiers, `must be one of ${tiers.join(', ')}`).optional(),
    group: groupId.optional(),
    members: namedMembers.optional(),
  })
  .refine(
    (given) => Object.values(given).filter((one) => one !== undefined).length === 1,
    'must have one of tier, group and members',
  )

/** @source docs/approvals.md#set-a-rule */
export const approvalRule = z
  .strictObject({
    needed: z.int('must be a whole number').min(1, 'must be at least 1').max(9, 'must be at most 9'),
    from: approvers,
    fallback: approvers.optional(),
    distinct_from: z
      .array(
        z.enum(['proposer', 'agent_owner'], 'must be one of proposer, agent_owner'),
        'must be a list of proposer and agent_owner',
      )
      .refine((given) => given.includes('proposer'), 'must have proposer: nobody approves their own proposal')
      .refine((given) => new Set(given).size === given.length, 'must not name one twice')
      .default(['proposer', 'agent_owner']),
    min_strength: z.enum(approvalStrengths, `must be one of ${approvalStrengths.join(', ')}`).default('page'),
    reason_required: z.boolean('must be true or false').optional(),
    not_before_minutes: minutes('after the proposal').optional(),
    remind_after_minutes: minutes("after the member's consent").optional(),
    escalate_after_minutes: minutes("after the member's consent").optional(),
    escalate_to: approvers.optional(),
    break_glass: z
      .strictObject({
        members: namedMembers,
        review_within_hours: z
          .int('must be whole hours')
          .min(1, 'must be at least 1')
          .max(limits.glassReviewHoursMax, `must be at most ${limits.glassReviewHoursMax}`)
          .default(72),
      })
      .optional(),
  })
  .refine(
    (given) => (given.escalate_after_minutes === undefined) === (given.escalate_to === undefined),
    'must have both escalate_after_minutes and escalate_to, or neither',
  )
  .refine(
    ({ needed, from, fallback, escalate_to: to }) =>
      !('members' in from && from.members && !fallback && !to) || from.members.length >= needed,
    'must name at least as many members as are needed',
  )
