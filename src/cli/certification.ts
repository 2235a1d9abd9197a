import { recordPass, revokePasses } from '../db/queries/curricula.ts'
import { type MemberRow } from '../db/queries/members.ts'
import { GateError } from '../errors.ts'
import { type CertificationEntry, type CurriculumRecord, certification, standing } from '../gate/tier.ts'
import { adminEvent } from '../ledger/admin-event.ts'
import { limits } from '../limits.ts'
import { type CliContext } from './context.ts'
import { type MemberOptions, requireMember } from '../operations/admin/found.ts'
import { accountId, email, instant, slackId, slug, whole } from '../operations/admin/fields.ts'
import { defineVerb, optional, required } from './verb.ts'

const who = {
  account: required('ACCOUNT', accountId),
  email: optional('EMAIL', email),
  slack: optional('SLACK_ID', slackId),
}
const curriculum = required('SLUG', slug)
const moduleNumber = whole(1, limits.modulesMax)

export const certificationVerbs = {
  pass: defineVerb({
    summary: 'Record that a member passed a module, now or at a time; again: its new date',
    options: { ...who, curriculum, module: required('K', moduleNumber), at: optional('ISO', instant) },
    exactlyOne: [['email', 'slack']],
    async run(context, given) {
      const member = await requireMember(context.db(), given)
      const { slug, modules } = requireCurriculum(member, given.curriculum)
      if (given.module > modules) {
        throw new GateError(
          'not_found',
          `${slug} has modules 1 to ${modules}; there is no module ${given.module}.`,
        )
      }
      const at = given.at ?? null
      if (at !== null && at > member.now) throw new GateError('invalid', 'A pass cannot lie in the future.')
      await recordPass(context.db(), {
        account: given.account,
        memberId: member.memberId,
        curriculum: slug,
        module: given.module,
        at,
        event: adminEvent.passRecorded(member.memberId, slug, given.module, at),
      })
      return readEntry(context, given, slug)
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
    summary: 'Take passes out of force: one module, or the whole curriculum',
    options: { ...who, curriculum, module: optional('K', moduleNumber) },
    exactlyOne: [['email', 'slack']],
    async run(context, given) {
      const member = await requireMember(context.db(), given)
      const { slug } = requireCurriculum(member, given.curriculum)
      const module = given.module ?? null
      const { memberId } = member
      const event = adminEvent.passesRevoked(memberId, slug, module)
      const revoked = await revokePasses(context.db(), {
        account: given.account,
        memberId,
        curriculum: slug,
        module,
        event,
      })
      if (revoked === 0)
        throw new GateError('not_found', `This member has no pass of ${slug} to revoke there.`)
      return readEntry(context, given, slug)
    },
  }),
}

function requireCurriculum(member: MemberRow, slug: string): CurriculumRecord {
  const found = member.curricula.find((curriculum) => curriculum.slug === slug)
  if (!found) throw new GateError('not_found', `This account has no curriculum ${slug}.`)
  return found
}

async function readEntry(
  context: CliContext,
  given: MemberOptions,
  slug: string,
): Promise<CertificationEntry> {
  const member = await requireMember(context.db(), given)
  return certification(requireCurriculum(member, slug), member.now)
}
