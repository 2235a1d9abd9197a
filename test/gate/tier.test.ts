import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import {
  type CurriculumRecord,
  type Tier,
  certification,
  certifiedUntil,
  reaches,
  standing,
  tiers,
} from '../../src/gate/tier.ts'
import { curricula, curriculum, dayMs, now, tier } from './arbitraries.ts'

const rank = (t: Tier) => tiers.indexOf(t)

test('tiers go read_only, guarded_write, write, and a tier reaches itself and everything below', () => {
  expect(tiers).toEqual(['read_only', 'guarded_write', 'write'])
  fc.assert(fc.property(tier, tier, (a, b) => reaches(a, b) === rank(a) >= rank(b)))
})

test("an admin's setting wins over every certification, up and down", () => {
  fc.assert(
    fc.property(curricula, tier, (records, adminTier) => {
      const { tier: held, tierSource } = standing({ adminTier, curricula: records, now })
      expect([held, tierSource]).toEqual([adminTier, 'admin'])
    }),
  )
})

test('without an admin the tier is the highest that a completed curriculum grants, else read_only by default', () => {
  fc.assert(
    fc.property(curricula, (records) => {
      const granted = records.filter((c) => isComplete(c)).map((c) => c.grants)
      const best = granted.reduce((a, b) => (rank(b) > rank(a) ? b : a), 'read_only' as Tier)
      const held = standing({ adminTier: null, curricula: records, now })
      expect([held.tier, held.tierSource]).toEqual([best, granted.length > 0 ? 'certification' : 'default'])
    }),
  )
})

test('passes of modules that a curriculum no longer has count for nothing', () => {
  const passes = [1, 3].map((module) => ({ module, passedAt: now, latestAt: now }))
  const shrunk = { slug: 's', title: 'S', modules: 2, grants: 'write' as const, validDays: null, passes }
  expect(certification(shrunk, now)).toMatchObject({ certified: false, modules_passed: 1 })
  expect(certifiedUntil(shrunk, now)).toBeNull()
})

test('a certification ends when the first of its passes does', () => {
  fc.assert(
    fc.property(curriculum, (record) => {
      const until = certifiedUntil(record, now)
      if (until === null) return
      expect(certification(record, new Date(until.getTime() - 1)).certified).toBe(true)
      expect(certification(record, until).certified).toBe(false)
    }),
  )
  const passes = [1, 2].map((module) => ({
    module,
    passedAt: new Date(now.getTime() - module * dayMs),
    latestAt: now,
  }))
  const record = { slug: 's', title: 'S', modules: 2, grants: 'write' as const, validDays: 10, passes }
  expect(certifiedUntil(record, now)).toEqual(new Date(now.getTime() + 8 * dayMs))
})

test('certified says whether a curriculum is complete, also where an admin set the tier', () => {
  fc.assert(
    fc.property(curricula, fc.option(tier), (records, adminTier) => {
      const { certified } = standing({ adminTier, curricula: records, now })
      expect(certified).toBe(records.some((c) => isComplete(c)))
    }),
  )
})

test('every curriculum is listed once, ordered by slug, also where nothing was passed', () => {
  fc.assert(
    fc.property(curricula, (records) => {
      const { certifications } = standing({ adminTier: null, curricula: records, now })
      const slugs = certifications.map((c) => c.curriculum)
      expect(slugs).toEqual(records.map((c) => c.slug).sort())
    }),
  )
})

test('more passes and more time in force never lower a tier', () => {
  fc.assert(
    fc.property(curricula, (records) => {
      const complete = records.map((c) => ({
        ...c,
        passes: Array.from({ length: c.modules }, (_, i) => ({
          module: i + 1,
          passedAt: now,
          latestAt: now,
        })),
      }))
      const held = standing({ adminTier: null, curricula: records, now }).tier
      const could = standing({ adminTier: null, curricula: complete, now }).tier
      expect(reaches(could, held)).toBe(true)
    }),
  )
})

test('a pass counts until the moment its valid days are over, and not after', () => {
  const course = (passedAt: Date): CurriculumRecord => ({
    slug: 's',
    title: 'S',
    modules: 1,
    grants: 'write',
    validDays: 30,
    passes: [{ module: 1, passedAt, latestAt: passedAt }],
  })
  const justYoung = new Date(now.getTime() - 30 * dayMs + 1)
  const justOld = new Date(now.getTime() - 30 * dayMs)
  expect(certification(course(justYoung), now)).toMatchObject({ certified: true, modules_passed: 1 })
  expect(certification(course(justOld), now)).toMatchObject({ certified: false, modules_passed: 0 })
  expect(standing({ adminTier: null, curricula: [course(justOld)], now }).tier).toBe('read_only')
})

test('last_passed_at is the latest pass ever, whether or not it is in force', () => {
  fc.assert(
    fc.property(curriculum, (record) => {
      const latest = record.passes.map((p) => p.latestAt.toISOString()).sort()
      expect(certification(record, now).last_passed_at).toBe(latest.at(-1) ?? null)
    }),
  )
})

test('a revoked pass does not count', () => {
  fc.assert(
    fc.property(curriculum, (record) => {
      const revoked = { ...record, passes: record.passes.map((p) => ({ ...p, passedAt: null })) }
      expect(certification(revoked, now)).toMatchObject({ certified: false, modules_passed: 0 })
    }),
  )
})

/** The rule once more, in other words: every module has a pass younger than the valid days. */
function isComplete(record: CurriculumRecord): boolean {
  const oldest = record.validDays === null ? -Infinity : now.getTime() - record.validDays * dayMs
  const inForce = record.passes.filter((p) => p.passedAt !== null && p.passedAt.getTime() > oldest)
  return new Set(inForce.map((p) => p.module)).size === record.modules
}
