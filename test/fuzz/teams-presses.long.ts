import { afterAll, beforeAll, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { randomUUID } from 'node:crypto'
import { pressActivity } from '../../dev/sandbox/teams/bot.ts'
import { verifyLedger } from '../../src/ledger/verify.ts'
import { connect, ringOf } from '../support/connect.ts'
import { type TestGate, startGate } from '../support/gate.ts'
import { entryKindsOf } from '../support/ledger-entries.ts'
import { askedInTeams, pressInTeams } from '../support/teams.ts'
import { until } from '../support/until.ts'
import { bounded, hostile, hostileTexts, seed, timeoutMs } from './runs.ts'
import { spoilt } from './spoilt.ts'

let gate: TestGate
let account: Awaited<ReturnType<TestGate['account']>>
beforeAll(async () => {
  gate = await startGate({ env: { SECRETS_KEYS: ringOf('k1') } })
  account = await gate.account()
  await account.addMember({ name: 'Root', email: 'root@acme.example', tier: 'write' })
  await connect(gate, account.client, { email: 'root@acme.example' }, 'teams_bot')
  await account.setPolicy({ kinds: { broadcast: { tier: 'guarded_write', consent: 'chat' } } })
}, 60_000)
afterAll(() => gate.stop())

/** A member who was asked in Teams about a broadcast. */
async function asked() {
  const person = randomUUID()
  const email = `${person}@acme.example`
  await account.addMember({ name: person.slice(0, 8), email, teams: person, tier: 'guarded_write' })
  const { body } = await account.client.propose({ email }, 'Lunch is at noon.')
  await account.client.confirm(body.id, { email })
  const request = await askedInTeams(gate, person)
  const kinds = () => entryKindsOf(gate.database, account.account, body.id)
  return { id: body.id as number, request, kinds, read: async () => (await account.client.get(body.id)).body }
}

test(
  `no activity but the member's own press decides, whatever Microsoft's token covers (SEED=${seed})`,
  async () => {
    const one = await asked()
    const serviceUrl = new URL('/teams-bot/service/', gate.sandbox.url).href
    const button = one.request.buttons.find(({ verb }) => verb === 'gate_approve')!
    const whole = pressActivity(one.request.message, button, serviceUrl)
    const text = JSON.stringify(whole)
    const bodies = fc.oneof(
      {
        weight: 8,
        arbitrary: fc
          .tuple(fc.array(fc.nat(9), { minLength: 1, maxLength: 5 }), hostile)
          .map(([path, by]) => spoilt(whole, path, by))
          // A press that means what was sent is left out: a part that is not read may be anything.
          .filter((activity) => meantBy(activity) !== meantBy(whole))
          .map((activity) => JSON.stringify(activity) ?? ''),
      },
      fc.constantFrom(...hostileTexts).map((one) => one.toWellFormed()),
      // Readers differ in which of two values of a name counts.
      fc.constantFrom(
        text.replace('{', '{"type":"invoke",'),
        text.replace('"verb":', '"verb":"gate_decline","verb":'),
        `${'['.repeat(3_000)}`,
      ),
    )
    await fc.assert(
      fc.asyncProperty(bodies, async (body) => {
        const { status } = await pressInTeams(gate, one.request, { body })
        if (![200, 400, 401, 413, 422].includes(status)) throw new Error(`${status} to ${body.slice(0, 500)}`)
      }),
      bounded(250),
    )
    expect(await one.read()).toMatchObject({ status: 'proposed' })
    expect(await one.read()).not.toHaveProperty('consent')
    expect((await pressInTeams(gate, one.request)).status).toBe(200)
    expect((await account.client.request('GET', `/api/v1/actions/${one.id}?wait=20`)).body.status).toBe(
      'executed',
    )
    expect(await verifyLedger(gate.database.db, account.account)).toMatchObject({ ok: true })
  },
  timeoutMs + 60_000,
)

test(
  `presses at the same moment, of both buttons and repeated, decide at most once (SEED=${seed})`,
  async () => {
    const press = fc.record({
      verb: fc.constantFrom('gate_approve', 'gate_decline'),
      at: fc.nat(1),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(press, { minLength: 2, maxLength: 6 }), async (presses) => {
        const [one, other] = [await asked(), await asked()]
        const requests = [one.request, other.request]
        await Promise.all(presses.map(({ verb, at }) => pressInTeams(gate, requests[at]!, { verb })))
        for (const [at, of] of [one, other].entries()) {
          const wanted = presses.filter((given) => given.at === at)
          // Each press is settled: one that takes longer than Teams waits goes on after its answer.
          const kinds = await until('each press is settled', async () => {
            const now = await of.kinds()
            return now.filter((kind) => isSettled.has(kind)).length >= wanted.length && now
          })
          const decided = kinds.filter((kind) => kind === 'confirmed' || kind === 'cancelled')
          expect(decided).toHaveLength(wanted.length === 0 ? 0 : 1)
        }
      }),
      bounded(15),
    )
    expect(await verifyLedger(gate.database.db, account.account)).toMatchObject({ ok: true })
  },
  timeoutMs + 60_000,
)

const isSettled = new Set(['confirmed', 'cancelled', 'decision_refused'])

/** What makes a press: its kind, whose it is, where it was pressed, which button, with which token. */
function meantBy(activity: any): string {
  const id = (of: unknown) => (typeof of === 'string' ? of.toLowerCase() : of)
  return JSON.stringify([
    activity?.type,
    activity?.name,
    activity?.channelId,
    activity?.serviceUrl,
    id(activity?.from?.aadObjectId),
    activity?.conversation?.conversationType,
    id(activity?.conversation?.tenantId),
    id(activity?.channelData?.tenant?.id),
    activity?.value?.action?.verb,
    activity?.value?.action?.data?.token,
  ])
}
