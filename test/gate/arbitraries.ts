import fc from 'fast-check'
import { type Clearance, denialBy } from '../../src/gate/policy.ts'
import { type CurriculumRecord, type Pass, type Tier, tiers } from '../../src/gate/tier.ts'

/** The moment that generated facts lie around. */
export const now = new Date('2026-03-01T12:00:00.000Z')

export const dayMs = 86_400_000

export const tier: fc.Arbitrary<Tier> = fc.constantFrom(...tiers)

/** Up to 20 days before `now`, so that both sides of a generated expiry are met. */
const recently = fc.integer({ min: 0, max: 20 * dayMs }).map((ms) => new Date(now.getTime() - ms))

const pass = (module: number): fc.Arbitrary<Pass> =>
  fc.record({ module: fc.constant(module), passedAt: fc.option(recently), latestAt: recently })

/** A curriculum of 1 to 4 modules, and any of its modules passed. */
export const curriculum: fc.Arbitrary<CurriculumRecord> = fc
  .record({
    slug: fc.stringMatching(/^[a-z][a-z0-9-]{0,6}$/),
    title: fc.string({ minLength: 1, maxLength: 12 }),
    modules: fc.integer({ min: 1, max: 4 }),
    grants: tier,
    validDays: fc.option(fc.integer({ min: 1, max: 15 })),
  })
  .chain((course) =>
    fc
      .tuple(...Array.from({ length: course.modules }, (_, i) => fc.option(pass(i + 1))))
      .map((passes) => ({ ...course, passes: passes.filter((p): p is Pass => p !== null) })),
  )

export const curricula = fc.uniqueArray(curriculum, { selector: (c) => c.slug, maxLength: 5 })

/** The sentence of a denial. */
export const sentenceOf = (cleared: Clearance, ...about: Tail<Parameters<typeof denialBy>>): string => {
  if (cleared.allowed) throw new Error('this is allowed')
  return denialBy(cleared, ...about).sentence
}
type Tail<T extends unknown[]> = T extends [unknown, ...infer Rest] ? Rest : never
