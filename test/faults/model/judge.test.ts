import { expect, test } from '@jest/globals'
import type { System } from '../system/system.ts'
import {
  type Case,
  account,
  chain,
  entry,
  makeBroadcast,
  marker,
  payload,
  result,
  uuid,
  whole,
} from './case.ts'
import { judgeAll } from './judge.ts'
import { court } from './record.ts'
import { makeCallOfTool, makeClaim, makePassedCall, makeReceipt, makeWebhook } from './case-of-kinds.ts'
import { makeApproved, makeBroken, spoiledApprovals } from './spoiled-approvals.ts'
import { makeAnswer, makeEdited, spoiledEdits } from './spoiled-edits.ts'
import { spoiledKinds } from './spoiled-kinds.ts'
import { makeByMandate, spoiledMandates } from './spoiled-mandates.ts'
import { testRows } from '../../support/rows.ts'

/** What was demanded in any case. */
const demanded = new Set<string>()

function rulesBroken(spoil: (it: Case) => void): string[] {
  const it = whole()
  spoil(it)
  chain(it.entries)
  const system = {
    service: { provider: { slackMessages: it.done.slack, emails: [] } },
    stripe: { ofType: (type: string) => (type === 'refund' ? it.done.refunds : []) },
    executor: { received: it.done.called, effects: it.done.deployed },
    notes: { calls: it.done.notes },
  } as unknown as System
  const { demand, violations } = court()
  judgeAll(system, it.journal, it.stored, (isSo, rule, what) => {
    demanded.add(rule)
    demand(isSo, rule, what)
  })
  return violations.map(({ rule }) => rule)
}

test('a run in which all happened as it should breaks no rule', () => {
  expect(rulesBroken(() => {})).toEqual([])
})

testRows([
  ['a call of an executor', makeWebhook],
  ['an action that was claimed', makeClaim],
  ['a call of a tool with a consent', makeCallOfTool],
  ['a call of a tool that asks nobody', makePassedCall],
  ['a receipt', makeReceipt],
  ['an approval with changes', makeEdited],
  ['an answer to a decline', makeAnswer],
  ['a consent by mandate', makeByMandate],
  ['what others approved', makeApproved],
  ['what somebody executed in their place', makeBroken],
] as const)('what happened of each kind as it should breaks no rule', (_what, make) => {
  expect(rulesBroken(make)).toEqual([])
})

const needsConsent = {
  account,
  keyId: 'key_1',
  callId: 'toolu_1',
  needsConsent: true,
  outcome: 'ok',
  decision: 'allow',
  action: 1,
} as const

