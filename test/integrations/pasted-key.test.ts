import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { readPastedKey, readSender } from '../../src/integrations/pasted-key.ts'
import { testRows } from '../support/rows.ts'

const refusal = (read: () => unknown): string => {
  try {
    read()
  } catch (error) {
    return (error as Error).message
  }
  throw new Error('it was accepted')
}

describe('a pasted key', () => {
  test.each([
    ['stripe', 'rk_test_51Abc'],
    ['stripe', 'sk_test_51Abc'],
    ['stripe', ' rk_live_51Abc\n'],
    ['resend', 're_123_Abc'],
  ] as const)('is taken by the page of %s: %j', (provider, key) => {
    expect(readPastedKey(provider, key, false)).toBe(key.trim())
  })

  testRows([
    ['stripe', 're_123', /^This is a Resend key, but this page connects Stripe\. Paste a restricted key/],
    ['stripe', 'pk_test_1', /^This is a publishable Stripe key/],
    ['stripe', 'whsec_1', /^This is a webhook signing secret/],
    ['stripe', 'xoxb-1-2', /^This is a Slack token, but this page connects Stripe/],
    [
      'resend',
      'sk_test_1',
      /^This is a secret Stripe key, but this page connects Resend\. Paste an API key \(re_…\)/,
    ],
    ['resend', 'rk_test_1', /^This is a restricted Stripe key/],
    ['resend', 'xapp-1', /^This is a Slack token/],
    ['resend', 'qgk_1', /^This is a key of this service/],
    ['resend', 'hunter2', /^This is not a complete key of a known form/],
    ['stripe', ' ', /^Nothing was pasted/],
    ['stripe', 'sk_test_1 sk_test_2', /^This is not a complete key/],
    ['stripe', `sk_test_${'a'.repeat(300)}`, /^This is not a complete key/],
  ] as const)('is refused with what it is and what to paste', (provider, key, sentence) => {
    expect(refusal(() => readPastedKey(provider, key, false))).toMatch(sentence)
  })

  test('is never repeated by a refusal', () => {
    const parts = fc.stringMatching(/^[\w-]{6,40}$/)
    const prefix = fc.constantFrom('re_', 'pk_test_', 'xoxb-', 'whsec_', 'nothing')
    fc.assert(
      fc.property(prefix, parts, (before, secret) => {
        expect(refusal(() => readPastedKey('stripe', before + secret, true))).not.toContain(secret)
      }),
    )
  })

  test('that is live is not kept by the sandbox', () => {
    for (const key of ['sk_live_1', 'rk_live_1'])
      expect(refusal(() => readPastedKey('stripe', key, true))).toMatch(
        /^This is a live key, but this service runs in the sandbox/,
      )
    expect(readPastedKey('stripe', 'rk_test_1', true)).toBe('rk_test_1')
  })
})

describe('a sender', () => {
  test.each(['gate@example.com', ' Acme Inc. <gate@mail.example.com> ', 'Ægir & Sons <a+b@x.io>'])(
    'is taken: %j',
    (given) => {
      expect(readSender(given)).toBe(given.trim())
    },
  )

  testRows([
    '',
    'Acme',
    'gate@localhost',
    'a@x.io, b@x.io',
    '<a@x.io>',
    'Acme <a@x.io> <b@x.io>',
    'Acme\r\nBcc: x@y.z <a@x.io>',
    'Acme "The" Gate <a@x.io>',
    `${'a'.repeat(330)}@x.io`,
  ])('is refused with what to write', (given) => {
    expect(refusal(() => readSender(given))).toMatch(/^The sender must be an address of a domain/)
  })
})
