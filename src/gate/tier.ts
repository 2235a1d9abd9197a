/**
 * The tiers a member can hold, lowest first.
 * @source docs/concepts.md#members-and-tiers
 */
export const tiers = ['read_only', 'guarded_write', 'write'] as const
export type Tier = (typeof tiers)[number]

export const tierSources = ['admin', 'certification', 'default'] as const
export type TierSource = (typeof tierSources)[number]

/** A passed module. `passedAt` is null if the pass was revoked; `latestAt` is the time of the latest pass, revoked or not. */
export interface Pass {
  module: number
  passedAt: Date | null
  latestAt: Date
}

export interface CurriculumRecord {
  slug: string
  title: string
  modules: number
  grants: Tier
  /** Days until a pass expires; null: never. */
  validDays: number | null
  /** The titles of its modules; absent: they have numbers only. */
  moduleTitles?: string[]
  /** The member's passes in this curriculum. */
  passes: Pass[]
}

export interface CertificationEntry {
  curriculum: string
  title: string
  certified: boolean
  modules_passed: number
  modules_total: number
  last_passed_at: string | null
}

export interface Standing {
  tier: Tier
  tierSource: TierSource
  certified: boolean
  /** One entry per curriculum of the account, ordered by slug. */
  certifications: CertificationEntry[]
}

/**
 * Computes a member's tier. A tier set by an administrator applies, higher or lower; otherwise the highest tier that a
 * completed curriculum grants; otherwise `read_only`. Pure.
 * @param now  the database's clock, from the same read as the facts
 * @source docs/concepts.md#members-and-tiers
 */
export function standing(facts: {
  adminTier: Tier | null
  curricula: CurriculumRecord[]
  now: Date
}): Standing {
  const curricula = facts.curricula.toSorted((a, b) => compareText(a.slug, b.slug))
  const certifications = curricula.map((curriculum) => certification(curriculum, facts.now))
  const granted = curricula.filter((_, i) => certifications[i]!.certified)
  const earned = granted.map((c) => c.grants).toSorted((a, b) => rank(b) - rank(a))[0]
  const [tier, tierSource]: [Tier, TierSource] = facts.adminTier
    ? [facts.adminTier, 'admin']
    : earned
      ? [earned, 'certification']
      : ['read_only', 'default']
  return { tier, tierSource, certified: granted.length > 0, certifications }
}

/** The certification entry of one curriculum. A pass counts until it is `validDays` old. Pure. */
export function certification(curriculum: CurriculumRecord, now: Date): CertificationEntry {
  const passed = passesInForce(curriculum, now).length
  const latest = curriculum.passes
    .map((p) => p.latestAt.getTime())
    .reduce((a, b) => Math.max(a, b), -Infinity)
  return {
    curriculum: curriculum.slug,
    title: curriculum.title,
    certified: passed === curriculum.modules,
    modules_passed: passed,
    modules_total: curriculum.modules,
    last_passed_at: latest === -Infinity ? null : new Date(latest).toISOString(),
  }
}

/** Until when a certified member stays certified: when the first pass expires; null: no expiry, or not certified. Pure. */
export function certifiedUntil(curriculum: CurriculumRecord, now: Date): Date | null {
  const { modules, validDays } = curriculum
  const passed = passesInForce(curriculum, now)
  if (validDays === null || passed.length < modules) return null
  return new Date(Math.min(...passed.map(({ passedAt }) => passedAt!.getTime())) + validDays * msPerDay)
}

// A curriculum may have had more modules before: passes of those stay, and count for nothing.
const passesInForce = ({ passes, modules, validDays }: CurriculumRecord, now: Date): Pass[] =>
  passes.filter((pass) => pass.module <= modules && isInForce(pass, validDays, now))

/** Whether `tier` is at least `needed`. Pure. */
export function reaches(tier: Tier, needed: Tier): boolean {
  return rank(tier) >= rank(needed)
}

function isInForce(pass: Pass, validDays: number | null, now: Date): boolean {
  if (pass.passedAt === null) return false
  return validDays === null || now.getTime() - pass.passedAt.getTime() < validDays * msPerDay
}

const msPerDay = 86_400_000
const rank = (tier: Tier) => tiers.indexOf(tier)
const compareText = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)
