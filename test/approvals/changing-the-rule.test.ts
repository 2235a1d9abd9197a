import { expect, test } from '@jest/globals'
import { policyFacts } from '../../src/operations/policy/policy-in-force.ts'
import { setPolicy } from '../../src/operations/policy/set-policy.ts'
import { canonical } from '../../src/gate/canonical.ts'
import type { ApprovalRule } from '../../src/gate/approvals/rule.ts'
import { invitation, signedInByMail } from '../support/console.ts'
import { formOf } from '../support/form-of.ts'
import { until } from '../support/until.ts'
import { useConsole } from '../support/use-gate.ts'
import { type ApprovalScene, approvalScene } from './scene.ts'

const gate = useConsole({ workers: true })
const [json, review] = ['/console/policies/json', '/console/policies/review']

/** Ada is an administrator, too. */
async function ruleScene(rule: Partial<ApprovalRule> = {}) {
  const one = await approvalScene(gate, rule)
  await invitation(gate, one.account, one.people.ada.email!)
  const ada = await signedInByMail(gate, one.people.ada.email!)
  const context = { ...one.administration, kinds: gate.deps.kinds }
  const version = async () => (await policyFacts(context, one.account)).policyVersion
  const broadcast = (approvals?: ApprovalRule) => ({
    kinds: {
      broadcast: {
        tier: 'guarded_write',
        consent: 'agent_attested',
        ...(approvals ? { approvals: approvals as never } : {}),
      },
    },
  })
  const reviewed = async (document: object) => {
    const { html } = await ada.open(json)
    return ada.send(json, { ...formOf(html, json), document: canonical(document as never) })
  }
  /** Proposes the change, and consents to it. Returns the action. */
  async function ask(document: object): Promise<number> {
    const page = await reviewed(document)
    const sent = await ada.send(review, { ...formOf(page.html, review), do: 'ask' })
    const id = Number(/proposals\/(\d+)/.exec(sent.headers.get('location') ?? '')?.[1])
    const path = one.pathOf(id)
    await ada.send(path, { ...formOf((await ada.open(path)).html), does: 'confirm' })
    return id
  }
  return { ...one, ada, context, version, broadcast, reviewed, ask }
}

const ended = (one: ApprovalScene, id: number) =>
  until('an end', async () => {
    const row = await one.row(id)
    return row.status !== 'proposed' && row
  })

test('a rule changes once the approvers of the rule in force agreed, and nowhere without them', async () => {
  const one = await ruleScene()
  const before = await one.version()
  const none = one.broadcast()
  // Nobody alone: not in the console, by a program, or on the command line.
  const page = await one.reviewed(none)
  expect(page.html).toContain('value="ask"')
  expect(page.html).not.toContain('value="set"')
  const refused = await one.ada.send(review, { ...formOf(page.html, review), do: 'set' })
  expect([refused.status, refused.text]).toEqual([409, expect.stringContaining('have to agree')])
  for (const document of [
    none,
    one.broadcast({ ...one.rule, needed: 1 }),
    one.broadcast({ ...one.rule, needed: 3 }),
    one.broadcast({ ...one.rule, min_strength: 'chat' }),
  ])
    await expect(setPolicy(one.context, document as never)).rejects.toThrow('have to agree')
  await expect(setPolicy(one.context, { restores: 1 })).rejects.toThrow('have to agree')
  expect(await one.version()).toBe(before)

  const id = await one.ask(one.broadcast({ ...one.rule, needed: 1 }))
  expect((await one.open('bea', id)).text).toMatch(/Change who must approve: policy version \d+/)
  expect((await one.open('bea', id)).text).toContain('1 approval of the group')
  expect((await one.open('bea', id)).html).not.toContain('value="edit"')
  await one.press('bea', id)
  expect(await one.version()).toBe(before)
  await one.press('cy', id)
  expect(await ended(one, id)).toMatchObject({
    status: 'executed',
    result: { outcome: 'done', version: before + 1 },
  })
  expect(await one.version()).toBe(before + 1)
  // The rule in force is the new one, for what is proposed from then on.
  const next = await one.propose()
  await one.confirm(next)
  await one.press('dan', next)
  expect((await one.row(next)).consent).toBeDefined()
  // What changes no rule needs nobody.
  await setPolicy(one.context, { kinds: { refund: { tier: 'write', consent: 'page' } } } as never)
  expect(await one.verified()).toMatchObject({ ok: true })
})

