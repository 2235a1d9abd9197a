import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { withinCeilings } from '../../src/gate/ceilings.ts'
import { denialCodes } from '../../src/gate/denial.ts'
import { dryRun } from '../../src/gate/dry-run.ts'
import {
  type Policy,
  type Refusal,
  belowEveryBand,
  clearance,
  defaultPolicy,
  denialBy,
} from '../../src/gate/policy.ts'
import { standing, tiers } from '../../src/gate/tier.ts'
import { curricula, dayMs, now, sentenceOf, tier } from './arbitraries.ts'

const attested = 'agent_attested' as const
const bands = fc.tuple(tier, tier, fc.boolean()).map(([low, high, isOpen]) => [
  { up_to_cents: 100, tier: low, consent: attested },
  { ...(isOpen ? {} : { up_to_cents: 1_000 }), tier: high, consent: attested },
])
const rule = fc.oneof(
  fc.record({ tier, consent: fc.constant(attested) }),
  fc.record({ bands: fc.record({ usd: bands }), velocity: fc.constantFrom(undefined, 'off' as const) }),
  fc.record({
    bands: fc.record({ usd: bands }),
    velocity: fc.constant({ actions_per_day: 3, cents_per_day: { usd: 1_500 } }),
  }),
)
const policy: fc.Arbitrary<Policy> = rule.map((refund) => ({ ...defaultPolicy, kinds: { refund } }))
const weight = fc.record(
  {
    kind: fc.constantFrom('refund', 'payout'),
    amountCents: fc.integer({ min: 1, max: 2_000 }),
    currency: fc.constantFrom('usd', 'eur', 'zzz'),
  },
  { requiredKeys: ['kind'] },
)
const tally = fc.record({
  actions: fc.integer({ min: 0, max: 4 }),
  cents: fc.integer({ min: 0, max: 2_000 }),
})
const spent = fc.record({ member: tally, subjectCents: fc.integer({ min: 0, max: 1_500 }) })
const ceilings = fc.array(
  fc.record({
    actionsPerDay: fc.option(fc.integer({ min: 0, max: 3 })),
    centsPerDay: fc.constantFrom(null, { usd: 900 }),
    spent: tally,
  }),
  { maxLength: 2 },
)
const request = fc.record({ policy, weight, spent, ceilings })
const person = fc.record({ adminTier: fc.option(tier), curricula })

/** Judges a request as a proposal is judged. */
const judge = ({ policy, weight, spent, ceilings }: Asked, held: (typeof tiers)[number]) =>
  belowEveryBand(policy, weight.kind, held) ??
  withinCeilings(clearance(policy, weight, held, spent), weight, ceilings)
type Asked = typeof request extends fc.Arbitrary<infer T> ? T : never

/** Runs an assertion about every denial that the gate produces for a request. */
const ofEveryDenial = (check: (asked: Asked, held: (typeof tiers)[number], refusal: Refusal) => void) =>
  fc.assert(
    fc.property(request, tier, (asked, held) => {
      const cleared = judge(asked, held)
      if (!cleared.allowed) check(asked, held, cleared)
    }),
    // Only 85 to 149 of a thousand requests name the tier that they need.
    { numRuns: 3_000 },
  )
const member = { adminTier: null, curricula: [] }

test('every denial has a code of the union, and the requests here lead to each that the gate alone can give', () => {
  const seen = new Set<string>()
  ofEveryDenial((_asked, held, refusal) => seen.add(denialBy(refusal, held, member, now).code))
  expect([...seen].toSorted()).toEqual([
    'above_last_band',
    'amount_unknown',
    'currency_unsupported',
    'key_limit',
    'kind_off',
    'tier_insufficient',
    'velocity',
  ])
  for (const code of seen) expect(denialCodes).toContain(code)
})

