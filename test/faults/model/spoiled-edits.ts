import { type Case, type Spoiled, account, after, entry, makeBroadcast, marker, payload } from './case.ts'

/** The refund of a case becomes one whose member lowered it on the page of a link. */
export function makeEdited({ row, entries, journal, done }: Case): void {
  row.former = { payload: { ...payload, amount_cents: 900 }, digest: 'd0' }
  Object.assign(row, { digest: 'ab'.repeat(32), consent_channel: 'email', consent_strength: 'page' })
  journal.intents[0]!.attempts[1]!.body = {
    ...journal.intents[0]!.attempts[1]!.body,
    payload: row.former.payload,
    digest: 'd0',
  }
  Object.assign(journal.decisions[0]!, {
    via: 'email',
    shown: 'ab'.repeat(8),
    edit: { 'change.amount_cents': '7.00' },
    reply: { outcome: 'ok', status: 200, body: { title: 'Approved' } },
  })
  entries.splice(3, 0, entry('edited', { former_digest: 'd0', digest: row.digest }, 1))
  Object.assign(entries[4]!.data, { strength: 'page', channel: 'email' })
  done.refunds[0]!.amount = 700
}

/** Beside it stands one that its member declined with a reason, and that it answers. */
export function makeAnswer({ row, stored, journal }: Case): void {
  row.replaces = 2
  journal.intents[0]!.replaces = 2
  const reason = 'Half of it.'
  const declined = {
    ...row,
    id: 2,
    rationale: 'mark-2-end',
    status: 'cancelled',
    decision: 'cancel',
    result: null,
  }
  stored.rows.push({
    ...declined,
    uuid: row.uuid.replace('1', '2'),
    replaces: null,
    closed_reason: 'member_declined',
    decline_reason: reason,
    consent_channel: 'email',
  })
  const attempts = [
    { outcome: 'ok', status: 201, body: { id: 2, status: 'proposed', kind: row.kind, payload } },
  ] as const
  journal.intents.push({
    ...journal.intents[0]!,
    n: 2,
    marker: 'mark-2-end',
    replaces: undefined,
    attempts: [...attempts],
  })
  const reply = { outcome: 'ok', status: 200, body: { title: 'Nothing was executed' } } as const
  journal.decisions.push({ account, marker: 'mark-2-end', verb: 'cancel', via: 'email', reason, reply })
}

const edits: Spoiled[] = [
  [
    'nothing executes whose bytes nobody was shown',
    (it) => (it.journal.decisions[0]!.shown = 'cd'.repeat(8)),
  ],
  ['version 2 is noted, and nothing else is', (it) => it.entries.splice(3, 1)],
  ['version 2 is noted, and nothing else is', (it) => (it.row.former = null)],
  ['the ledger names both versions', (it) => (it.row.former!.digest = 'd9')],
  ['a change stands directly before its consent', (it) => it.entries.splice(4, 0, entry('reminded', {}, 1))],
  ['what was approved with changes is version 2', (it) => (it.row.former = null)],
  ['as much money moves as was consented to', (it) => (it.done.refunds[0]!.amount = 900)],
  ['what is stored is what was answered', (it) => (it.row.former!.payload = payload)],
]

const answers: Spoiled[] = [
  ['the reason of a decline is kept', (it) => (it.stored.rows[1]!.decline_reason = null)],
  ['a proposal answers what its member declined', (it) => (it.stored.rows[1]!.closed_reason = null)],
  ['a proposal names what it answers', (it) => (it.row.replaces = null)],
]

/** Each breaks one rule about what members change and ask back, in an otherwise correct record. */
export const spoiledEdits: Spoiled[] = [
  ...after(makeEdited, edits),
  ...after(makeAnswer, answers),
  ['nothing executes whose bytes nobody was shown', (it) => (it.row.digest = 'd2')],
  [
    'the message that arrives is the one that was consented to',
    (it) => {
      makeBroadcast(it, true)
      it.row.payload = { message: `${marker} to everybody. Changed 7.` }
    },
  ],
]
