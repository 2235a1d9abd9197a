import type { MandateMade } from '../workload/journal.ts'
import { type Case, type Spoiled, account, after, entry, uuid } from './case.ts'

/** Beside the refund of a case stands a mandate, and the mandate consented to it. */
export function makeByMandate(it: Case): void {
  const { row, stored, journal, entries } = it
  const mandateMarker = 'mark-700000-end'
  stored.rows.push({
    ...row,
    id: 2,
    uuid: uuid.replace('1', '2'),
    kind: 'mandate',
    consent_strength: 'page',
    consent_channel: 'console',
    payload: {
      agent: 'key_1',
      allows: [{ kind: 'refund', cents_each: { usd: 900 }, arguments: { [mandateMarker]: { any: 'id' } } }],
      uses: 2,
      uses_per_day: 2,
      cents: { usd: 900 },
      cents_per_day: { usd: 900 },
    },
    rationale: null,
    result: { outcome: 'done' },
  })
  const ok = { outcome: 'ok', status: 200 } as const
  const made: MandateMade = {
    account,
    actor: 'm0@a0.example',
    agent: 'key_1',
    kinds: ['refund'],
    marker: mandateMarker,
    proposed: ok,
    id: 2,
    signed: ok,
  }
  journal.mandates.push(made)
  journal.mandateChanges.push({ account, id: 2, verb: 'freeze', outcome: 'ok' })
  journal.mandateChanges.push({ account, id: 2, verb: 'resume', outcome: 'ok' })
  row.mandate_id = 2
  journal.decisions = []
  stored.debits.push({ account_id: account, mandate_id: 2, n: 1, action_id: 1, cents: 700, currency: 'usd' })
  const ceiling = { uses: 5, uses_per_day: 5, cents: { usd: 5_000 }, cents_per_day: { usd: 5_000 } }
  const policy = stored.policies.get(`${account} 2`)
  stored.policies.set(`${account} 2`, { ...policy, mandates: { refund: ceiling } })
  const signed = { strength: 'page', channel: 'console', tier: 'write', policy_version: 2 }
  const used = { n: 1, used_for: 1, cents: 700, currency: 'usd' }
  entries.splice(
    3,
    0,
    entry('confirmed', signed, 2),
    entry('executed', {}, 2),
    entry('mandate_frozen', {}, 2),
    entry('mandate_resumed', {}, 2),
    { ...entry('mandate_used', used, 2), key: 'key_1' },
  )
}

const at = { frozen: 5, resumed: 6, used: 7 }
const signature = (it: Case) => it.journal.mandates[0]!

/** Each rule about mandates, broken once. */
export const spoiledMandates: Spoiled[] = [
  ...after(makeByMandate, [
    [
      'a consent by mandate is one debit, and a debit is one consent',
      ({ row, journal }) => {
        row.mandate_id = null
        journal.decisions = []
      },
    ],
    ['every mandate was entered by a member', (it) => (signature(it).agent = 'key_2')],
    ['every mandate was signed by its member', (it) => (signature(it).signed = undefined)],
    ['an acknowledged mandate is stored', (it) => (signature(it).id = 3)],
    ['an acknowledged signature stands', ({ stored }) => (stored.rows[1]!.decision = 'cancel')],
    ['an acknowledged change of a mandate is stored', ({ entries }) => entries.splice(at.frozen, 1)],
    [
      'a mandate changes only where somebody asked',
      ({ entries }) => entries.push(entry('mandate_frozen', {}, 2)),
    ],
    [
      'a mandate is used while it is in force',
      ({ entries }) => entries.splice(at.used, 0, entry('mandate_ended', {}, 2)),
    ],
    ['a frozen mandate is not used', ({ entries }) => entries.splice(at.resumed, 1)],
    ['each use of a mandate is its debit', ({ stored }) => (stored.debits[0]!.cents = 1)],
    [
      'each debit of a mandate is in the ledger',
      ({ stored }) => stored.debits.push({ ...stored.debits[0]!, n: 2, action_id: 3 }),
    ],
    [
      'a mandate is used for what it allows, by its agent',
      ({ entries }) => (entries[at.used]!.key = 'key_2'),
    ],
    [
      'a mandate is used for what it allows, by its agent',
      ({ stored }) => (stored.rows[1]!.payload['allows'] = [{ kind: 'refund', cents_each: { usd: 699 } }]),
    ],
    [
      'the uses of a mandate are within its budget and the policy',
      ({ stored }) => (stored.rows[1]!.payload['cents_per_day'] = { usd: 699 }),
    ],
    [
      'the uses of a mandate are within its budget and the policy',
      ({ entries }) => entries.splice(at.used, 0, { ...entries[at.used]! }),
    ],
    [
      'the uses of a mandate are within its budget and the policy',
      ({ stored }) => (stored.policies.get(`${account} 2`).mandates.refund.uses = 0),
    ],
  ]),
  [
    'every decision was made by somebody, over the channel that it names',
    ({ row, entries }) => {
      row.consent_strength = 'passkey'
      entries[3]!.data['strength'] = 'passkey'
    },
  ],
]
