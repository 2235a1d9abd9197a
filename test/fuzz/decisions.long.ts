import { afterAll, beforeAll, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { verifyLedger } from '../../src/ledger/verify.ts'
import { anyCharacter } from '../support/any-character.ts'
import { askedByMail, askedInSlack, clickBody, decideBy, interact, shownOn } from '../support/consent.ts'
import { browser } from '../support/connect.ts'
import { type TestGate, startGate } from '../support/gate.ts'
import { bounded, hostile, hostileTexts, seed, timeoutMs } from './runs.ts'
import { spoilt } from './spoilt.ts'

let gate: TestGate
beforeAll(async () => void (gate = await startGate()), 60_000)
afterAll(() => gate.stop())

/** A member who was asked about a broadcast. */
async function asked(consent: 'chat' | 'page') {
  const account = await gate.account()
  await account.setPolicy({ kinds: { broadcast: { tier: 'guarded_write', consent } } })
  const [email, slack] = [`ada-${consent}@example.com`, `U0ADA${consent.toUpperCase()}`]
  await account.addMember({ name: 'Ada', email, slack, tier: 'guarded_write' })
  const { body } = await account.client.propose({ email }, 'Lunch is at noon.')
  await account.client.confirm(body.id, { email })
  const read = async () => (await account.client.get(body.id)).body
  return { ...account, id: body.id as number, email, slack, read }
}

test(
  `no interaction but the member's own press decides, whatever Slack's signature covers (SEED=${seed})`,
  async () => {
    const one = await asked('chat')
    const token = (await askedInSlack(gate, one.slack)).token!
    const whole = JSON.parse(new URLSearchParams(clickBody({ token, user: one.slack })).get('payload')!)
    const payloads = fc.oneof(
      fc
        .tuple(fc.array(fc.nat(9), { minLength: 1, maxLength: 4 }), hostile)
        .map(([path, by]) => spoilt(whole, path, by))
        // A press that means what was sent is left out: a part that is not read may be anything.
        .filter((payload) => meantBy(payload) !== meantBy(whole)),
      hostile,
    )
    const bodies = fc.oneof(
      {
        weight: 8,
        arbitrary: payloads.map((payload) =>
          new URLSearchParams({ payload: JSON.stringify(payload) ?? '' }).toString(),
        ),
      },
      fc.constantFrom(...hostileTexts).map((text) => text.toWellFormed()),
      fc.constantFrom(
        'payload=',
        'payload=%ff',
        'payload=%7B',
        'payload=[]&payload={}',
        `payload=${'['.repeat(3_000)}`,
      ),
    )
    await fc.assert(
      fc.asyncProperty(bodies, async (body) => {
        const answer = await interact(gate.api.url, body)
        if (![200, 400, 413].includes(answer.status))
          throw new Error(`${answer.status} to ${body.slice(0, 500)}`)
      }),
      bounded(250),
    )
    const row = await one.read()
    const isUndecided = row.status === 'proposed' && row.consent === undefined
    expect([isUndecided, row.status]).toEqual([true, 'proposed'])
    expect((await interact(gate.api.url, clickBody({ token, user: one.slack }))).status).toBe(200)
    expect((await one.client.request('GET', `/api/v1/actions/${one.id}?wait=20`)).body.status).toBe(
      'executed',
    )
    expect(await verifyLedger(gate.database.db, one.account)).toMatchObject({ ok: true })
  },
  timeoutMs + 60_000,
)

/** What makes a press: its kind, whose it is, of which buttons, with which tokens. */
function meantBy(payload: any): string {
  const actions: any[] = Array.isArray(payload?.actions) ? payload.actions : []
  const team = payload?.team ?? undefined
  const buttons = actions.map((action) => `${action?.action_id} ${action?.value}`)
  return JSON.stringify([
    payload?.type,
    team === undefined ? payload?.user?.team_id : team.id,
    payload?.user?.id,
    [...new Set(buttons.filter((one) => one.startsWith('gate_')))],
  ])
}

test(
  `no form but that of the page decides by a mailed link, and none spends it (SEED=${seed})`,
  async () => {
    const one = await asked('page')
    const { link } = await askedByMail(gate, one.email)
    const shown = shownOn((await browser().open(link)).html)
    const forms = fc.oneof(
      // The right hash with another decision, and a decision with another hash.
      fc.tuple(fc.constant(shown), text()).map(([hash, does]) => ({ does, shown: hash })),
      fc.tuple(fc.constantFrom('confirm', 'decline'), text()).map(([does, hash]) => ({ does, shown: hash })),
      fc.dictionary(text(), text(), { maxKeys: 4 }),
    )
    const links = fc.oneof(
      { weight: 3, arbitrary: fc.constant(link) },
      text().map((tail) => link.slice(0, -43) + encodeURIComponent(tail)),
    )
    await fc.assert(
      fc.asyncProperty(links, forms, async (address, form) => {
        const isReal = address === link && form.shown === shown && /^(confirm|decline)$/.test(form.does ?? '')
        fc.pre(!isReal)
        const answer = await browser().send(address, form)
        if (answer.status < 400 || answer.status >= 500)
          throw new Error(`${answer.status} to ${JSON.stringify([address, form]).slice(0, 500)}`)
      }),
      bounded(150),
    )
    expect(await one.read()).toMatchObject({ status: 'proposed' })
    expect((await decideBy(link)).status).toBe(200)
    expect((await one.client.request('GET', `/api/v1/actions/${one.id}?wait=20`)).body.status).toBe(
      'executed',
    )
    expect(await verifyLedger(gate.database.db, one.account)).toMatchObject({ ok: true })
  },
  timeoutMs + 60_000,
)

/** Text of a form. A browser sends no halves of characters. */
function text(): fc.Arbitrary<string> {
  const odd = fc.string({ unit: anyCharacter, maxLength: 30 })
  return fc.oneof(fc.constantFrom(...hostileTexts), odd, fc.string()).map((one) => one.toWellFormed())
}
