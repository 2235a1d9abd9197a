import { recordPass as record } from '../../db/queries/members/curricula.ts'
import type { MemberRow } from '../../db/queries/members/members.ts'
import { GateError } from '../../errors.ts'
import type { CertificationEntry } from '../../gate/tier.ts'
import { type AdminContext, writeOf } from '../admin-context.ts'
import { curriculumIsRetired, curriculumOf, certificationNow } from './certification-now.ts'

/**
 * Records that a member passed a module. A further pass replaces the date.
 * @param pass.at  null: now
 * @param pass.eventId  names the pass: a repeat records nothing more. Absent: a new one
 * @throws GateError `not_found` for an unknown curriculum or module, `conflict` for a retired curriculum, `invalid` for a
 * date in the future
 */
export async function recordPass(
  context: AdminContext,
  member: MemberRow,
  pass: { curriculum: string; module: number; at: Date | null; eventId?: string },
): Promise<CertificationEntry> {
  const { memberId, now } = member
  const { module, at } = pass
  const { slug, modules } = curriculumOf(member, pass.curriculum)
  if (member.retired.some((one) => one.slug === slug)) throw curriculumIsRetired(slug)
  if (module > modules)
    throw new GateError('not_found', `Module ${module} was not found: ${slug} has modules 1 to ${modules}.`, {
      param: 'module',
    })
  if (at !== null && at > now)
    throw new GateError('invalid', 'The date of a pass must not be in the future.', { param: 'at' })
  const isRecorded = await record(context.db, {
    ...writeOf(context),
    ...(pass.eventId === undefined ? {} : { eventId: pass.eventId }),
    memberId,
    curriculum: slug,
    module,
    at,
  })
  // It was retired, or lost this module, since the member was read.
  if (!isRecorded) throw curriculumIsRetired(slug)
  return certificationNow(context, memberId, slug)
}
