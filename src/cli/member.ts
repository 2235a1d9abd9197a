import { addMember, findMember, pageMembers, setTier, updateMember } from '../db/queries/members.ts'
import { type MemberRow } from '../db/queries/members.ts'
import { type Tier, type TierSource, standing } from '../gate/tier.ts'
import { randomBase62 } from '../keys/api-key.ts'
import { adminEvent } from '../ledger/admin-event.ts'
import { limits } from '../limits.ts'
import { type CliContext } from './context.ts'
import { type MemberOptions, requireAccount, requireMember } from '../operations/admin/found.ts'
import { accountId, email, line, slackId, tier } from '../operations/admin/fields.ts'
import { UsageError, defineVerb, flag, optional, required } from './verb.ts'

const account = required('ACCOUNT', accountId)
const who = { account, email: optional('EMAIL', email), slack: optional('SLACK_ID', slackId) }
const name = line(limits.nameCharsMax)
const membersPerPage = 500

export const memberVerbs = {
  add: defineVerb({
    summary: 'Add a member; without an identity nobody can act for them and nothing reaches them',
    options: { ...who, name: required('NAME', name) },
    async run(context, given) {
      const memberId = `mem_${randomBase62(16)}`
      await addMember(context.db(), {
        account: given.account,
        memberId,
        name: given.name,
        email: given.email ?? null,
        slack: given.slack ?? null,
        event: adminEvent.memberAdded(memberId),
      })
      return { member_id: memberId }
    },
  }),

  list: defineVerb({
    summary: 'Show every member, with the tier they have now',
    options: { account },
    async run(context, given) {
      await requireAccount(context.db(), given.account)
      const members: MemberRow[] = []
      for (let after = ''; ; after = members.at(-1)!.memberId) {
        const page = await pageMembers(context.db(), given.account, { after, limitRows: membersPerPage })
        members.push(...page)
        if (page.length < membersPerPage) break
      }
      return members.map(viewMember).toSorted((a, b) => a.name.localeCompare(b.name, 'en'))
    },
  }),

  'set-tier': defineVerb({
    summary: "Set a member's tier, which wins over certificates, or take the setting away",
    options: { ...who, tier: optional('TIER', tier), clear: flag() },
    exactlyOne: [
      ['email', 'slack'],
      ['tier', 'clear'],
    ],
    async run(context, given) {
      const { memberId } = await requireMember(context.db(), given)
      const next = given.tier ?? null
      const event = adminEvent.tierSet(memberId, next)
      await setTier(context.db(), { account: given.account, memberId, tier: next, event })
      const { tier, tier_source } = await readMember(context, given.account, memberId)
      return { tier, tier_source }
    },
  }),

  update: defineVerb({
    summary: "Change a member's name or identities",
    options: {
      ...who,
      name: optional('NAME', name),
      'new-email': optional('EMAIL', email),
      'new-slack': optional('SLACK_ID', slackId),
      'remove-email': flag(),
      'remove-slack': flag(),
    },
    exactlyOne: [['email', 'slack']],
    async run(context, given) {
      const change = {
        name: given.name ?? null,
        email: identityChange('email', given['new-email'], given['remove-email']),
        slack: identityChange('slack', given['new-slack'], given['remove-slack']),
      }
      const fields = Object.keys(change).filter((field) => change[field as keyof typeof change] !== null)
      if (fields.length === 0) {
        throw new UsageError(
          'give what to change: --name, --new-email, --new-slack, --remove-email or --remove-slack',
        )
      }
      const { memberId } = await requireMember(context.db(), given)
      const event = adminEvent.memberUpdated(memberId, fields)
      await updateMember(context.db(), { account: given.account, memberId, ...change, isActive: null, event })
      return readMember(context, given.account, memberId)
    },
  }),

  deactivate: defineVerb({
    summary: 'Take a member out: no longer found as an actor, no longer a recipient',
    options: who,
    exactlyOne: [['email', 'slack']],
    run: (context, given) => setActive(context, given, false),
  }),

  activate: defineVerb({
    summary: 'Take a deactivated member back in',
    options: who,
    exactlyOne: [['email', 'slack']],
    run: (context, given) => setActive(context, given, true),
  }),
}

// An empty text takes the identity away; null leaves it.
function identityChange(field: string, given: string | undefined, isRemoved: boolean): string | null {
  if (given !== undefined && isRemoved)
    throw new UsageError(`give --new-${field} or --remove-${field}, not both`)
  return isRemoved ? '' : (given ?? null)
}

async function setActive(context: CliContext, given: MemberOptions, isActive: boolean) {
  const { memberId, isActive: wasActive } = await requireMember(context.db(), given)
  if (wasActive !== isActive) {
    const unchanged = { name: null, email: null, slack: null }
    const event = adminEvent.memberActivated(memberId, isActive)
    await updateMember(context.db(), { account: given.account, memberId, ...unchanged, isActive, event })
  }
  return readMember(context, given.account, memberId)
}

async function readMember(context: CliContext, account: string, memberId: string): Promise<MemberView> {
  return viewMember((await findMember(context.db(), account, { memberId }))!)
}

interface MemberView {
  member_id: string
  name: string
  email: string | null
  slack: string | null
  tier: Tier
  tier_source: TierSource
  active: boolean
}

function viewMember(member: MemberRow): MemberView {
  const { tier, tierSource } = standing(member)
  return {
    member_id: member.memberId,
    name: member.name,
    email: member.email,
    slack: member.slack,
    tier,
    tier_source: tierSource,
    active: member.isActive,
  }
}
