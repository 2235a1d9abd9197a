import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { type Channel, type RosterMember, channelChoices, channels, reach } from '../../src/gate/reach.ts'

const roster: fc.Arbitrary<RosterMember[]> = fc.uniqueArray(
  fc.record({
    memberId: fc.stringMatching(/^mem_[a-z0-9]{1,4}$/),
    email: fc.option(fc.emailAddress()),
    slack: fc.option(fc.stringMatching(/^U[0-9A-Z]{3}$/)),
  }),
  { selector: (m) => m.memberId, maxLength: 12 },
)
const available = fc.subarray([...channels])
const choice = fc.constantFrom(...channelChoices)

test('with preferred every member is counted once: Slack before e-mail, else unreachable', () => {
  fc.assert(
    fc.property(roster, (members) => {
      const { blastRadius, recipients } = reach(members, 'preferred', channels)
      expect(blastRadius).toEqual({
        slack: members.filter((m) => m.slack !== null).length,
        email: members.filter((m) => m.slack === null && m.email !== null).length,
        unreachable: members.filter((m) => m.slack === null && m.email === null).length,
        teams: 0,
      })
      expect(new Set(recipients.map((r) => r.memberId)).size).toBe(recipients.length)
    }),
  )
})

test('with all every channel of every member is used', () => {
  fc.assert(
    fc.property(roster, (members) => {
      const { blastRadius } = reach(members, 'all', channels)
      expect(blastRadius.slack).toBe(members.filter((m) => m.slack !== null).length)
      expect(blastRadius.email).toBe(members.filter((m) => m.email !== null).length)
    }),
  )
})

test('the counts are the recipients, and nobody is lost between recipients and unreachable', () => {
  fc.assert(
    fc.property(roster, choice, available, (members, how, usable) => {
      const { blastRadius, recipients } = reach(members, how, usable)
      for (const channel of channels) {
        expect(blastRadius[channel]).toBe(recipients.filter((r) => r.channel === channel).length)
      }
      expect(new Set(recipients.map((r) => r.memberId)).size + blastRadius.unreachable).toBe(members.length)
    }),
  )
})

test('nobody is reached through a channel that cannot be used, and only at an own address', () => {
  fc.assert(
    fc.property(roster, choice, available, (members, how, usable) => {
      for (const { memberId, channel, address } of reach(members, how, usable).recipients) {
        expect(usable).toContain(channel)
        expect(members.find((m) => m.memberId === memberId)![channel as Channel]).toBe(address)
      }
    }),
  )
})

test('the same roster in another order freezes the same list', () => {
  fc.assert(
    fc.property(roster, choice, (members, how) => {
      expect(reach(members.toReversed(), how, channels)).toEqual(reach(members, how, channels))
    }),
  )
})

test('a room is posted to once for any roster, and counts as no member', () => {
  fc.assert(
    fc.property(roster, choice, available, (members, how, usable) => {
      const [without, posted] = [reach(members, how, usable), reach(members, how, usable, 'room')]
      expect(posted.blastRadius).toEqual({ ...without.blastRadius, teams: 1 })
      expect(posted.recipients).toEqual([
        ...without.recipients,
        { memberId: 'teams', channel: 'teams', address: 'room' },
      ])
    }),
  )
})