test('with needed_tier the same request is not denied for the tier, and one tier below it is', () => {
  let named = 0
  ofEveryDenial((asked, held, refusal) => {
    const { code, needs } = denialBy(refusal, held, member, now)
    const needed = needs?.needed_tier
    if (needed === undefined) return
    named++
    expect(code).toBe('tier_insufficient')
    const [enough, below] = [judge(asked, needed), judge(asked, tiers[tiers.indexOf(needed) - 1]!)]
    expect(enough.allowed || enough.code !== 'tier_insufficient').toBe(true)
    expect(below).toMatchObject({ allowed: false, code: 'tier_insufficient' })
  })
  expect(named).toBeGreaterThan(100)
})

test('a denial for the tier names needed_tier unless the amount decides it and was not read', () => {
  let unread = 0
  ofEveryDenial((asked, held, refusal) => {
    const { code, needs } = denialBy(refusal, held, member, now)
    if (code !== 'tier_insufficient') return expect(needs).toBeNull()
    if (needs === null && ++unread)
      expect(belowEveryBand(asked.policy, asked.weight.kind, held)).toBeDefined()
  })
  expect(unread).toBeGreaterThan(0)
})

test('each curriculum it names earns the needed tier, and the sentence names it too', () => {
  fc.assert(
    fc.property(request, person, (asked, { adminTier, curricula }) => {
      const held = standing({ adminTier, curricula, now }).tier
      const cleared = judge(asked, held)
      if (cleared.allowed) return
      const { needs, sentence } = denialBy(cleared, held, { adminTier, curricula }, now)
      const slugs = needs?.curricula ?? []
      expect(slugs.length > 0 && adminTier !== null).toBe(false)
      for (const slug of slugs) {
        const passed = curricula.map((course) => (course.slug === slug ? complete(course) : course))
        const then = standing({ adminTier, curricula: passed, now }).tier
        expect(judge(asked, then)).not.toMatchObject({ code: 'tier_insufficient' })
        expect(sentence).toContain(`pass "${curricula.find((course) => course.slug === slug)!.title}"`)
      }
    }),
    { numRuns: 500 },
  )
})

test('a dry run gives the code that a proposal would get', () => {
  const next: Policy = { ...defaultPolicy, kinds: { ...defaultPolicy.kinds } }
  delete next.kinds['broadcast']
  const past = {
    id: 1,
    kind: 'broadcast',
    memberId: 'm',
    tier: 'write' as const,
    createdAt: now,
    confirmedAt: null,
    isRefused: false,
    weight: null,
    subject: null,
    customer: null,
    keys: [],
  }
  expect(dryRun(defaultPolicy, next, [past]).changed).toMatchObject([
    { change: 'denied', denialCode: 'kind_off' },
  ])
})

function complete(course: (typeof curricula extends fc.Arbitrary<infer T> ? T : never)[number]) {
  const passes = Array.from({ length: course.modules }, (_, i) => ({
    module: i + 1,
    passedAt: now,
    latestAt: now,
  }))
  return { ...course, passes }
}

test('a certificate that lapsed is told as one to take again, not as one that was never taken', () => {
  const old = new Date(now.getTime() - 40 * dayMs)
  const pass = (module: number, at: Date) => ({ module, passedAt: at, latestAt: at })
  const told = (passes: ReturnType<typeof pass>[]) => {
    const course = {
      slug: 's',
      title: 'Safe sending',
      modules: 2,
      grants: 'write' as const,
      validDays: 30,
      passes,
    }
    const cleared = clearance(defaultPolicy, { kind: 'broadcast' }, 'read_only')
    return sentenceOf(cleared, 'read_only', { adminTier: null, curricula: [course] }, now)
  }
  expect(told([])).toContain('pass "Safe sending" (0 of 2 modules), or')
  expect(told([pass(1, now)])).toContain('pass "Safe sending" (1 of 2 modules), or')
  expect(told([pass(1, old), pass(2, old)])).toContain(
    'pass "Safe sending" again (0 of 2 modules, 2 expired), or',
  )
  expect(told([pass(1, old), pass(2, now)])).toContain(
    'pass "Safe sending" again (1 of 2 modules, 1 expired), or',
  )
})
