import { standing } from '../../gate/tier.ts'
import { limits } from '../../limits.ts'
import { recordPass } from '../../operations/members/record-pass.ts'
import { revokePasses } from '../../operations/members/revoke-passes.ts'
import { instant } from '../../operations/entered-fields.ts'
import { wholeNumber } from '../../operations/whole-number.ts'
import { requireMember } from '../../operations/members/require-member.ts'
import { account } from '../account-option.ts'
import { adminContextOf } from '../context.ts'
import { curriculum, who } from '../options.ts'
import { defineVerb, optional, required } from '../verb.ts'

const moduleNumber = wholeNumber(1, limits.modulesMax)

export const certificationVerbs = {
  pass: defineVerb({
    summary: 'Record that a member passed a module, now or at a given time (repeat to change the date)',
    options: {
      account,
      ...who,
      curriculum,
      module: required('K', moduleNumber, 'Number of the module, from 1', '1'),
      at: optional('ISO', instant, 'When it was passed; if absent: now', '2026-01-31T12:00:00Z'),
    },
    exactlyOne: [['email', 'slack']],
    async run(context, given) {
      const member = await requireMember(context.db(), given)
      const pass = { curriculum: given.curriculum, module: given.module, at: given.at ?? null }
      return recordPass(adminContextOf(context, given.account), member, pass)
    },
  }),

  list: defineVerb({
    summary: "Show a member's certifications",
    options: { account, ...who },
    empty: (of) => `No certifications. Record a pass with \`gate certification pass${of}\`.`,
    exactlyOne: [['email', 'slack']],
    async run(context, given) {
      return standing(await requireMember(context.db(), given)).certifications
    },
  }),

  revoke: defineVerb({
    summary: 'Revoke passes: one module, or the whole curriculum',
    options: {
      account,
      ...who,
      curriculum,
      module: optional('K', moduleNumber, 'One module; if absent: all modules', '1'),
    },
    exactlyOne: [['email', 'slack']],
    async run(context, given) {
      const member = await requireMember(context.db(), given)
      const passes = { curriculum: given.curriculum, module: given.module ?? null }
      return revokePasses(adminContextOf(context, given.account), member, passes)
    },
  }),
}
