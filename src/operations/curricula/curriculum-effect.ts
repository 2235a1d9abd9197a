import {
  type CurriculumRow,
  curriculaVersion,
  type ListedCurriculum,
} from '../../db/queries/members/curricula.ts'
import { type MemberRow, pageMembers } from '../../db/queries/members/members.ts'
import { type CurriculumRecord, type Tier, certification, reaches, standing } from '../../gate/tier.ts'
import { limits } from '../../limits.ts'
import { requireWholeTitles } from './whole-titles.ts'
import type { AccountContext } from '../admin-context.ts'

/** What a change of a curriculum would do to the active members, as they are now. */
export interface CurriculumEffect {
  /** The curricula version it was computed for. */
  base: number
  /** Members whose tier would become lower, and higher, by id. */
  lowered: TierMove[]
  raised: TierMove[]
  /** How many would no longer be, and would newly be, certified in this curriculum. */
  decertified: number
  certified: number
}

export interface TierMove {
  memberId: string
  name: string
  from: Tier
  to: Tier
}

/** What to do with a curriculum. */
export type CurriculumChange = { to: CurriculumRow } | 'retire' | 'restore'

/**
 * Computes the effect of a change before it is made. Members whose tier an administrator set keep it.
 * @throws GateError `invalid` where the change could not be made
 */
export async function curriculumEffect(
  { db, account }: AccountContext,
  curriculum: ListedCurriculum,
  change: CurriculumChange,
): Promise<CurriculumEffect> {
  if (typeof change === 'object') requireWholeTitles(change.to)
  const base = (await curriculaVersion(db, account))!
  const effect: CurriculumEffect = { base, lowered: [], raised: [], decertified: 0, certified: 0 }
  for (let after = ''; ;) {
    const page = await pageMembers(db, account, { after, limitRows: limits.rowsPerRead })
    for (const member of page.filter(({ isActive }) => isActive))
      addMember(effect, member, curriculum, change)
    if (page.length < limits.rowsPerRead) return effect
    after = page.at(-1)!.memberId
  }
}

function addMember(
  effect: CurriculumEffect,
  member: MemberRow,
  { slug, retired_at }: ListedCurriculum,
  change: CurriculumChange,
): void {
  const others = member.curricula.filter((one) => one.slug !== slug)
  const now = [...member.curricula, ...member.retired].find((one) => one.slug === slug)
  if (!now) return
  const before = retired_at === null ? now : undefined
  const after = changed(now, retired_at !== null, change)
  const isCertified = (one: CurriculumRecord | undefined) =>
    one !== undefined && certification(one, member.now).certified
  const [was, will] = [isCertified(before), isCertified(after)]
  if (was && !will) effect.decertified++
  if (!was && will) effect.certified++
  const from = standing(member).tier
  const to = standing({ ...member, curricula: after ? [...others, after] : others }).tier
  if (from === to) return
  const move = { memberId: member.memberId, name: member.name, from, to }
  if (reaches(to, from)) effect.raised.push(move)
  else effect.lowered.push(move)
}

/** The curriculum after the change; undefined where it would be retired. */
function changed(
  now: CurriculumRecord,
  isRetired: boolean,
  change: CurriculumChange,
): CurriculumRecord | undefined {
  if (change === 'retire') return undefined
  if (change === 'restore') return now
  const { modules, grants, valid_days: validDays } = change.to
  return isRetired ? undefined : { ...now, modules, grants, validDays }
}
