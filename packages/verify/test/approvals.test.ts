import { testRows } from '../../../test/support/rows.ts'
import { expect } from '@jest/globals'
import { approvalEntries } from '../../../src/ledger/consents/approvals.ts'
import { verifyFile } from '../lib/verify.mjs'
import { type Account, append, exportLines, exportText, newGate, policyOf, sealer } from './log.ts'
import { type Made, card, digest, holder, member } from './passkey.ts'

async function* bytesOf(text: string) {
  yield Buffer.from(text)
}

const gate = newGate('gate.example.com', 0)
const policy = policyOf(gate)
const { seal } = sealer(gate)
const other = 'a'.repeat(64)

const proposed = (approvals?: object): Made => [
  'proposed',
  1,
  { digest, ...(approvals ? { approvals } : {}) },
]
const own = (of = digest): Made => ['approved', 1, { by: 'member', digest: of, strength: 'page' }, member]
const by = (actor: string, of = digest): Made => [
  'approved',
  1,
  { by: 'approver', digest: of, strength: 'page' },
  actor,
]
const confirmed = (data: object = { approvals: 2 }): Made => [
  'confirmed',
  1,
  { strength: 'page', ...data },
  'mem_Cy',
]
/** The entry of a deactivation, which ends what the member approved. */
const left = (who: string): Made => [
  'member_changed',
  null,
  { member: who, ended: { approvals: [1] } },
  'admin',
]
const two = { needed: 2 }
const until = '2199-01-01T00:00:00.000Z'
const started = (more: object = {}): Made => [
  'delegation_started',
  null,
  { delegation: 'dlg_1', from: 'mem_Cy', to: 'mem_Dan', kinds: null, until, ...more },
]
const byDan: Made = ['approved', 1, { by: 'approver', digest, strength: 'page', for: 'mem_Cy' }, 'mem_Dan']
const bea = { member: 'mem_Bea' }
const dan = { member: 'mem_Dan', for: 'mem_Cy' }
const counting = (...counted: object[]) => confirmed({ approvals: counted.length, approved_by: counted })
const withDan = (...counted: object[]): Made[] => [
  started(),
  proposed(two),
  own(),
  by('mem_Bea'),
  byDan,
  counting(...counted),
]

const { known, evidence } = holder()
const added: Made = ['passkey_added', null, { member: 'mem_Eve', ...known }]
const emergency = { needed: 2, break_glass: { members: ['mem_Eve'], review_within_hours: 1 } }
const broken = (more: object = {}, who = 'mem_Eve'): Made => [
  'glass_broken',
  1,
  { digest, strength: 'passkey', card, passkey: evidence(), ...more },
  who,
]
const alone = (more: object = {}) =>
  confirmed({ approvals: 0, approved_by: [], glass_broken_by: 'mem_Eve', ...more })

