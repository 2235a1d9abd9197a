import { createHash } from 'node:crypto'
import { type Case, type Spoiled, account, after, entry, marker } from './case.ts'
import type { Entry } from './record.ts'

const by = (actor: string, one: Entry): Entry => ({ ...one, actor })
const until = '2026-01-02T00:00:00.000Z'

function delegation(id: string, from: string, to: string): Entry {
  const digest = createHash('sha256').update(`${id} Away.`).digest('hex')
  const data = { delegation: id, from, to, kinds: null, until, reason_digest: digest }
  return by(from, entry('delegation_started', data))
}

const approval = (member: string, data: object): Entry =>
  by(member, entry('approved', { by: 'approver', digest: 'd1', channel: 'email', ...data }, 1))

/** Two others had to approve the refund of a case: one did, and the deputy of another one. */
export function makeApproved({ entries, stored, journal }: Case): void {
  const approvals = { needed: 2, from: { members: ['mem_2', 'mem_3'] } }
  const band = { tier: 'guarded_write', consent: 'agent_attested', approvals }
  stored.policies.set(`${account} 2`, { kinds: { refund: { bands: { usd: [band] } } } })
  Object.assign(entries[2]!.data, { kind: 'refund', digest: 'd1', approvals: { needed: 2 } })
  const approvedBy = [{ member: 'mem_2' }, { member: 'mem_4', for: 'mem_3' }]
  Object.assign(entries[3]!.data, { approvals: 2, approved_by: approvedBy })
  entries.splice(
    3,
    0,
    delegation('dlg_1', 'mem_3', 'mem_4'),
    delegation('dlg_2', 'mem_2', 'mem_5'),
    by('mem_2', entry('delegation_ended', { delegation: 'dlg_2' })),
    approval('mem_1', { by: 'member', channel: 'api' }),
    approval('mem_2', {}),
    approval('mem_4', { for: 'mem_3' }),
  )
  for (const voter of ['mem_2', 'mem_4']) {
    const reply = { outcome: 'ok', status: 200, body: { title: 'Approved' } } as const
    journal.decisions.push({ account, marker, verb: 'confirm', via: 'email', by: voter, shown: 'd1', reply })
  }
  const made = { account, reason: 'Away.', outcome: 'ok' } as const
  journal.delegations.push({ ...made, from: 'mem_3', to: 'mem_4' }, { ...made, from: 'mem_2', to: 'mem_5' })
  journal.delegationEnds.push({ account, id: 'dlg_2', outcome: 'ok' })
}

/** One of the two had approved it, and somebody whom the rule names executed it in place of the other one. */
export function makeBroken(it: Case): void {
  makeApproved(it)
  const { kinds } = it.stored.policies.get(`${account} 2`) as any
  kinds.refund.bands.usd[0].approvals.break_glass = { members: ['mem_6'] }
  const broken = entry('glass_broken', { digest: 'd1', strength: 'passkey' }, 1)
  it.entries.splice(at.second, 1, by('mem_6', broken))
  const approvedBy = [{ member: 'mem_2' }]
  Object.assign(it.entries[at.confirmed]!.data, { approved_by: approvedBy, glass_broken_by: 'mem_6' })
  it.journal.decisions.splice(2, 1)
  it.journal.glassBreaks.push({ account, id: 1, by: 'mem_6', shown: 'd1', outcome: 'ok' })
}

/** Where the entries of that case are. */
const at = { proposed: 2, delegated: 3, ended: 5, own: 6, first: 7, second: 8, confirmed: 9 }
const gone = (member: string, change = 'deactivated') => entry('member_changed', { member, change })
const fewer = 'nothing is confirmed with fewer people than its rule asks for'
const named = 'who approves is named by the rule, or the deputy of one who is'

