import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { gateOn } from '../cli/gate-command.ts'
import { type Visitor, signedInAdmin, signedInByMail, startConsole } from '../support/console.ts'
import type { TestGate } from '../support/gate.ts'
import { formOf } from '../support/form-of.ts'
import { mandateScene, strict } from '../support/mandate-scene.ts'
import { until } from '../support/until.ts'

const path = '/console/mandates'

let gate: TestGate
beforeAll(async () => {
  gate = await startConsole({ workers: true })
}, 60_000)
afterAll(() => gate.stop(), 60_000)

const entered = {
  kind: 'payout',
  arguments: '',
  currency: 'usd',
  each: '50.00',
  cents: '300',
  cents_per_day: '100.00',
  uses: '20',
  uses_per_day: '10',
  days: '7',
  tool: '',
  match: '',
}

/** Presses Approve below the card of a proposal. */
async function approve(member: Visitor, page: string): Promise<void> {
  const { html } = await member.open(page)
  const hidden = (name: string) => new RegExp(`name="${name}" value="([0-9a-f]{64})"`).exec(html)![1]!
  await member.send(page, { does: 'confirm', shown: hidden('shown'), digest: hidden('digest'), reason: '' })
}

test('a member signs a mandate by its card, sees what it spends, and everybody freezes it who may', async () => {
  const { keyId, payOut, client, account, wil: person } = await mandateScene(gate)
  const wil = await signedInByMail(gate, person.email!)
  expect((await wil.open(path)).html).toContain(`href="${path}/new"`)
  const wrong = await wil.send(`${path}/new`, { agent: keyId, ...entered, each: '100.01' })
  expect(wrong.text).toContain('must be at most 100.00 USD, as the policy says')
  expect(wrong.html).toContain('value="100.01"')
  const lines = await wil.send(`${path}/new`, { agent: keyId, ...entered, arguments: 'description' })
  expect(lines.text).toContain('has a line that cannot be read')

  const sent = await wil.send(`${path}/new`, { agent: keyId, ...entered })
  const page = sent.headers.get('location') ?? ''
  const id = Number(page.split('/').at(-1))
  const card = await wil.open(page)
  for (const words of [
    'Let an agent act without asking: at most 300.00 USD in 20 uses, until',
    `test (${keyId}). No other key can use it`,
    'Each payout',
    'at most 50.00 USD',
    'at most 100.00 USD in 10 uses. A day is one of UTC',
    'a use counts even if the action is cancelled or fails',
  ])
    expect(card.text).toContain(words)
  expect((await payOut(1_000)).mandate_problem).toBeUndefined()
  await approve(wil, page)
  await until('it is in force', async () => (await client.get(id)).body.status === 'executed')
  const paid = await payOut(4_000)
  expect(paid.consent.mandate.id).toBe(id)
  expect((await wil.open(path)).text).toContain('Left: 19 uses, 260.00 USD. Today: 9 uses, 60.00 USD')
  expect((await wil.open(`/console/proposals/${paid.id}`)).text).toContain(`mandate #${id}`)

  const root = await signedInAdmin(gate, account)
  expect((await root.open(path)).text).toContain('Limits of the policy')
  expect((await root.open(path)).html).not.toContain(`href="${path}/new"`)
  await root.send(`${path}/${id}/freeze`)
  expect((await wil.open(path)).text).toContain('frozen')
  expect((await wil.send(`${path}/${id}/resume`)).text).toContain('An administrator froze this mandate')
  expect((await payOut(1_000)).mandate_problem).toContain('it is frozen')

  const cli = gateOn({ DATABASE_URL: gate.database.serviceUrl })
  const run = (verb: string, ...options: string[]) => cli('mandate', verb, '--account', account, ...options)
  expect((await run('list', '--json')).json).toEqual([
    expect.objectContaining({
      id,
      state: 'frozen',
      member: person.email,
      agent: 'test',
      left: '19 uses, 260.00 USD',
    }),
  ])
  expect((await run('resume', '--id', String(id))).code).toBe(0)
  expect((await run('resume', '--id', String(id))).stderr).toContain('not frozen')
  expect((await payOut(1_000)).consent.by).toBe('mandate')
  expect((await run('show', '--id', String(id))).stdout).toContain('at most 300.00 USD in 20 uses')
  expect((await run('end', '--id', String(id), '--json')).json).toEqual({ mandate: id, state: 'ended' })
  expect((await run('freeze', '--id', '99999')).code).toBe(1)
  expect((await run('list')).stdout + (await run('list')).stderr).toContain('No mandates in force')
  // The signature of the mandate is a decision of the member, and its two uses are not.
  expect((await root.open('/console/habits')).text).toContain('1 and 2 by mandate')
})

test('the gate suggests a mandate from what was approved, and one press opens the form filled in', async () => {
  const { tool, approve: yes, wil: person } = await mandateScene(gate)
  for (let n = 1; n <= 6; n++) {
    const { body } = await tool('send_payout', { amount_cents: n * 500 })
    await yes(body.id)
  }
  const wil = await signedInByMail(gate, person.email!)
  const page = await wil.open(path)
  expect(page.text).toContain(
    'a mandate for at most 105.00 USD in 6 uses would have saved 6 of 6 questions, 6 of them decided in under 5 s.',
  )
  const [, to] = /href="([^"]*new\?from=[^"]*)"/.exec(page.html)!
  const form = (await wil.open(to!.replaceAll('&amp;', '&'))).html
  for (const [name, value] of [
    ['each', '30.00'],
    ['cents', '105.00'],
    ['cents_per_day', '105.00'],
    ['currency', 'USD'],
    ['uses', '6'],
  ])
    expect(form).toMatch(new RegExp(`name="${name}"[^>]*value="${value}"`))
})