test('one decline keeps the rule, and a change based on a former policy sets nothing', async () => {
  const one = await ruleScene({ needed: 1 })
  const declined = await one.ask(one.broadcast())
  await one.press('bea', declined, 'decline', { reason: 'No.' })
  expect((await one.row(declined)).status).toBe('cancelled')
  const late = await one.ask(one.broadcast())
  await setPolicy(one.context, { kinds: { refund: { tier: 'write', consent: 'page' } } } as never)
  const version = await one.version()
  await one.press('bea', late)
  expect(await ended(one, late)).toMatchObject({ status: 'cancelled', closed_reason: 'refused' })
  expect(await one.version()).toBe(version)
  await expect(setPolicy(one.context, one.broadcast() as never)).rejects.toThrow('have to agree')
  // The operator, where nobody can be reached: the entry says so.
  await setPolicy(one.context, one.broadcast() as never, 'They all left.', { withoutApprovals: true })
  const [entry] = await gate.database.asSuperuser(
    `select entry::json -> 'data' as data from gate.ledger where account_id = '${one.account}' and kind = 'policy_set' order by seq desc limit 1`,
  )
  expect(entry!['data']).toMatchObject({ without_approvals: true })
  expect(await one.verified()).toMatchObject({ ok: true })
})

test('nobody proposes a change under another rule, as an agent, or as somebody else', async () => {
  const one = await ruleScene({ needed: 1 })
  const propose = (approval: unknown, session: string, member = one.people.ada) =>
    gate.database.asSuperuser(`
      select (p).outcome from (select gate.propose('${one.account}', jsonb_build_object(
        'uuid', gen_random_uuid(), 'event', gen_random_uuid(), 'kind', 'change_approval_rule', 'kind_version', null, 'status', 'proposed',
        'denial_reason', null, 'rule', 'x', 'member_id', '${member.memberId}', 'member', 'x', 'tier_at_request', 'write', 'source', 'console',
        'payload', '{"base":2,"changes":[],"document":"{\\"kinds\\":{}}","kinds":[]}', 'salt', 'x',
        'member_version', 1, 'curricula_version', 1, 'policy_version', 2, 'rationale', null, 'consent_required', 'page', 'facts', null,
        'denial_code', null, 'denial_needs', null, 'reach_slack', 0, 'reach_email', 0, 'reach_unreachable', 0, 'recipients', null,
        'ttl_ms', 1000, 'open_max', 9, 'due_ms', 1000, 'input', null, 'tool_call', null, 'mandate_scope', null, 'replaces', null,
        'api_key', null, 'session', ${session}, 'key', null, 'request', null,
        'approval_rule', ${approval === null ? 'null' : `$$${canonical(approval as never)}$$`})) p) x`)
  const sessionOf = async (email: string) => {
    const [row] = await gate.database.asSuperuser(
      `select '\\x' || encode(token, 'hex') as token from gate_private.session where account_id = '${one.account}'
        and (admin_id is not null) = (member_id = '${one.people.ada.memberId}') and member_id = (select member_id from gate.member where account_id = '${one.account}' and email = '${email}') limit 1`,
    )
    return `'${String(row!['token'])}'`
  }
  const ada = await sessionOf(one.people.ada.email!)
  await one.browserOf('bea')
  const bea = await sessionOf(one.people.bea.email!)
  // Another rule than the one in force, or none: it rests on nothing.
  for (const rule of [null, { ...one.rule, from: { members: [one.people.ada.memberId] } }])
    expect((await propose(rule, ada))[0]).toEqual({ outcome: 'stale' })
  await expect(propose(one.rule, bea, one.people.ada)).rejects.toThrow('proposes as themselves')
  await expect(propose(one.rule, bea, one.people.bea)).rejects.toThrow('not of an administrator')
  await expect(propose(one.rule, 'null')).rejects.toThrow()
  await expect(
    gate.database.asSuperuser(`select gate.apply_rule_change('${one.account}', 1, gen_random_uuid())`),
  ).rejects.toThrow('was not confirmed')
})
