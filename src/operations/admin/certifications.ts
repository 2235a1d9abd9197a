import { recordPass as record, revokePasses as revoke } from '../../db/queries/members/curricula.ts'
import type { MemberRow } from '../../db/queries/members/members.ts'
import { GateError } from '../../errors.ts'
import { type CertificationEntry, type CurriculumRecord, certification } from '../../gate/tier.ts'
import { type AdminContext, writeOf } from './context.ts'
import { readMember } from './members.ts'

/**
 * Records that a member passed a module. A further pass replaces the date.
 * @param pass.at  null: now
 * @throws GateError `not_found` for an unknown curriculum or module, `conflict` for a retired curriculum, `invalid` for a
 * date in the future
 */
export async function recordPass(
  context: AdminContext,
  member: MemberRow,
  pass: { curriculum: string; module: number; at: Date | null },
): Promise<CertificationEntry> {
  const { memberId, now } = member
  const { module, at } = pass
  const { slug, modules } = curriculumOf(member, pass.curriculum)
  if (member.retired.some((one) => one.slug === slug)) throw isRetired(slug)
  if (module > modules)
    throw new GateError('not_found', `Module ${module} was not found: ${slug} has modules 1 to ${modules}.`, {
      param: 'module',
    })
  if (at !== null && at > now)
    throw new GateError('invalid', 'The date of a pass must not be in the future.', { param: 'at' })
  const isRecorded = await record(context.db, {
    ...writeOf(context),
    memberId,
    curriculum: slug,
    module,
    at,
  })
  // It was retired, or lost this module, since the member was read.
  if (!isRecorded) throw isRetired(slug)
  return entryNow(context, memberId, slug)
}

/**
 * Revokes the pass of one module, or all passes of a curriculum (null).
 * @throws GateError `not_found` where there is none
 */
export async function revokePasses(
  context: AdminContext,
  member: MemberRow,
  passes: { curriculum: string; module: number | null },
): Promise<CertificationEntry> {
  const { memberId } = member
  const { module } = passes
  const { slug } = curriculumOf(member, passes.curriculum)
  const revoked = await revoke(context.db, { ...writeOf(context), memberId, curriculum: slug, module })
  if (revoked === 0)
    throw new GateError(
      'not_found',
      module === null
        ? `This member has no passes of ${slug} to revoke.`
        : `This member has no pass of module ${module} of ${slug} to revoke.`,
    )
  return entryNow(context, memberId, slug)
}

const isRetired = (slug: string) =>
  new GateError(
    'conflict',
    `Curriculum ${slug} is retired or has changed. Nothing was recorded. Put it in force again first.`,
  )

/** A curriculum with the member's passes; a retired one only where they passed a module. @throws GateError `not_found` */
export function curriculumOf(member: MemberRow, slug: string): CurriculumRecord {
  const found = [...member.curricula, ...member.retired].find((curriculum) => curriculum.slug === slug)
  if (!found) throw new GateError('not_found', `Curriculum ${slug} was not found in this account.`)
  return found
}

async function entryNow(context: AdminContext, memberId: string, slug: string): Promise<CertificationEntry> {
  const member = await readMember(context, memberId)
  return certification(curriculumOf(member, slug), member.now)
}
