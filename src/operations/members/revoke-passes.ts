import { revokePasses as revoke } from '../../db/queries/members/curricula.ts'
import type { MemberRow } from '../../db/queries/members/members.ts'
import { GateError } from '../../errors.ts'
import type { CertificationEntry } from '../../gate/tier.ts'
import { type AdminContext, writeOf } from '../admin-context.ts'
import { curriculumOf, certificationNow } from './certification-now.ts'

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
  return certificationNow(context, memberId, slug)
}
