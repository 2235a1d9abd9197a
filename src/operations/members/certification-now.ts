import type { MemberRow } from '../../db/queries/members/members.ts'
import { GateError } from '../../errors.ts'
import { type CertificationEntry, type CurriculumRecord, certification } from '../../gate/tier.ts'
import type { AdminContext } from '../admin-context.ts'
import { readMember } from './read-member.ts'

export const curriculumIsRetired = (slug: string) =>
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

export async function certificationNow(
  context: AdminContext,
  memberId: string,
  slug: string,
): Promise<CertificationEntry> {
  const member = await readMember(context, memberId)
  return certification(curriculumOf(member, slug), member.now)
}