const spoiled: [string, (it: Case) => void][] = [
  ['an acknowledged proposal is stored', (it) => it.stored.rows.pop()],
  ['a proposal under one key is one row', (it) => it.stored.rows.push({ ...it.row, id: 2 })],
  [
    'a refused proposal leaves no row',
    (it) => (it.journal.intents[0]!.attempts = [{ outcome: 'refused', status: 403 }]),
  ],
  ['what is stored is what was answered', (it) => (it.row.payload = { ...payload, amount_cents: 701 })],
  ['every row was asked for', (it) => (it.row.rationale = 'mark-2-end')],
  [
    'every decision was made by somebody, over the channel that it names',
    (it) => (it.row.consent_channel = 'email'),
  ],
  ['an answer with an end is the end', (it) => (it.row.result = { outcome: 'unknown' })],
  [
    'an answer without an end says so',
    (it) => (it.journal.decisions[0]!.reply.body = { id: 1, status: 'proposed' }),
  ],
  ['an acknowledged cancel stands', (it) => (it.journal.decisions[0]!.verb = 'cancel')],
  ['a row that has ended does not change', (it) => (it.journal.seen[0]!.body = { status: 'cancelled' })],
  [
    'an acknowledged change by an administrator is stored',
    (it) => (it.journal.changes[0]!.eventId = 'another event'),
  ],
  ['a check that was answered is one row', (it) => it.stored.checks.set(account, 2)],
  ['a check that was answered is one row', (it) => it.stored.checks.clear()],
  ['every claim ends', (it) => (it.row.status = 'proposed')],
  ['no money moves twice', (it) => it.done.refunds.push(it.done.refunds[0]!)],
  ['what is done was done exactly once', (it) => it.done.refunds.pop()],
  ['what was perhaps done is told as unknown', (it) => (it.row.result = { outcome: 'partial' })],
  ['no money moves for what was not executed', (it) => (it.row.status = 'cancelled')],
  [
    'no message arrives twice',
    (it) => {
      const metadata = { event_payload: { delivery_id: 'd' } }
      const message = { channel: 'DU1', text: `${marker} to everybody.`, metadata }
      it.done.slack.push(message, message)
    },
  ],
  ['the chain is whole', (it) => (it.entries[2]!.hash = 'ab'.repeat(32))],
  [
    'an action is confirmed once',
    (it) => it.entries.splice(3, 0, entry('confirmed', it.entries[3]!.data, 1)),
  ],
  ['nothing executes without a consent', (it) => it.entries.splice(3, 1)],
  [
    'nothing is confirmed while the account is stopped',
    (it) => it.entries.splice(3, 0, entry('account_suspended', { suspended: true })),
  ],
  [
    'a confirm rests on the tier of its moment',
    (it) => it.entries.splice(3, 0, entry('tier_set', { member: 'mem_1', tier: 'guarded_write' })),
  ],
  ['a confirm rests on the policy of its moment', (it) => (it.entries[3]!.data['policy_version'] = 1)],
  [
    'a consent is as strong as the policy demands',
    (it) => it.stored.policies.set(`${account} 2`, { kinds: { refund: { tier: 'write', consent: 'page' } } }),
  ],
  [
    'nothing is confirmed by a tier that the policy does not allow',
    (it) => {
      it.entries[0]!.data['tier'] = 'guarded_write'
      it.entries[3]!.data['tier'] = 'guarded_write'
      it.stored.policies.set(`${account} 2`, { kinds: { refund: { tier: 'write', consent: 'chat' } } })
    },
  ],
  [
    'a revoked key changes nothing',
    (it) => {
      it.entries.splice(3, 0, entry('key_revoked', { key: 'key_1' }))
      it.entries[4]!.key = 'key_1'
    },
  ],
  [
    'money moves only for a row',
    (it) =>
      it.done.refunds.push({ id: 're_2', amount: 700, metadata: { action_id: uuid.replace('1', '2') } }),
  ],
  [
    'nothing arrives of what was not executed',
    (it) => {
      makeBroadcast(it, true)
      it.row.status = 'cancelled'
    },
  ],
  [
    'what is counted as delivered arrived, and the rest is told as unknown or failed',
    (it) => makeBroadcast(it, false),
  ],
  [
    'every recipient is counted once',
    (it) => {
      makeBroadcast(it, true)
      it.row.reach_slack = 2
    },
  ],
  [
    'a row that was denied stays denied',
    (it) => (it.journal.intents[0]!.attempts[1]!.body = { id: 1, status: 'denied', payload }),
  ],
  [
    'an answer is about the row that was decided',
    (it) => (it.journal.decisions[0]!.reply.body = { id: 2, status: 'executed', result }),
  ],
  [
    'an acknowledged confirm stands',
    (it) => {
      it.journal.decisions[0]!.reply.body = { id: 1, status: 'proposed', execution: {} }
      it.row.decision = 'cancel'
    },
  ],
  [
    'a decision that a page acknowledged stands',
    (it) => Object.assign(it.journal.decisions[0]!, { via: 'email', verb: 'cancel' }),
  ],
  [
    'a change by an administrator is made once',
    (it) => it.entries.push(entry('tier_set', { member: 'mem_1', tier: 'write' })),
  ],
  ['a refused change by an administrator was not made', (it) => (it.journal.changes[0]!.outcome = 'refused')],
  ['a row that was read is stored', (it) => (it.journal.seen[0]!.id = 9)],
  ['what was executed was confirmed', (it) => it.entries.splice(3, 1)],
  [
    'a call that needs consent runs only with one',
    (it) => {
      it.journal.tools.push(needsConsent)
      it.row.decision = 'cancel'
    },
  ],
  ['an allowed call is noted', (it) => it.journal.tools.push(needsConsent)],
  [
    'a consent allows one call',
    (it) => {
      it.entries.push(entry('grant_used', {}, 1))
      it.journal.tools.push(needsConsent, { ...needsConsent, callId: 'toolu_2' })
    },
  ],
  ...spoiledKinds,
  ...spoiledEdits,
  ...spoiledMandates,
  ...spoiledApprovals,
]

testRows(spoiled)('the model sees every rule that does not hold', (rule, spoil) => {
  expect(rulesBroken(spoil)).toContain(rule)
})

test('no rule of the model is one that nothing breaks', () => {
  const broken = new Set(spoiled.flatMap(([, spoil]) => rulesBroken(spoil)))
  expect([...demanded].filter((rule) => !broken.has(rule))).toEqual([])
  expect(demanded.size).toBeGreaterThan(95)
})

test('a broadcast that arrived as it is counted breaks no rule of effects', () => {
  const ofEffects = /arrive|counted once|executed/
  expect(rulesBroken((it) => makeBroadcast(it, true)).filter((rule) => ofEffects.test(rule))).toEqual([])
})
