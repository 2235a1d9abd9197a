import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { describe, expect, test } from '@jest/globals'
import { type Receipt, canonical, verifyReceipt } from '#receipts'
import { verifyLedger } from '../../src/ledger/verify.ts'
import { connectAsMember, goodForm, linkFor, ringOf } from '../support/connect.ts'
import { askedByMail, askedInSlack, decideBy, pressInSandbox } from '../support/consent.ts'
import { signedInByMail } from '../support/console.ts'
import { formOf } from '../support/form-of.ts'
import { useConsole } from '../support/use-gate.ts'
import { entriesOf } from '../support/ledger-entries.ts'
import { callTool } from '../support/mcp-tool.ts'
import { testHook } from '../support/runner.ts'
import { until } from '../support/until.ts'

const gate = useConsole({ workers: true, env: { SECRETS_KEYS: ringOf('k1') } })

let people = 0
async function scene(consent = 'agent_attested') {
  const account = await gate.account()
  await account.setPolicy({
    kinds: {
      broadcast: { tier: 'guarded_write', consent },
      runner_tool: { tier: 'guarded_write', consent: 'chat' },
    },
  })
  const identities = { email: `ada${++people}@example.com`, slack: `U000REC${people}` }
  const ada = await account.addMember({ name: 'Ada', ...identities, tier: 'write' })
  const actor = { email: ada.email }
  return {
    ...account,
    ada,
    actor,
    propose: async () => (await account.client.propose(actor, 'Lunch is at noon.')).body.id as number,
    row: async (id: number) => (await account.client.get(id)).body,
    ended: (id: number) =>
      until('the row has ended', async () => {
        const { body } = await account.client.get(id)
        return body.status !== 'proposed' && body
      }),
  }
}
type Scene = Awaited<ReturnType<typeof scene>>

const keysOf = () => new URL('/.well-known/gate-receipts.json', gate.api.url)

/** Verifies the receipt of a row as a stranger would, and holds it to what stands in the ledger. */
async function verified({ account, ada }: Scene, body: any): Promise<Receipt> {
  const receipt = await verifyReceipt(body.receipt, {
    jwks: keysOf(),
    issuer: new URL(gate.api.url).origin,
    account,
    kind: body.kind,
    payload: body.payload,
    maxAge: '5m',
    minStrength: body.consent.strength,
  })
  const entries = await entriesOf(gate.database, account, body.id)
  const { data } = entries.find(({ kind }) => kind === 'confirmed')!.entry
  expect(receipt).toMatchObject({
    sub: ada.memberId,
    account,
    action: body.id,
    kind: body.kind,
    digest: body.digest,
    payload_sha256: createHash('sha256').update(canonical(body.payload)).digest('hex'),
    tier: data['tier'],
    policy_version: data['policy_version'],
    consent: { ...body.consent, strength: data['strength'], channel: data['channel'] },
    iat: Math.floor(Date.parse(body.consent.at) / 1_000),
  })
  expect(receipt.consent.display_sha256).toBe(data['card'])
  expect(receipt.exp - receipt.iat).toBe(30 * 86_400)
  const [consentEntry] = await gate.database.asSuperuser(
    `select event_id from gate.ledger where account_id = '${account}' and kind = 'confirmed' and action_id = ${body.id}`,
  )
  expect(receipt.jti).toBe(consentEntry!['event_id'])
  expect(await verifyLedger(gate.database.db, account)).toMatchObject({ ok: true })
  return receipt
}

