import { expect } from '@jest/globals'
import { broadcast } from '../../src/actions/broadcast/kind.ts'
import { aboutAction } from '../../src/consent/about.ts'
import type { ActionRow } from '../../src/db/queries/actions/actions.ts'
import { testRows } from '../support/rows.ts'

const about = (message: string, isTheirs: boolean) => {
  const row = { id: 7, kind: 'broadcast', payload: { message }, requested_by: 'x', created_at: new Date(0) }
  const { facts } = aboutAction(broadcast, row as unknown as ActionRow, isTheirs)
  return facts.find(({ label }) => label === 'Message')?.value
}

testRows<[string, string]>([
  ['Doors open\n\nat  eight', '“Doors open at eight”'],
  ['🎉'.repeat(160), `“${'🎉'.repeat(160)}”`],
  ['🎉'.repeat(161), `“${'🎉'.repeat(159)}…”`],
  ['a\u202eb\u200bc', '“a⟨U+202E⟩b⟨U+200B⟩c”'],
])(
  'the person who has decided reads how the message begins, in one line, and nobody else does: %j',
  (message, shown) => {
    expect(about(message, true)).toBe(shown)
    expect(about(message, false)).toBeUndefined()
  },
)