testRows<[string, Made[], boolean]>([
  ['two others', [proposed(two), own(), by('mem_Bea'), by('mem_Cy'), confirmed()], true],
  ['nobody else needed', [proposed(), confirmed({})], true],
  ['one person twice', [proposed(two), own(), by('mem_Bea'), by('mem_Bea'), confirmed()], false],
  ['the member as approver', [proposed(two), own(), by('mem_Bea'), by(member), confirmed()], false],
  ['an approver as member', [proposed(two), ['approved', 1, own()[2]!, 'mem_Bea'], confirmed()], false],
  ['no consent of the member', [proposed(two), by('mem_Bea'), by('mem_Cy'), confirmed()], false],
  [
    'approvals of another digest',
    [proposed(two), own(), by('mem_Bea'), by('mem_Cy', other), confirmed()],
    false,
  ],
  ['a confirm that says nothing of them', [proposed(two), own(), confirmed({})], false],
  [
    'a confirm of another strength',
    [proposed(two), own(), by('b'), by('c'), confirmed({ strength: 'chat' })],
    false,
  ],
  ['approvals that nobody asked for', [proposed(), confirmed({ approvals: 2 })], false],
  ['an approval that nobody asked for', [proposed(), by('mem_Bea')], false],
  [
    'an approval of somebody who was deactivated',
    [proposed(two), own(), by('mem_Bea'), left('mem_Bea'), by('mem_Cy'), confirmed()],
    false,
  ],
  [
    'a consent of a member who was deactivated',
    [proposed(two), own(), left(member), by('mem_Bea'), by('mem_Cy'), confirmed()],
    false,
  ],
  [
    'an approval that was given again',
    [proposed(two), own(), by('mem_Bea'), left('mem_Bea'), by('mem_Bea'), by('mem_Cy'), confirmed()],
    true,
  ],
  ['a deputy', withDan(bea, dan), true],
  ['a deputy who is not counted', withDan(bea), false],
  ['a deputy who is counted for himself', withDan(bea, { member: 'mem_Dan' }), true],
  ['a deputy who is counted for somebody else', withDan(bea, { ...dan, for: 'mem_Eve' }), false],
  ['an approver who gave none', withDan(bea, { member: 'mem_Eve' }), false],
  ['one person twice among those who count', withDan(bea, bea), false],
  [
    'a deputy beside the one they approve for',
    [started(), proposed(two), own(), byDan, by('mem_Cy'), counting(dan, { member: 'mem_Cy' })],
    false,
  ],
  [
    'a deputy beside the one they approve for, and no word of who counts',
    [started(), proposed(two), own(), byDan, by('mem_Cy'), confirmed()],
    false,
  ],
  ['a deputy of nobody', withDan(bea, dan).slice(1), false],
  ['a deputy for another kind', [started({ kinds: ['payout'] }), ...withDan(bea, dan).slice(1)], false],
  [
    'a deputy whose time is over',
    [started({ until: '2020-01-01T00:00:00.000Z' }), ...withDan(bea, dan).slice(1)],
    false,
  ],
  [
    'a deputy whose delegation ended',
    [started(), ['delegation_ended', null, { delegation: 'dlg_1' }], ...withDan(bea, dan).slice(1)],
    false,
  ],
  [
    'a deputy whose delegation ended after they approved',
    [
      ...withDan(bea, dan).slice(0, -1),
      ['delegation_ended', null, { delegation: 'dlg_1' }],
      counting(bea, dan),
    ],
    false,
  ],
  [
    'the deputy of its member',
    [
      started({ from: member }),
      proposed({ needed: 1 }),
      own(),
      ['approved', 1, { ...byDan[2], for: member }, 'mem_Dan'],
      counting({ ...dan, for: member }),
    ],
    false,
  ],
  ['a break-glass', [added, proposed(emergency), own(), broken(), alone()], true],
  [
    'a break-glass and who approved',
    [added, proposed(emergency), own(), by('mem_Bea'), broken(), alone({ approvals: 1, approved_by: [bea] })],
    true,
  ],
  ['a break-glass that its rule has not', [added, proposed(two), own(), broken(), alone()], false],
  [
    'a break-glass of somebody who is not named',
    [
      ['passkey_added', null, { member: 'mem_Zoe', ...known }],
      proposed(emergency),
      own(),
      broken({}, 'mem_Zoe'),
      alone({ glass_broken_by: 'mem_Zoe' }),
    ],
    false,
  ],
  ['a break-glass before the consent', [added, proposed(emergency), broken(), own(), alone()], false],
  [
    'a break-glass without a passkey',
    [added, proposed(emergency), own(), broken({ strength: 'page', passkey: undefined }), alone()],
    false,
  ],
  [
    'a break-glass of another version',
    [
      added,
      proposed(emergency),
      own(),
      broken({ digest: other, passkey: evidence({ about: other }) }),
      alone(),
    ],
    false,
  ],
  ['a break-glass that no entry tells', [added, proposed(emergency), own(), alone()], false],
  [
    'a break-glass of another person',
    [added, proposed(emergency), own(), broken(), alone({ glass_broken_by: 'mem_Bea' })],
    false,
  ],
  [
    'a break-glass that it does not say',
    [added, proposed(emergency), own(), broken(), alone({ glass_broken_by: undefined })],
    false,
  ],
  ['a rule without a number', [proposed({ needed: 'none' }), own(), confirmed()], false],
])('a confirm with %s is told alike by the program and by the service', async (_, entries, isGood) => {
  const account: Account = { account: 'acct_0123456789ABCDEF', entries: [] }
  append(account, 'account_created', null)
  for (const entry of entries) append(account, ...entry)
  const text = exportText(exportLines(account, [seal(account)]))
  expect((await verifyFile(bytesOf(text), { policy })).ok).toBe(isGood)
  const checks = approvalEntries()
  const problems = entries.map(([kind, id, data, actor = member]) =>
    checks.problemOf(
      { kind, action_id: id, at: '2026-11-22T10:00:00.000Z' },
      { kind, actor, data: data as Record<string, unknown> },
    ),
  )
  expect(problems.every((problem) => problem === null)).toBe(isGood)
})
