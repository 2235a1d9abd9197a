import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import {
  carriedConsent,
  unreachableForConsent,
  consentStrengths,
  floorOf,
  meetsFloor,
  requestedFor,
  requiredConsent,
  settledChannels,
  settlesAt,
  strengthBy,
  strengthNow,
  consentRoute,
  consentChannels as channels,
} from '../../src/gate/consent.ts'
import { testRows } from '../support/rows.ts'

const strength = fc.constantFrom(...consentStrengths)
const requested = fc.constantFrom('chat' as const, 'page' as const)
const address = fc.option(fc.string({ minLength: 1 }), { nil: null })

test('consent strengths go agent_attested, client_attested, chat, page, passkey, and each meets its own floor and those below', () => {
  expect(consentStrengths).toEqual(['agent_attested', 'client_attested', 'chat', 'page', 'passkey'])
  fc.assert(
    fc.property(
      strength,
      strength,
      (given, floor) =>
        meetsFloor(given, floor) === consentStrengths.indexOf(given) >= consentStrengths.indexOf(floor),
    ),
  )
})

test('the word of a client counts where the floor is that word, and never for an amount', () => {
  expect(consentStrengths.map(requestedFor)).toEqual(['chat', 'chat', 'chat', 'page', 'passkey'])
  for (const floor of consentStrengths) {
    const isFloor = floor === 'client_attested'
    expect(carriedConsent('client_attested', floor)).toBe(isFloor ? floor : 'agent_attested')
    expect(floorOf(floor, { amountCents: 0 })).toBe(isFloor ? 'chat' : floor)
    expect(floorOf(floor, {})).toBe(floor)
  }
})

testRows([
  ['chat', { slack: 'U1', email: 'a@b' }, ['slack', 'email'], 'slack'],
  ['page', { slack: 'U1', email: 'a@b' }, ['slack', 'email'], 'email'],
  ['chat', { slack: null, email: 'a@b' }, ['slack', 'email'], 'email'],
  ['chat', { slack: 'U1', email: 'a@b' }, ['email'], 'email'],
  ['chat', { slack: 'U1', email: null }, ['email'], undefined],
  ['page', { slack: 'U1', email: null }, ['slack', 'email'], undefined],
  ['page', { slack: 'U1', email: 'a@b' }, ['slack'], undefined],
  ['chat', { slack: 'U1', teams: 'T1', email: 'a@b' }, ['slack', 'teams', 'email'], 'slack'],
  ['chat', { slack: 'U1', teams: 'T1', email: 'a@b' }, ['teams', 'email'], 'teams'],
  ['page', { slack: 'U1', teams: 'T1', email: 'a@b' }, ['slack', 'teams', 'email'], 'email'],
  ['page', { slack: null, teams: 'T1', email: null }, ['teams'], undefined],
] as const)('a member is asked over what is usable and reaches the floor', (floor, member, usable, via) => {
  expect(consentRoute(floor, { teams: null, ...member }, usable)?.via).toBe(via)
})

const [chat, page] = [{ via: 'slack', address: 'U1' } as const, { via: 'email', address: 'a@b' } as const]
testRows([
  ['chat', [chat], 'email'],
  ['chat', [page], 'slack'],
  ['chat', [chat, page], 'slack'],
  ['chat', [{ ...chat, address: 'U0' }], 'slack'],
  ['chat', [{ ...page, address: 'U1' }], 'slack'],
  ['page', [page], 'email'],
] as const)('where asking failed, a member is asked over what is left', (floor, failed, via) => {
  expect(consentRoute(floor, { slack: 'U1', teams: null, email: 'a@b' }, channels, failed)?.via).toBe(via)
})

