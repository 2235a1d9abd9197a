import { describe, expect, test } from '@jest/globals'
import { readConfig } from '../../src/config.ts'
import { providerFactory } from '../../src/providers/provider-factory.ts'
import { isSignedBySlack, slackSignature } from '../../src/providers/slack/signature.ts'
import { testRows } from '../support/rows.ts'

// Slack's own example. @source docs.slack.dev, Verifying requests from Slack
const secret = '8f742231b10e8888abcd99yyyzzz85a5'
const at = 1_531_420_618
const example = {
  timestamp: String(at),
  body: Buffer.from(
    'token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V&channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text=&response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c',
  ),
  signature: 'v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503',
}
const skewMs = 300_000
const isSigned = (given: Partial<typeof example> = {}, nowMs = at * 1_000, key = secret) =>
  isSignedBySlack({ ...example, ...given }, key, nowMs, skewMs)

test("Slack's documented example has the documented signature", () => {
  expect(slackSignature(example, secret)).toBe(example.signature)
  expect(isSigned()).toBe(true)
})

testRows([
  ['five minutes ago', skewMs, true],
  ['longer ago', skewMs + 1, false],
  ['five minutes ahead of us', -skewMs, true],
  ['further ahead', -skewMs - 1, false],
  ['years ago', 1e11, false],
  ['in years', -1e11, false],
])('a request is good for five minutes around its signature', (_, laterMs, isGood) => {
  expect(isSigned({}, at * 1_000 + laterMs)).toBe(isGood)
})

describe('a request with a wrong signature is refused,', () => {
  testRows<[string, Partial<typeof example>]>([
    ['another body', { body: Buffer.from(`${example.body}&x=1`) }],
    ['another time', { timestamp: String(at + 1) }],
    ['a signature cut short', { signature: example.signature.slice(0, -1) }],
    ['another signature', { signature: example.signature.replace('a', 'b') }],
    ['another version', { signature: example.signature.replace('v0', 'v1') }],
    ['no signature', { signature: '' }],
    ['no time', { timestamp: '' }],
    ['a time that is no number', { timestamp: 'NaN' }],
    ['a negative time', { timestamp: `-${at}` }],
    ['a time with a fraction', { timestamp: `${at}.5` }],
  ])('whatever is wrong with it', (_, given) => {
    expect(isSigned(given)).toBe(false)
  })

  test('another secret', () => {
    expect(isSigned({}, at * 1_000, `${secret}x`)).toBe(false)
  })
})

test('the secret of the sandbox is known to everybody: outside of it the service does not start with it', () => {
  const env = { DATABASE_URL: 'postgres://x@127.0.0.1/x', SLACK_BOT_TOKEN: 'xoxb-1' }
  const sandbox = providerFactory(readConfig({ DATABASE_URL: env.DATABASE_URL }), undefined)
  const real = readConfig({ ...env, SLACK_SIGNING_SECRET: sandbox.slackSigningSecret })
  expect(() => providerFactory(real, undefined)).toThrow('SLACK_SIGNING_SECRET')
  expect(providerFactory(readConfig(env), undefined).slackSigningSecret).toBeUndefined()
})
