import { z } from 'zod'
import { standing, tiers } from '../../gate/tier.ts'
import { setMemberTier } from '../../operations/admin/members.ts'
import { html } from '../../web/html.ts'
import { memberIn, memberPath } from './member-page.ts'
import { membersPath, sourceOf } from './list-page.ts'
import { asAdmin, definePage } from '../page.ts'
import { choice, facts, formProblem, tierBadge } from '../parts.ts'

/** What takes the setting away, among the tiers to choose from. */
const noSetting = 'by_certificates'

const choices = [
  [noSetting, 'No setting: as the certificates say'],
  ['read_only', 'read_only: may look, proposes nothing that acts'],
  ['guarded_write', 'guarded_write: acts within the smaller bounds of the policy'],
  ['write', 'write: acts within the larger bounds of the policy'],
] as const

/** Sets a member's tier by hand, or takes the setting away. */
export const memberTierPage = definePage({
  path: `${membersPath}/:member/tier`,
  role: 'admin',
  form: z.strictObject({ tier: z.enum([noSetting, ...tiers], 'must be one of the list') }),
  async show(context, _query, rejected) {
    const member = await memberIn(context)
    const now = standing(member)
    const earned = standing({ ...member, adminTier: null })
    return {
      title: `The tier of ${member.name}`,
      body: html`${formProblem(rejected)}
        ${facts([
          ['Now', html`${tierBadge(now.tier)} ${sourceOf[now.tierSource]}`],
          ['Without a setting', html`${tierBadge(earned.tier)} ${sourceOf[earned.tierSource]}`],
        ])}
        <p>A setting wins over every certificate, up and down, until it is taken away.</p>
        <form method="post">
          ${choice({ name: 'tier', label: 'Tier', values: choices, value: member.adminTier ?? noSetting, rejected })}
          <button type="submit">Save</button>
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
