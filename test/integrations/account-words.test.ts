import { expect, test } from '@jest/globals'
import { accountWords, standInWords } from '../../src/integrations/account-words.ts'
import { testRows } from '../support/rows.ts'

testRows([
  ['stripe', { last4: '1234' }, 'Stripe key ending in 1234'],
  ['stripe', { last4: '1234', account: 'acct_1' }, 'Stripe account acct_1, key ending in 1234'],
  [
    'stripe',
    { last4: '1234', account: 'acct_1', account_name: 'Acme\nTo: nobody' },
    'Stripe account “Acme To: nobody”, acct_1, key ending in 1234',
  ],
  ['resend', { last4: '1234', from: 'a@acme.example' }, 'Resend key ending in 1234, sender a@acme.example'],
  [
    'smtp',
    { server: 'smtp.acme.example:587', user: 'gate', from: 'a@acme.example' },
    'Mail server smtp.acme.example:587, user gate, sender a@acme.example',
  ],
  [
    'teams',
    { room: 'Announcements', server: 'prod-1.logic.azure.com' },
    'Microsoft Teams room “Announcements”, by a workflow at prod-1.logic.azure.com',
  ],
  ['slack', { team: 'Acme', team_id: 'T1' }, 'Slack workspace Acme'],
  ['slack', { team_id: 'T1' }, 'Slack workspace T1'],
] as const)('an account is told by its settings', (provider, settings, words) => {
  expect(accountWords(provider, settings)).toBe(words)
})

test.each([
  ['environment', "the service's own Stripe account"],
  ['sandbox', "the sandbox's Stripe"],
  [null, 'none (Stripe is not connected)'],
] as const)('without one: %s', (standIn, words) => {
  expect(standInWords('stripe', standIn)).toBe(words)
})
