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
  const certified = certifications.some((entry) => entry.certified)
  const tierSource = facts.adminTier ? 'admin' : certified ? 'certification' : 'default'
  return { tier: tierOf(facts, facts.now), tierSource, certified, certifications }
}

/** The tier alone, for what is decided often and shows no certification: see `standing`. Pure. */
export function tierOf(
  { adminTier, curricula }: Pick<Parameters<typeof standing>[0], 'adminTier' | 'curricula'>,
  now: Date,
): Tier {
  if (adminTier) return adminTier
  return curricula
    .filter((curriculum) => isCertified(curriculum, now))
    .reduce<Tier>((highest, { grants }) => (reaches(highest, grants) ? highest : grants), 'read_only')
}

/** The certification entry of one curriculum. A pass counts until it is `validDays` old. Pure. */
export function certification(curriculum: CurriculumRecord, now: Date): CertificationEntry {
  const latest = curriculum.passes
    .map((p) => p.latestAt.getTime())
    .reduce((a, b) => Math.max(a, b), -Infinity)
  return {
    curriculum: curriculum.slug,
    title: curriculum.title,
    certified: isCertified(curriculum, now),
    modules_passed: passesInForce(curriculum, now).length,
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

const isCertified = (curriculum: CurriculumRecord, now: Date): boolean =>
  passesInForce(curriculum, now).length === curriculum.modules

// A curriculum may have had more modules before: passes of those stay, and count for nothing.
const passesInForce = ({ passes, modules, validDays }: CurriculumRecord, now: Date): Pass[] =>
  passes.filter((pass) => pass.module <= modules && isPassInForce(pass, validDays, now))

/** The modules that were passed, and whose passes have expired since. Pure. */
export const expiredModules = ({ passes, modules, validDays }: CurriculumRecord, now: Date): number =>
  passes.filter(
    (pass) => pass.passedAt !== null && pass.module <= modules && !isPassInForce(pass, validDays, now),
  ).length

/** When the first of these passes expired; null: none has. Pure. */
export function expiredSince({ passes, modules, validDays }: CurriculumRecord, now: Date): Date | null {
  const times = passes.flatMap((pass) =>
    pass.passedAt === null ||
    validDays === null ||
    pass.module > modules ||
    isPassInForce(pass, validDays, now)
      ? []
      : [pass.passedAt.getTime() + validDays * msPerDay],
  )
  return times.length === 0 ? null : new Date(Math.min(...times))
}

/** Whether `tier` is at least `needed`. Pure. */
export function reaches(tier: Tier, needed: Tier): boolean {
  return rank(tier) >= rank(needed)
}

/** Whether a pass counts: it was not revoked, and is less than `validDays` old. Pure. */
export function isPassInForce(pass: Pass, validDays: number | null, now: Date): boolean {
  if (pass.passedAt === null) return false
  return validDays === null || now.getTime() - pass.passedAt.getTime() < validDays * msPerDay
}

const msPerDay = 86_400_000
const rank = (tier: Tier) => tiers.indexOf(tier)
const compareText = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)
