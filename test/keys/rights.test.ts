import { expect, test } from '@jest/globals'
import { isNetwork } from '../../src/network/cidr.ts'
import { type KeyRights, allRights, rightsSentence } from '../../src/keys/rights.ts'
import { testRows } from '../support/rows.ts'

testRows<[Partial<KeyRights>, string]>([
  [
    {},
    'Reads, proposes and confirms every kind of action for any member. Also claims confirmed actions whose kind is executed by claim, and reports their outcome.',
  ],
  [
    { powers: ['read', 'confirm'], kinds: ['broadcast', 'customer_deletion'] },
    'Reads and confirms broadcasts and customer deletions for any member. Cannot propose. Also claims confirmed actions whose kind is executed by claim, and reports their outcome.',
  ],
  [
    { powers: ['confirm', 'execute'], kinds: ['upstream_tool'] },
    'Confirms and executes upstream tools for any member. Cannot read or propose.',
  ],
  [
    { powers: ['confirm'], kinds: ['upstream_tool', 'refund'] },
    'Confirms upstream tools and refunds for any member. Cannot read or propose.',
  ],
  [{ powers: ['read'] }, 'Reads for any member. Cannot propose or confirm.'],
  [
    { powers: ['read', 'propose'], kinds: ['broadcast', 'refund'], actionsPerDay: 50 },
    'Reads and proposes broadcasts and refunds for any member, at most 50 actions a day. Cannot confirm.',
  ],
  [
    {
      powers: ['confirm', 'read'],
      kinds: ['subscription_cancellation'],
      actors: ['mem_1', 'mem_2'],
      actionsPerDay: 1,
      centsPerDay: { usd: 100_000, eur: 5 },
      networks: ['10.0.0.0/8', '2001:db8::/32'],
    },
    'Reads and confirms subscription cancellations for 2 members only, at most 1 action a day, at most 1,000.00 USD and 0.05 EUR a day (each currency is counted alone; one that is not listed has the limit of the account’s currency, or else of USD, or else the lowest), from 10.0.0.0/8 and 2001:db8::/32. Cannot propose.',
  ],
  [
    { powers: ['read'], actors: ['mem_1'], networks: ['10.0.0.0/8'] },
    'Reads for 1 member only, from 10.0.0.0/8. Cannot propose or confirm.',
  ],
  [{ powers: ['execute'] }, 'Executes every kind of action for any member. Cannot read, propose or confirm.'],
  [
    { powers: ['read', 'execute'], kinds: ['customer_deletion'] },
    'Reads and executes customer deletions for any member. Cannot propose or confirm.',
  ],
  [{ powers: ['propose'] }, 'Proposes every kind of action for any member. Cannot read or confirm.'],
])('the rights of a key are said in a sentence', (rights, sentence) => {
  expect(rightsSentence({ ...allRights, ...rights })).toBe(sentence)
})

test('networks are those of IPv4 and IPv6 in CIDR form, or one address', () => {
  const good = ['10.0.0.0/8', '10.1.2.3', '0.0.0.0/0', '2001:db8::/32', '::1', '::/0', '2001:DB8::1/128']
  const bad = [
    '',
    '10.0.0/8',
    '10.0.0.0/33',
    '10.0.0.0/08',
    '10.0.0.0/',
    '::/129',
    '::1/8/8',
    'fe80::1%eth0',
    '::ffff:10.0.0.0/104',
    'a.b',
  ]
  expect(good.filter((text) => !isNetwork(text))).toEqual([])
  expect(bad.filter(isNetwork)).toEqual([])
})