const approvals: Spoiled[] = [
  [
    'every approval was given by whom it names, who saw what it is of',
    (it) => (it.journal.decisions[1]!.shown = 'd2'),
  ],
  ['an acknowledged approval stands', (it) => it.entries.splice(at.first, 1)],
  [
    'an acknowledged approval stands',
    (it) => {
      it.entries.splice(at.own, 1)
      it.journal.decisions[0]!.reply.body = { id: 1, status: 'proposed', awaiting_approvals: {} }
    },
  ],
  [
    'what others must approve is proposed with the rule of its policy',
    (it) => (it.entries[at.proposed]!.data['approvals'] = { needed: 1 }),
  ],
  ['what is approved waits for it', (it) => it.entries.push(...it.entries.splice(at.second, 1))],
  ['an approval is of the action as it is', (it) => (it.entries[at.first]!.data['digest'] = 'd2')],
  ['the member who acts approves nothing for others', (it) => (it.entries[at.own]!.data['by'] = 'approver')],
  [
    'others approve what its member consented to',
    (it) => it.entries.splice(at.first, 0, ...it.entries.splice(at.own, 1)),
  ],
  ['a person approves once', (it) => it.entries.splice(at.second, 0, it.entries[at.first]!)],
  [named, (it) => (it.entries[at.first]!.actor = 'mem_5')],
  [named, (it) => delete it.entries[at.second]!.data['for']],
  [named, (it) => (it.entries[at.delegated]!.data['until'] = '2025-12-31T00:00:00.000Z')],
  [named, (it) => (it.entries[at.delegated]!.data['kinds'] = ['payout'])],
  ['what others approved has the consent of its member', (it) => it.entries.splice(at.own, 1)],
  [fewer, (it) => it.entries.splice(at.second, 1)],
  [
    fewer,
    (it) => {
      it.entries[at.delegated]!.data['from'] = 'mem_2'
      it.entries[at.second]!.data['for'] = 'mem_2'
    },
  ],
  [fewer, (it) => it.entries.splice(at.confirmed, 0, entry('delegation_ended', { delegation: 'dlg_1' }))],
  [fewer, (it) => it.entries.splice(at.confirmed, 0, gone('mem_2'))],
  [fewer, (it) => it.entries.splice(at.confirmed, 0, gone('mem_4'))],
  // They come back, and what they approved does not.
  [fewer, (it) => it.entries.splice(at.confirmed, 0, gone('mem_3'), gone('mem_3', 'activated'))],
  [named, (it) => it.entries.splice(at.first, 0, gone('mem_2'))],
  [
    'a confirm names those whose approvals count',
    (it) => it.entries[at.confirmed]!.data['approved_by'].reverse(),
  ],
  [
    'who declines for others is an approver',
    (it) =>
      (it.entries[at.confirmed] = by('mem_5', entry('cancelled', { closed_reason: 'approver_declined' }, 1))),
  ],
  ['every deputy was named by the one they approve for', (it) => it.journal.delegations.pop()],
  [
    'every deputy was named by the one they approve for',
    (it) => (it.journal.delegations[0]!.outcome = 'refused'),
  ],
  [
    'a deputy is named once, and one who was acknowledged is stored',
    (it) => it.entries.splice(at.delegated, 1),
  ],
  [
    'a delegation ends once, and an end that was acknowledged is stored',
    (it) => it.entries.splice(at.ended, 1),
  ],
  [
    'a delegation ends once, and an end that was acknowledged is stored',
    (it) => it.entries.push(it.entries[at.ended]!),
  ],
  ['every end of a delegation was asked for', (it) => it.journal.delegationEnds.pop()],
]

const brokenGlass = 'who breaks the glass is named by the rule, and its member has consented'
const broken: Spoiled[] = [
  [brokenGlass, (it) => (it.entries[at.second]!.actor = 'mem_5')],
  [brokenGlass, (it) => (it.entries[at.second]!.data['digest'] = 'd2')],
  [brokenGlass, (it) => (it.entries[at.second]!.data['strength'] = 'page')],
  [brokenGlass, (it) => it.entries.splice(at.second, 0, gone('mem_6'))],
  [brokenGlass, (it) => it.entries.splice(at.second, 0, gone('mem_1'))],
  [fewer, (it) => it.entries.splice(at.second, 1)],
  ['a glass is broken once, by whom the confirm names', (it) => it.entries.splice(at.second, 1)],
  [
    'a glass is broken once, by whom the confirm names',
    (it) => delete it.entries[at.confirmed]!.data['glass_broken_by'],
  ],
  [
    'every glass was broken by whom it names, who saw what they executed',
    (it) => (it.journal.glassBreaks[0]!.shown = 'd2'),
  ],
  [
    'every glass was broken by whom it names, who saw what they executed',
    (it) => it.journal.glassBreaks.pop(),
  ],
  ['a glass that was acknowledged as broken is stored', (it) => it.entries.splice(at.second, 1)],
  [
    'the glass is broken of what waits for approvals',
    (it) => it.entries.push(...it.entries.splice(at.second, 1)),
  ],
]

/** Each breaks one rule about who else must agree, in an otherwise correct record. */
export const spoiledApprovals: Spoiled[] = [...after(makeApproved, approvals), ...after(makeBroken, broken)]
