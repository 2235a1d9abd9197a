import { expect, test } from '@jest/globals'
import { Webhook } from 'standardwebhooks'
import { newWebhookSecret, signatureHeaders } from '../../src/executors/signature.ts'

const message = (body: string) => ({ id: 'msg_p5jXN8AQM9LWM0D4loKWxJek', timestamp: 1_614_265_330, body })

test('the signature is that of the example of the specification', () => {
  const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
  expect(signatureHeaders(message('{"test": 2432232314}'), [secret])).toEqual({
    'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    'webhook-timestamp': '1614265330',
    'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  })
})

test('a receiver verifies with the library of the specification, by either secret while they rotate', () => {
  const [before, after, other] = [newWebhookSecret(), newWebhookSecret(), newWebhookSecret()]
  const body = JSON.stringify({ type: 'action.confirmed', data: { name: 'Zoë 🦊' } })
  const now = { ...message(body), timestamp: Math.floor(Date.now() / 1_000) }
  const headers = signatureHeaders(now, [after, before])
  for (const secret of [before, after])
    expect(new Webhook(secret).verify(body, headers)).toEqual(JSON.parse(body))
  expect(() => new Webhook(other).verify(body, headers)).toThrow('No matching signature found')
  expect(() => new Webhook(after).verify(body.replace('Zoë', 'Zoe'), headers)).toThrow()
  const old = signatureHeaders({ ...now, timestamp: now.timestamp - 301 }, [after])
  expect(() => new Webhook(after).verify(body, old)).toThrow('Message timestamp too old')
})

test('a new secret has 32 random bytes', () => {
  const secret = newWebhookSecret()
  expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
  expect(newWebhookSecret()).not.toBe(secret)
})