test('a way that has failed changes how a member is asked, and never whether', () => {
  fc.assert(
    fc.property(
      requested,
      fc.record({ slack: address, teams: address, email: address }),
      fc.subarray([...channels]),
      fc.subarray([...channels]),
      (floor, member, usable, vias) => {
        const failed = vias.map((via) => ({ via, address: member[via] ?? 'x' }))
        const way = consentRoute(floor, member, usable, failed)
        if (!way) return consentRoute(floor, member, usable) === undefined
        return usable.includes(way.via) && meetsFloor(strengthBy[way.via], floor)
      },
    ),
  )
})

test('a member is asked by the weakest of their ways that meets the floor, and by none that does not', () => {
  fc.assert(
    fc.property(
      requested,
      fc.record({ slack: address, teams: address, email: address }),
      fc.subarray([...channels]),
      (floor, member, usable) => {
        const way = consentRoute(floor, member, usable)
        const good = usable.filter((via) => member[via] !== null && meetsFloor(strengthBy[via], floor))
        if (!way) return good.length === 0
        return (
          way.address === member[way.via] &&
          good.includes(way.via) &&
          good.every((other) => meetsFloor(strengthBy[other], strengthBy[way.via]))
        )
      },
    ),
  )
})

test('a member who cannot be asked hears the rule, what it asks for, and the way out', () => {
  expect(unreachableForConsent('This 150.00 USD refund requires `write`', 'page')).toEqual({
    code: 'cannot_be_asked',
    sentence:
      'This 150.00 USD refund requires `write`. The policy also requires `page` consent, but this service cannot reach the member for it. Add an e-mail address for the member, or ask an administrator.',
    needs: null,
  })
})

const now = new Date('2026-11-22T12:00:00Z')
const hoursAgo = (hours: number) => new Date(now.getTime() - hours * 3_600_000)

testRows([
  ['never changed', null, false, 24, null],
  ['changed just now', 0, false, 24, -24],
  ['changed a day ago', 24, false, 24, null],
  ['changed a moment less than a day ago', 23.999, false, 24, -0.001],
  ['changed and confirmed', 0, true, 24, null],
  ['changed where nothing settles', 0, false, 0, null],
] as const)(
  'an identity that was changed counts in full after its time',
  (_what, changed, isConfirmed, hours, at) => {
    const identity = { changedAt: changed === null ? null : hoursAgo(changed), isConfirmed }
    expect(settlesAt(identity, hours, now)).toEqual(at === null ? null : hoursAgo(at))
  },
)

test('a consent that counts as less is never more than the word of an agent, and time alone only makes it stronger', () => {
  const hours = fc.double({ min: 0, max: 720, noNaN: true })
  const changed = fc.option(fc.double({ min: 0, max: 1_000, noNaN: true }), { nil: null })
  fc.assert(
    fc.property(strength, changed, fc.boolean(), hours, hours, (given, ago, isConfirmed, settles, later) => {
      const identity = { changedAt: ago === null ? null : hoursAgo(ago), isConfirmed }
      const before = strengthNow(given, identity, settles, now)
      const after = strengthNow(given, identity, settles, hoursAgo(-later))
      return (before === given || before === 'agent_attested') && meetsFloor(after, before)
    }),
  )
})

test('an action requires the consent of its policy, and on the page of a link always that of a page', () => {
  fc.assert(
    fc.property(strength, (consent) => {
      expect(requiredConsent({ consent }, {})).toBe(consent)
      expect(requiredConsent({ consent }, { isDecidedByLink: true })).toBe('page')
    }),
  )
})

test('a member is asked by no identity that has not settled', () => {
  const [settled, fresh] = [
    { changedAt: null, isConfirmed: false },
    { changedAt: now, isConfirmed: false },
  ]
  expect(settledChannels(channels, { slack: settled, teams: fresh, email: fresh }, 24, now)).toEqual([
    'slack',
  ])
  expect(settledChannels(['email'], { slack: settled, teams: fresh, email: fresh }, 24, now)).toEqual([])
  expect(settledChannels(['email'], { slack: fresh, teams: fresh, email: fresh }, 0, now)).toEqual(['email'])
})
