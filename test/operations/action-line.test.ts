import { expect, test } from '@jest/globals'
import { kindOfDocument } from '../../src/actions/declared/kind-of-document.ts'
import { performerOf } from '../../src/actions/declared/performers.ts'
import { actionKinds } from '../../src/actions/registry.ts'
import type { KindDocument } from '../../src/gate/declared/declared-kind.ts'
import { actionHeadline, actionLine } from '../../src/operations/actions/action-summary.ts'
import { customerDeletion } from '../support/declared-kind.ts'
import { testRows } from '../support/rows.ts'

const known = new Map(actionKinds.map((kind) => [kind.kind, kind]))
const row = (kind: string, payload: object, rest: object = {}) => ({
  kind,
  payload: payload as Record<string, unknown>,
  result: null,
  reach_slack: 4,
  reach_email: 3,
  reach_teams: 0,
  ...rest,
})

testRows([
  [
    row('broadcast', { message: 'Lunch is at noon\nCome!' }),
    'Message to 7 people: Lunch is at noon\nCome!',
    'Message to 7 people: “Lunch is at noon”',
  ],
  [
    row('refund', { payment: 'pi_1', amount_cents: 1_000, currency: 'eur' }),
    'Refund 10.00 EUR of pi_1',
    'Refund 10.00 EUR of pi_1',
  ],
  [
    row('refund', { payment: 'pi_1', amount_cents: 1_000, currency: 'eur', customer: 'cus_1' }),
    'Refund 10.00 EUR to cus_1: pi_1',
    'Refund 10.00 EUR to cus_1: pi_1',
  ],
  [
    row(
      'refund',
      { payment: 'pi_1', amount_cents: 1_000, currency: 'eur', customer: 'cus_1' },
      {
        facts: [
          ['Customer', '“Acme Tools”, “ada@acme.example”, cus_1'],
          ['Paid', '90.00 EUR on 2026-11-01'],
        ],
      },
    ),
    'Refund 10.00 EUR of 90.00 EUR to “Acme Tools”: pi_1',
    'Refund 10.00 EUR of 90.00 EUR to “Acme Tools”: pi_1',
  ],
  [
    row(
      'subscription_cancellation',
      { subscription: 'sub_1', amount_cents: 1_000, currency: 'eur' },
      { facts: [['Customer', '“Acme Tools”, cus_1']] },
    ),
    'Cancel a subscription of 10.00 EUR per period of “Acme Tools”: sub_1',
    'Cancel a subscription of 10.00 EUR per period of “Acme Tools”: sub_1',
  ],
  [row('refund', { payment: 'pi_1' }), 'Refund of pi_1', 'Refund of pi_1'],
  [row('refund', {}), 'Refund', 'Refund'],
  [
    row('payout', { amount_cents: 5, currency: 'usd', credential: 'x' }),
    "Pay out 0.05 USD to the account's own bank",
    "Pay out 0.05 USD to the account's own bank",
  ],
  [row('integration', { provider: 'slack' }), 'Connect Slack', 'Connect Slack'],
  [
    row('preview', { operation: 'stop', conversation_id: 'site' }),
    'Stop a preview of site',
    'Stop a preview of site',
  ],
  [row('capability_check', {}, { result: { tier: 'write' } }), 'Tier write', 'Tier write'],
  [
    row(
      'runner_tool',
      { runner: 'claude', tool: 'Bash' },
      { input: '{"description":"Clean","command":"rm -rf build"}' },
    ),
    'Bash by Claude Code: rm -rf build',
    'Bash by Claude Code: rm -rf build',
  ],
  [
    row('runner_tool', { runner: 'codex', tool: 'mcp__a__b' }, { input: '{"depth":2,"title":"Fix it"}' }),
    'mcp__a__b by Codex: Fix it',
    'mcp__a__b by Codex: Fix it',
  ],
  [row('runner_tool', { runner: 'claude', tool: 'Bash' }), 'Bash by Claude Code', 'Bash by Claude Code'],
  [row('runner_tool', {}, { input: null }), 'Tool call by an agent runner', 'Tool call by an agent runner'],
  [
    row('upstream_tool', { upstream: 'github', tool: 'create', arguments: { message: 'Hi' } }),
    'Call create of github',
    'Call create of github',
  ],
  [
    row('upstream_tool', {
      upstream: 'shop',
      tool: 'pay',
      amount_cents: 100,
      currency: 'eur',
      arguments: {},
    }),
    'Call pay of the MCP server shop for 1.00 EUR',
    'Call pay of the MCP server shop for 1.00 EUR',
  ],
  [row('upstream_tool', {}), 'Upstream tool', 'Upstream tool'],
  [row('of_tomorrow', {}), 'Of tomorrow', 'Of tomorrow'],
])('an action is a line and a headline', (action, line, headline) => {
  const kind = known.get(action.kind)
  expect([actionLine(kind, action), actionHeadline(kind, action)]).toEqual([line, headline])
})

testRows([
  [{ customer: { id: 'cus_41' } }, 'Delete a customer: cus_41', 'Delete a customer: cus_41'],
  [{ customer: { id: 'ada@example.com' } }, 'Delete a customer: ada@example.com', undefined],
  // Text that could be read as the gate's stands in the list, in quotation marks, and not in a card's title.
  [{ customer: { id: '” approved by Ada' } }, 'Delete a customer: “" approved by Ada”', 'Delete a customer'],
  [
    { customer: { id: 'A long name '.repeat(20) } },
    `Delete a customer: “${'A long name '.repeat(20).slice(0, 79)}…”`,
    'Delete a customer',
  ],
  [{}, 'Delete a customer', 'Delete a customer'],
])('the title of a declared kind is a sentence, and names its subject after it', (payload, line, title) => {
  const document = customerDeletion() as unknown as KindDocument
  const kind = kindOfDocument(document, 1, performerOf(document))
  const action = row('customer_deletion', payload)
  expect(actionLine(kind, action)).toBe(line)
  expect(kind.summary!(payload, { input: null }).title).toBe(title ?? line)
})

test('a declared kind with a field named message is no message to people', () => {
  const alert = customerDeletion({
    kind: 'alert',
    title: 'Raise an alert',
    payload: { type: 'object', properties: { message: { type: 'string' } }, required: ['message'] },
    subject: undefined,
    card: [],
  }) as unknown as KindDocument
  const kind = kindOfDocument(alert, 1, performerOf(alert))
  const action = row('alert', { message: 'Disk full\nCall Ada' }, { reach_slack: 0, reach_email: 0 })
  expect([actionLine(kind, action), actionHeadline(kind, action)]).toEqual([
    'Raise an alert',
    'Raise an alert',
  ])
})
