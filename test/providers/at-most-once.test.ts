import { afterEach, beforeEach, expect, test } from '@jest/globals'
import fc from 'fast-check'
import type { DeliveryChannel, DeliveryOutcome, SliceToSend } from '../../src/providers/ports.ts'
import { rateLimiter } from '../../src/providers/rate-limiter.ts'
import { outcomeAfterRetry, isSettled } from '../../src/providers/retry-outcome.ts'
import { resendChannel } from '../../src/providers/resend/channel.ts'
import { slackChannel } from '../../src/providers/slack/channel.ts'
import * as faulty from '../support/fault-provider.ts'
import { resendError } from '../support/fault-apis.ts'
import { sliceFor } from './slices.ts'

let provider: faulty.FaultProvider
beforeEach(async () => void (provider = await faulty.startFaultProvider()))
afterEach(() => provider.stop())

const faults: (faulty.Fault | undefined)[] = [
  undefined,
  faulty.drop,
  faulty.workThenDrop,
  faulty.workThenHang,
  faulty.cutBody,
  faulty.html200,
  faulty.tooMany({ 'retry-after': '0' }),
  faulty.answer(503, 'no', { work: true }),
  faulty.answer(500, { ok: false, error: 'internal_error' }),
  faulty.answer(200, { ok: false, error: 'user_not_found' }),
  faulty.answer(401, resendError(401, 'invalid_api_key').body as object),
]
const weather = fc.array(fc.constantFrom(...faults), { maxLength: 40 })
const attemptsMax = 4

test('whatever goes wrong, and however often it is tried again, no Slack message arrives twice', async () => {
  const limiter = rateLimiter({ perSecond: 0 })
  const options = { token: 'xoxb-1', apiUrl: provider.slackApiUrl, timeoutMs: 60, rateLimiter: limiter }
  const open = () => slackChannel({ ...options, reconcileDelayMs: 0 })
  expect(await breakageOf(open, ['UADA', 'UBEN', 'UCYN'], 'deliveryId')).toBeUndefined()
})

test('whatever goes wrong, and however often it is tried again, no e-mail arrives twice', async () => {
  const options = { apiKey: 're_1', baseUrl: provider.resendBaseUrl, from: 'gate@x.example', timeoutMs: 60 }
  const addresses = ['ada@example.com', 'bad@example.com', 'cyn@example.com']
  expect(await breakageOf(() => resendChannel(options), addresses, 'address')).toBeUndefined()
})

/** Runs slices through bad weather as the delivery activity would, each attempt as if in a new process. */
async function breakageOf(
  open: () => DeliveryChannel,
  addresses: string[],
  countedBy: 'deliveryId' | 'address',
) {
  let run = 0
  const details = await fc.check(
    fc.asyncProperty(weather, async (script) => {
      const remaining = [...script]
      provider.faultFor = () => remaining.shift()
      // A request given up in one run may reach the provider in the next: nobody is in two runs.
      run += 1
      const slice = sliceFor(open(), { addresses: addresses.map((address) => `${run}${address}`) })
      const outcomes = await deliver(open, slice)
      slice.recipients.forEach((recipient, index) => {
        const count = provider.deliveries.get(recipient[countedBy]) ?? 0
        const { state } = outcomes[index]!
        expect(count).toBeLessThanOrEqual(1)
        if (state === 'ok') expect(count).toBe(1)
        if (state === 'not_done') expect(count).toBe(0)
      })
    }),
    { numRuns: 60 },
  )
  return details.failed ? fc.defaultReportMessage(details) : undefined
}

async function deliver(open: () => DeliveryChannel, slice: SliceToSend): Promise<DeliveryOutcome[]> {
  let outcomes = (await open().send(slice)).outcomes
  for (let attempt = 1; attempt < attemptsMax; attempt += 1) {
    const channel = open()
    if (channel.isIdempotent) {
      if (outcomes.every(isSettled)) return outcomes
      outcomes = outcomeAfterRetry(outcomes, (await channel.send(slice)).outcomes)
    } else {
      outcomes = await again(outcomes, slice, isUnknown, (part) => channel.reconcile(part))
      outcomes = await again(outcomes, slice, mayBeRetried, (part) => channel.send(part))
    }
  }
  return outcomes
}

/** Asks again for the recipients in that state, and for nobody else. */
async function again(
  outcomes: DeliveryOutcome[],
  slice: SliceToSend,
  isMeant: (outcome: DeliveryOutcome) => boolean,
  ask: (part: SliceToSend) => Promise<{ outcomes: DeliveryOutcome[] }>,
): Promise<DeliveryOutcome[]> {
  const indexes = outcomes.flatMap((outcome, index) => (isMeant(outcome) ? [index] : []))
  if (indexes.length === 0) return outcomes
  const answers = (await ask({ ...slice, recipients: indexes.map((index) => slice.recipients[index]!) }))
    .outcomes
  return outcomes.map((outcome, index) => answers[indexes.indexOf(index)] ?? outcome)
}

const isUnknown = (outcome: DeliveryOutcome) => outcome.state === 'unknown'
const mayBeRetried = (outcome: DeliveryOutcome) =>
  outcome.state === 'not_done' && outcome.retryAfterMs !== undefined
