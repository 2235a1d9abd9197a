import { z } from 'zod'
import { standing, tiers } from '../../gate/tier.ts'
import { setMemberTier } from '../../operations/members/set-member-tier.ts'
import { html } from '../../web/html.ts'
import { memberIn, memberPath } from './member-page.ts'
import { membersPath, sourceOf } from './list-page.ts'
import { asAdmin, definePage } from '../page.ts'
import { choice, facts, formProblem, tierBadge } from '../parts.ts'

/** The choice that removes an administrator's setting. */
const noSetting = 'by_certificates'

const choices = [
  [noSetting, 'No override: follow the certifications'],
  ['read_only', 'read_only: can read, cannot propose actions'],
  ['guarded_write', 'guarded_write: can act within the lower limits of the policy'],
  ['write', 'write: can act within the higher limits of the policy'],
] as const

/** Sets a member's tier, or removes the setting. */
export const memberTierPage = definePage({
  path: `${membersPath}/:member/tier`,
  role: 'admin',
  form: z.strictObject({ tier: z.enum([noSetting, ...tiers], 'must be one of the list') }),
  async show(context, _query, rejected) {
    const member = await memberIn(context)
    const now = standing(member)
    const earned = standing({ ...member, adminTier: null })
    return {
      title: `Tier of ${member.name}`,
      body: html`${formProblem(rejected)}
        ${facts([
          ['Current tier', html`${tierBadge(now.tier)} ${sourceOf[now.tierSource]}`],
          ['Without override', html`${tierBadge(earned.tier)} ${sourceOf[earned.tierSource]}`],
        ])}
        <p>A tier set here overrides the certifications, higher or lower, until you remove it.</p>
        <form method="post">
          ${choice({ name: 'tier', label: 'Tier', values: choices, value: member.adminTier ?? noSetting, rejected })}
          <button type="submit">Save tier</button>
          <a class="button" href="${memberPath(member.memberId)}">Go back</a>
        </form>`,
    }
  },
  async send(context, { tier }) {
    const { memberId } = await memberIn(context)
    await setMemberTier(asAdmin(context), memberId, tier === noSetting ? null : tier)
    return { to: memberPath(memberId), flash: tier === noSetting ? 'tier_cleared' : 'tier_set' }
  },
})