describe('every way to consent leads to a receipt that says what the ledger says', () => {
  test('an agent confirms over REST: the answer has it, a read has the same, and no list has it', async () => {
    const made = await scene()
    const id = await made.propose()
    expect(await made.row(id)).not.toHaveProperty('receipt')
    const { body } = await made.client.confirm(id, made.actor)
    const receipt = await verified(made, body)
    expect(receipt.consent).toMatchObject({ strength: 'agent_attested', channel: 'api' })
    expect(receipt.consent).not.toHaveProperty('display_sha256')
    expect((await made.row(id)).receipt).toBe(body.receipt)
    const { actions } = (await made.client.list()).body
    expect(actions.map((row: object) => 'receipt' in row)).toEqual([false])
    expect(JSON.stringify(await callTool(made.client, 'list_actions'))).not.toContain(body.receipt)
  })

  test('an agent confirms over MCP, and gets it where it asks for it; else an answer is as short as the page says', async () => {
    const made = await scene()
    const id = await made.propose()
    const confirmed = await callTool(made.client, 'confirm_action', { id, actor: made.actor })
    const others = ['get_action', 'await_action'].map((tool) => callTool(made.client, tool, { id }))
    for (const { body } of [confirmed, ...(await Promise.all(others))])
      expect(body).not.toHaveProperty('receipt')
    const asked = await callTool(made.client, 'get_action', { id, receipt: true })
    expect((await verified(made, asked.body)).consent.channel).toBe('mcp')
    const page = readFileSync(new URL('../../docs/mcp.md', import.meta.url), 'utf8')
    const told = Number(/\| confirm \| ([\d,]+) \|/.exec(page)![1]!.replace(',', ''))
    const { length } = JSON.stringify(confirmed.body)
    expect(Math.abs(length - told) / told).toBeLessThan(0.1)
  })

  test('a member clicks in Slack', async () => {
    const made = await scene('chat')
    const id = await made.propose()
    const asked = await made.client.confirm(id, made.actor)
    expect([asked.status, asked.body.receipt]).toEqual([202, undefined])
    await pressInSandbox(gate, (await askedInSlack(gate, made.ada.slack!)).message)
    const receipt = await verified(made, await made.ended(id))
    expect(receipt.consent).toMatchObject({
      strength: 'chat',
      by: made.ada.email,
      channel: 'slack',
      display_sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
    })
  })

  test('a member who declines leaves none', async () => {
    const made = await scene('chat')
    const id = await made.propose()
    await made.client.confirm(id, made.actor)
    await pressInSandbox(gate, (await askedInSlack(gate, made.ada.slack!)).message, 'gate_decline')
    const body = await made.ended(id)
    expect([body.closed_reason, body.receipt]).toEqual(['member_declined', undefined])
  })

  test('a member decides by the link in their mailbox', async () => {
    const made = await scene('page')
    const id = await made.propose()
    await made.client.confirm(id, made.actor)
    await decideBy((await askedByMail(gate, made.ada.email!)).link)
    const receipt = await verified(made, await made.ended(id))
    expect(receipt.consent).toMatchObject({ strength: 'page', channel: 'email' })
  })

  test('a member decides in the console, where the page has it to read and as a file, and says so if the payload was changed', async () => {
    const made = await scene('page')
    const id = await made.propose()
    const visitor = await signedInByMail(gate, made.ada.email!)
    const path = `/console/proposals/${id}`
    await visitor.send(path, { ...formOf((await visitor.open(path)).html), does: 'confirm' })
    const body = await made.ended(id)
    expect((await verified(made, body)).consent).toMatchObject({ strength: 'page', channel: 'console' })
    const page = await visitor.open(path)
    expect(page.html).toContain(body.receipt)
    const file = await visitor.open(`${path}/receipt`)
    expect(file.html.trim()).toBe(body.receipt)
    expect(file.headers.get('content-disposition')).toMatch(/^attachment; filename="receipt-\d+\.jwt"$/)
    await gate.database.asSuperuser(`
      update gate.action set payload = '{"message":"Lunch is at one."}'
      where account_id = '${made.account}' and id = ${id}`)
    const changed = await visitor.open(path)
    expect(changed.html).toContain('No receipt: the stored payload is not the one that was consented to.')
    expect(changed.html).not.toContain(body.receipt)
    expect((await visitor.open(`${path}/receipt`)).status).toBe(409)
  })

  test('a person connects a provider by their link', async () => {
    const made = await scene()
    const { url, id } = await linkFor(made.client, made.actor, 'stripe')
    await connectAsMember(gate, url, goodForm.stripe)
    const receipt = await verified(made, await made.ended(id))
    expect(receipt).toMatchObject({ kind: 'integration', consent: { strength: 'page', channel: 'console' } })
  })

  test('a member approves a tool call of a runner', async () => {
    const made = await scene()
    const hook = await testHook(gate, made, made.ada)
    const { action } = await hook.ask('rm -rf build')
    await pressInSandbox(gate, (await askedInSlack(gate, made.ada.slack!)).message)
    const receipt = await verified(made, await made.ended(action!))
    expect(receipt).toMatchObject({ kind: 'runner_tool', consent: { strength: 'chat', channel: 'slack' } })
  })
})
