import { type Spoiled, account, after, entry, marker, uuid } from './case.ts'
import { makeCallOfTool, makeClaim, makePassedCall, makeReceipt, makeWebhook } from './case-of-kinds.ts'

const webhooks: Spoiled[] = [
  ['a call of an executor is signed', (it) => (it.done.called[0]!.isSigned = false)],
  ['an executor is called only with a consent', (it) => it.entries.splice(3, 1)],
  ['an executor is called under the id of the action', (it) => (it.done.called[0]!.id = `${uuid}.again`)],
  [
    'an executor receives what was consented to',
    (it) => (it.done.called[0]!.data = { ...it.done.called[0]!.data, payload: { version: 'mark-2-end' } }),
  ],
  [
    'a repeated call is the same call',
    (it) => it.done.called.push({ ...it.done.called[0]!, body: '{"other":true}' }),
  ],
  [
    'no executor does anything twice',
    (it) => it.done.deployed.push({ id: `${uuid}.again`, version: marker }),
  ],
  ['what an executor is told to have done was done exactly once', (it) => it.done.deployed.pop()],
  ['what an executor perhaps did is told as unknown', (it) => (it.row.result = { outcome: 'partial' })],
  ['no executor did what was not executed', (it) => (it.row.status = 'cancelled')],
  [
    'what an executor answered is what callers read',
    (it) => (it.journal.seen[0]!.body.result = { outcome: 'done', result: { deployed: 'mark-2-end' } }),
  ],
]

const claims: Spoiled[] = [
  [
    'an action is given to one executor',
    (it) => it.journal.claims.push({ ...it.journal.claims[0]!, reports: [] }),
  ],
  ['a claim is given only after a consent', (it) => it.entries.splice(3, 0, ...it.entries.splice(4, 1))],
  ['an action is claimed once', (it) => it.entries.push(entry('action_claimed', {}, 1))],
  ['an acknowledged claim is stored', (it) => it.stored.claims.pop()],
  [
    'what a claim gives is what was consented to',
    (it) => (it.journal.claims[0]!.reply.body.payload = { contract: 'mark-2-end' }),
  ],
  ['an acknowledged report is stored', (it) => (it.stored.claims[0]!.result = { signed: 2 })],
  [
    'what a report is answered is the end',
    (it) => (it.journal.claims[0]!.reports[0]!.reply.body = { status: 'cancelled' }),
  ],
  ['every lease ends', (it) => Object.assign(it.stored.claims[0]!, { state: 'held', outcome: null })],
  [
    'every report was made by the executor that claimed',
    (it) => (it.journal.claims[0]!.reply = { outcome: 'refused', status: 409 }),
  ],
  ['nothing is claimed without a consent', (it) => Object.assign(it.row, { decision: 'cancel' })],
  [
    'a claimed action ends as it was reported',
    (it) => Object.assign(it.stored.claims[0]!, { state: 'lapsed', outcome: null }),
  ],
]

const callsOfTools: Spoiled[] = [
  ['no tool is called twice', (it) => it.done.notes.push(it.done.notes[0]!)],
  [
    'a tool is called only for a row',
    (it) => it.done.notes.push({ tool: 'list_notes', text: 'mark-500001-end' }),
  ],
  ['the tool that is called is the one that was asked for', (it) => (it.done.notes[0]!.tool = 'share_note')],
  ['a denied tool is never called', (it) => (it.done.notes[0]!.tool = 'wipe_notes')],
  ['a tool that needs a consent is called only with one', (it) => (it.row.decision = null)],
  ['what a tool is told to have done was done exactly once', (it) => it.done.notes.pop()],
  ['what a tool perhaps did is told as unknown', (it) => (it.row.result = { outcome: 'partial' })],
  ['no tool did what was not executed', (it) => (it.row.status = 'cancelled')],
  [
    'what a tool answered is what callers read',
    (it) => (it.journal.seen[0]!.body.result = { outcome: 'done', tool_result: { content: [] } }),
  ],
  [
    'a consent is as strong as the policy demands',
    (it) => {
      it.row.payload = { ...it.row.payload, tool: 'share_note' }
    },
  ],
]

const passedCalls: Spoiled[] = [
  [
    'a call that was refused was not made',
    (it) => (it.journal.passed[0]!.reply = { outcome: 'refused', status: 200 }),
  ],
  ['a denied call is recorded as denied', (it) => (it.journal.passed[0]!.reply.body = { status: 'denied' })],
  ['a call that was passed on is recorded', (it) => it.stored.rows.pop()],
  ['what a tool answered is passed on', (it) => (it.journal.passed[0]!.reply.body = { noted: 'mark-2-end' })],
]

const receipts: Spoiled[] = [
  [
    'who executes is given a receipt',
    (it) => (it.stored.receipts = [{ account, id: 1, where: 'claim', jws: undefined }]),
  ],
  ['a receipt verifies', (it) => (it.stored.receipts[0]!.problem = 'wrong_signature')],
  [
    'a receipt is of the action beside it',
    (it) => (it.stored.receipts[0]!.claims!.uuid = uuid.replace('1', '2')),
  ],
  [
    'a receipt is of the payload that is stored',
    (it) => (it.stored.receipts[0]!.claims!.payload_sha256 = 'ab'.repeat(32)),
  ],
  ['a receipt says what the consent was', (it) => (it.stored.receipts[0]!.claims!.consent.strength = 'page')],
  ['an action that was consented to has a receipt', (it) => delete it.journal.seen[0]!.body.receipt],
]

/** Each breaks one rule about the kinds that an account declares itself, in an otherwise correct record. */
export const spoiledKinds: Spoiled[] = [
  ...after(makeWebhook, webhooks),
  ...after(makeClaim, claims),
  ...after(makeCallOfTool, callsOfTools),
  ...after(makePassedCall, passedCalls),
  ...after(makeReceipt, receipts),
]
