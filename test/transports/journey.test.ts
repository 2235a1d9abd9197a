import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { TestAccount, TestMember } from '../support/account.ts'
import type { ApiClient } from '../support/api-client.ts'
import { browser } from '../support/connect.ts'
import { askedByMail, askedInSlack, pressInSandbox, shownOn } from '../support/consent.ts'
import { useGate } from '../support/use-gate.ts'
import { type Agent, type ProgressTold, connectAgent, mcpClients } from '../support/mcp-clients.ts'

const gate = useGate({ isThreaded: true })

const pageAndChat = {
  kinds: {
    broadcast: { tier: 'guarded_write', consent: 'page' },
    refund: { bands: { usd: [{ tier: 'guarded_write', consent: 'chat' }] }, velocity: 'off' },
  },
}

describe.each(mcpClients.map(([which, make], n) => ({ which, make, n })))('with $which', ({ make, n }) => {
  const grace = { email: `grace${n}@example.com`, slack: `U0GRACE0${n}` }
  const linus = { email: `linus${n}@example.com` }
  const actor = { email: grace.email }
  let account: TestAccount & { client: ApiClient }
  let trainee: TestMember
  let agent: Agent
  beforeAll(async () => {
    account = await gate.account()
    await account.addMember({ name: 'Grace', ...grace, tier: 'guarded_write' })
    trainee = await account.addMember({ name: 'Linus', ...linus })
    await account.addCurriculum({ slug: 'safe', title: 'Safe sending', modules: 1, grants: 'guarded_write' })
    agent = await connectAgent(make, gate.api.url, account.key)
    // From here on the client checks every answer against the output schemas.
    await agent.listTools()
  })
  afterAll(() => agent.close())

  const call = async (name: string, args: Record<string, unknown>) =>
    ((await agent.callTool({ name, arguments: args })) as { structuredContent: any }).structuredContent
  const broadcast = (message: string, of: object = actor) =>
    call('request_action', { kind: 'broadcast', actor: of, payload: { message }, rationale: 'She asked.' })
  function waitFor(id: number) {
    const told: ProgressTold[] = []
    const answer = agent.callTool(
      { name: 'await_action', arguments: { id, timeout_seconds: 40 } },
      { onprogress: (one) => told.push(one) },
    ) as Promise<{ structuredContent: any }>
    return { answer, told }
  }

  test('an agent whose word is enough asks the member itself, and confirms what it showed', async () => {
    expect(await call('check_capability', { actor })).toMatchObject({ tier: 'guarded_write' })
    const proposed = await broadcast('Lunch is at noon.')
    expect(proposed).toMatchObject({
      consent_required: 'agent_attested',
      rationale: 'She asked.',
      requested_by: 'test',
      blast_radius: { slack: 1, email: 1 },
    })
    const { id, digest } = proposed
    expect(await call('confirm_action', { id, actor, digest })).toMatchObject({ status: 'executed' })
  })

  test('an agent that meets a denial finds in its codes what would suffice, and that suffices', async () => {
    const denied = await broadcast('From Linus.', linus)
    expect(denied).toMatchObject({
      status: 'denied',
      denial_code: 'tier_insufficient',
      needed_tier: 'guarded_write',
      curricula: ['safe'],
    })
    await account.pass(trainee, denied.curricula[0], 1)
    expect(await broadcast('From Linus.', linus)).toMatchObject({ status: 'proposed' })
  })

  test('an agent leaves a question to the gate where the policy does, and waits for the decision', async () => {
    await account.setPolicy(pageAndChat)
    const refund = await call('issue_refund', { actor, payment: 'pi_Sandbox05', amount_cents: 100 })
    expect(refund).toMatchObject({
      consent_required: 'chat',
      card: expect.stringMatching(/^Refund 1.00 USD[^]*Acme Tools[^]*Remaining after/),
    })
    expect(await call('confirm_action', { id: refund.id, actor })).toMatchObject({
      status: 'proposed',
      consent_request: {
        required: 'chat',
        requested_via: 'slack',
        next: expect.stringContaining('await_action'),
      },
    })
    const { answer, told } = await waitFor(refund.id)
    await pressInSandbox(gate, (await askedInSlack(gate, grace.slack)).message)
    expect((await answer).structuredContent).toMatchObject({
      status: 'executed',
      result: { outcome: 'done', amount_cents: 100 },
      consent: { strength: 'chat', by: grace.email },
    })
    expect(told[0]!.message).toBe(`Waiting for ${grace.email} to decide action ${refund.id}`)
  })

  test('an agent whose proposal the member declines on the page reads why', async () => {
    const { id, consent_required: required } = await broadcast('Dinner is at six.')
    await call('confirm_action', { id, actor })
    const { answer } = await waitFor(id)
    const { link } = await askedByMail(gate, grace.email)
    const member = browser()
    const shown = shownOn((await member.open(link)).html)
    await member.send(link, { does: 'decline', shown, reason: 'Not today.' })
    expect([required, (await answer).structuredContent]).toEqual([
      'page',
      expect.objectContaining({
        status: 'cancelled',
        closed_reason: 'member_declined',
        decline_reason: 'Not today.',
      }),
    ])
  })
})
