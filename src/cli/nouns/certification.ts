import { standing } from '../../gate/tier.ts'
import { limits } from '../../limits.ts'
import { recordPass, revokePasses } from '../../operations/admin/certifications.ts'
import { email, instant, slackId, slug, whole } from '../../operations/admin/fields.ts'
import { accountId } from '../../operations/ids.ts'
import { requireMember } from '../../operations/admin/require-entity.ts'
import { adminContextOf } from '../context.ts'
import { defineVerb, optional, required } from '../verb.ts'

const who = {
  account: required('ACCOUNT', accountId),
  email: optional('EMAIL', email),
  slack: optional('SLACK_ID', slackId),
}
const curriculum = required('SLUG', slug)
const moduleNumber = whole(1, limits.modulesMax)

export const certificationVerbs = {
  pass: defineVerb({
    summary: 'Record that a member passed a module, now or at a given time (repeat to change the date)',
    options: { ...who, curriculum, module: required('K', moduleNumber), at: optional('ISO', instant) },
    exactlyOne: [['email', 'slack']],
    async run(context, given) {
      const member = await requireMember(context.db(), given)
      const pass = { curriculum: given.curriculum, module: given.module, at: given.at ?? null }
      return recordPass(adminContextOf(context, given.account), member, pass)
    },
  }),

  list: defineVerb({
    summary: "Show a member's certifications",
    options: who,
    exactlyOne: [['email', 'slack']],
    async run(context, given) {
      return standing(await requireMember(context.db(), given)).certifications
    },
  }),

  revoke: defineVerb({
    summary: 'Revoke passes: one module, or the whole curriculum',
    options: { ...who, curriculum, module: optional('K', moduleNumber) },
    exactlyOne: [['email', 'slack']],
    async run(context, given) {
      const member = await requireMember(context.db(), given)
      const passes = { curriculum: given.curriculum, module: given.module ?? null }
      return revokePasses(adminContextOf(context, given.account), member, passes)
    },
  }),
}