test('a member signs one mandate for several kinds, and a refusal names the kind whose limit it is about', async () => {
  const { keyId, payOut, tell, client, wil: person } = await mandateScene(gate)
  const wil = await signedInByMail(gate, person.email!)
  const two = {
    ...entered,
    agent: keyId,
    kind: 'broadcast',
    each: '',
    arguments: 'message ~ Order {number} has shipped.',
  }
  const payouts = { kind_2: 'payout', each_2: '50.00', arguments_2: '' }
  const wrong = await wil.send(`${path}/new`, { ...two, ...payouts, each_2: '100.01' })
  expect(wrong.text).toContain('cents_each must be at most 100.00 USD, as the policy says')
  expect(wrong.html).toMatch(/<details open>[^]*id="each_2"[^>]*aria-invalid="true"/)
  const twice = await wil.send(`${path}/new`, { ...two, ...payouts, kind_2: 'broadcast', each_2: '' })
  expect(twice.text).toContain('must not name a kind twice')
  expect((await wil.send(`${path}/new`, { ...two, kind_3: 'payout' })).status).toBe(422)

  const page = (await wil.send(`${path}/new`, { ...two, ...payouts })).headers.get('location') ?? ''
  const id = Number(page.split('/').at(-1))
  await approve(wil, page)
  await until('it is in force', async () => (await client.get(id)).body.status === 'executed')
  expect((await payOut(4_000)).consent.mandate.id).toBe(id)
  expect((await tell('Order 7 has shipped.')).consent.mandate.id).toBe(id)
  expect((await tell('Order seven has shipped.')).mandate_problem).toContain('message is not as it allows')
})

test('an administrator sets what mandates may be in a form, sees it in the review, and takes it away', async () => {
  const { account, setPolicy, payOut, sign } = await mandateScene(gate)
  await setPolicy({ kinds: strict.kinds })
  const root = await signedInAdmin(gate, account)
  const form = '/console/policies/mandates/payout'
  expect((await root.open('/console/policies')).html).toContain(`href="${form}"`)
  expect((await root.open(path)).html).toContain(`href="${form}"`)
  expect((await root.open('/console/policies/mandates/mandate')).status).toBe(404)
  const blank = formOf((await root.open(form)).html)
  const filled = {
    ...blank,
    allowed: 'yes',
    uses: '60',
    'amount.0.currency': 'usd',
    'amount.0.cents_each': '100.00',
    'amount.0.cents': '500',
    'amount.0.cents_per_day': '400',
  }
  for (const [wrong, says] of [
    [{ 'amount.0.cents': '' }, 'is required'],
    [{ 'amount.0.cents': 'many' }, 'must be an amount'],
    [{ uses: '1001' }, 'must be at most 1000'],
    [{ days: '31' }, 'must be at most 30'],
    [{ 'amount.1.currency': 'usd', 'amount.1.cents': '1' }, 'Two rows are of the same currency'],
    [{ consent: 'chat' }, 'must be one of page, passkey'],
  ] as [Record<string, string>, string][]) {
    const answer = await root.send(form, { ...filled, ...wrong })
    expect([wrong, answer.status, answer.text]).toEqual([wrong, 422, expect.stringContaining(says)])
  }
  const review = await root.send(form, filled)
  expect(review.text).toContain(
    'mandates for payout: 100.00 USD each, at most 500.00 USD in 60 uses, a day at most 400.00 USD in 20 uses, 30 days, signed with page',
  )
  const draft = formOf(review.html, '/console/policies/review')
  const again = await root.send('/console/policies/review', { ...draft, do: 'edit' })
  expect(again.html).toMatch(/name="amount.0.cents_each"[^>]*value="100.00"/)
  expect((await root.send('/console/policies/review', { ...draft, do: 'set' })).status).toBe(303)
  const id = await sign({ uses_per_day: 20 })
  expect((await payOut(4_000)).consent.mandate.id).toBe(id)

  const shown = formOf((await root.open(form)).html)
  expect(shown).toMatchObject({ allowed: 'yes', uses: '60', uses_per_day: '20', 'amount.0.cents': '500.00' })
  expect((await root.send(form, shown)).text).toContain('This is already the policy in force')
  // Somebody else has set the policy since the form was opened.
  const stale = await root.send(form, { ...filled, uses: '50' })
  expect([stale.status, stale.html]).toEqual([409, expect.stringMatching(/name="uses"[^>]*value="50"/)])
  const none = await root.send(form, { ...shown, allowed: 'no' })
  await root.send('/console/policies/review', {
    ...formOf(none.html, '/console/policies/review'),
    do: 'set',
  })
  expect((await payOut(4_000)).mandate_problem).toContain('the policy allows no mandates for payout')
})
