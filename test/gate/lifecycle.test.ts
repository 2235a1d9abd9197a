import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { type EntryKind, type Replayed, entryKinds, replay, statuses } from '../../src/gate/lifecycle.ts'
import { testRows } from '../support/rows.ts'

const entry: fc.Arbitrary<EntryKind> = fc.constantFrom(...entryKinds)
const live = (...entries: EntryKind[]) =>
  entries.reduce<Replayed | null | undefined>(
    (state, kind) => (state === null ? null : replay(state ?? null, kind)),
    undefined,
  )

test('a row has the four states of the interface and no other', () => {
  expect(statuses).toEqual(['proposed', 'denied', 'cancelled', 'executed'])
})

testRows([
  ['a proposal that was executed', ['proposed', 'confirmed', 'delivered', 'executed'], 'executed'],
  ['a denial', ['denied'], 'denied'],
  ['a proposal denied at its confirm', ['proposed', 'denied'], 'denied'],
  ['a confirm denied because it came to be executed too late', ['proposed', 'confirmed', 'denied'], 'denied'],
  ['a cancelled proposal', ['proposed', 'cancelled'], 'cancelled'],
  ['an expired proposal', ['proposed', 'expired'], 'cancelled'],
  [
    'a confirm that the provider refused with nothing done',
    ['proposed', 'confirmed', 'cancelled'],
    'cancelled',
  ],
  ['a capability check', ['checked'], 'executed'],
  [
    'a mandate that is ended before its action is',
    ['proposed', 'confirmed', 'mandate_frozen', 'mandate_ended', 'executed'],
    'executed',
  ],
  ['the start of a preview, and how that ended', ['preview_started', 'preview_ended'], 'executed'],
  ['the stop of a preview', ['preview_stopped'], 'executed'],
  [
    'refused decisions, which change nothing',
    ['proposed', 'decision_refused', 'decision_refused'],
    'proposed',
  ],
] as [string, EntryKind[], string][])(
  'the entries of a life replay to its status',
  (_what, entries, status) => {
    expect(live(...entries)?.status).toBe(status)
  },
)

testRows([
  ['an execution without a confirm', ['proposed', 'executed']],
  ['a delivery without a confirm', ['proposed', 'delivered']],
  ['a second confirm', ['proposed', 'confirmed', 'confirmed']],
  ['an expiry after the confirm', ['proposed', 'confirmed', 'expired']],
  ['a confirm of a denied row', ['denied', 'confirmed']],
  ['a row born twice', ['proposed', 'proposed']],
  ['a confirm of nothing', ['confirmed']],
  ['the end of a preview that nobody started', ['preview_ended']],
  [
    'the end of a preview on a row that was confirmed',
    ['proposed', 'confirmed', 'executed', 'preview_ended'],
  ],
  ['the start of a preview on a row that is there', ['proposed', 'preview_started']],
] as [string, EntryKind[]][])(
  'entries in an order that no life has cannot stand in the ledger',
  (_what, entries) => {
    expect(live(...entries)).toBeNull()
  },
)

test('no sequence of entries executes a proposal that was not confirmed', () => {
  fc.assert(
    fc.property(fc.array(entry, { maxLength: 8 }), (entries) => {
      const state = live('proposed', ...entries)
      if (state?.status === 'executed') expect(entries).toContain('confirmed')
    }),
  )
})

test('a row that has ended stays as it ended, whatever comes', () => {
  fc.assert(
    fc.property(fc.array(entry, { maxLength: 6 }), entry, (entries, next) => {
      const before = live('proposed', ...entries)
      if (!before || before.status === 'proposed') return
      const after = replay(before, next)
      if (after !== null) expect(after.status).toBe(before.status)
    }),
  )
})
