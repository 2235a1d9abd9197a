import { expect, test } from '@jest/globals'
import { spendToolGrant } from '../../src/db/queries/runner/tool-consents.ts'
import type { ToolVerdict } from '../../src/gate/runner-calls/rules.ts'
import type { ToolCall } from '../../src/gate/runner-calls/tool-call.ts'
import { hashKey } from '../../src/keys/api-key.ts'
import { authenticateRunner } from '../../src/operations/authenticate.ts'
import { decideToolCall } from '../../src/operations/runner-calls/decide-tool-call.ts'
import { memberOfRunner, runnerContext } from '../../src/operations/runner-calls/runner-context.ts'
import { digested, toKeep } from '../../src/operations/runner-calls/tool-call-view.ts'
import { claude } from '../../src/runner-hooks/claude.ts'
import { askedInSlack } from '../support/consent.ts'
import { useGate } from '../support/use-gate.ts'
import { runnerScene } from '../support/runner-scene.ts'
import { until } from '../support/until.ts'

const gate = useGate()

const scene = () => runnerScene(gate)
const remove = 'rm -rf build'

test('a call without an id is asked about again ten seconds after it used its consent', async () => {
  const { hook, rows, decide, isGranted, passed } = await scene()
  const call = { callId: null }
  const { action: id } = await hook.ask(remove, call)
  await decide('approve')
  await isGranted(id!)
  expect(await hook.ask(remove, call)).toMatchObject({ decision: 'allow', action: id })
  expect((await hook.ask(remove, call)).reason).toMatch(/already used/)

  await passed('11 seconds')
  const next = await hook.ask(remove, call)
  expect(next.reason).toMatch(/Waiting for the consent/)
  expect(next.action).not.toBe(id)
  expect((await rows()).filter((row: { status: string }) => row.status === 'proposed')).toHaveLength(1)
  await decide('approve', 2)
  await isGranted(next.action!)
  expect(await hook.ask(remove, call)).toMatchObject({ decision: 'allow', action: next.action })
})

test('a call with an id that used its consent stays refused, however late it comes again', async () => {
  const { hook, decide, isGranted, passed } = await scene()
  const call = { callId: 'toolu_once' }
  const { action: id } = await hook.ask(remove, call)
  await decide('approve')
  await isGranted(id!)
  expect((await hook.ask(remove, call)).decision).toBe('allow')
  await passed('1 day')
  expect((await hook.ask(remove, call)).reason).toMatch(/already used/)
})

test('an approval is not spent after the runner was told that nothing was decided', async () => {
  const { hook, decide, isGranted, grace } = await scene()
  const call = { callId: 'toolu_late' }
  const { action: id } = await hook.ask(remove, call)
  await decide('approve')
  await isGranted(id!)
  const caller = await authenticateRunner(gate.deps, hashKey(hook.key), '127.0.0.1')
  const context = runnerContext({ deps: gate.deps, ...caller, source: 'runner' })
  const asked = claude.readCall(hook.bodyOf(remove, call), { version: null }) as ToolCall
  await expect(
    decideToolCall(context, asked, { decideMs: 0, waitMs: 0, canDefer: false, files: null }),
  ).rejects.toMatchObject({ code: 'unavailable', message: expect.stringContaining('did not decide within') })

  // The statement was on its way, and waited for others until the end.
  const { facts, member } = await memberOfRunner(context)
  const { deps, account, keyHash: apiKey, keyId } = context
  const outcome = await spendToolGrant(deps.db, {
    account,
    id: id!,
    apiKey,
    memberId: grace.memberId,
    versions: { member: member.version, curricula: facts.curriculaVersion, policy: facts.policyVersion },
    withinMs: 0,
    call: toKeep(digested(asked, { keyId, memberId: grace.memberId }), {
      effect: 'runs',
      rule: null,
    } as ToolVerdict),
  })
  expect(outcome).toBe('late')
  expect(await hook.ask(remove, call)).toMatchObject({ decision: 'allow', action: id })
  expect((await hook.ask(remove, call)).reason).toMatch(/already used/)
})

test('a second use of a consent is a denied row and a count, once however often it is tried', async () => {
  const { hook, row, rows, decide, isGranted, counted, verify } = await scene()
  const call = { callId: 'toolu_once' }
  const { action: id } = await hook.ask(remove, call)
  await decide('approve')
  await isGranted(id!)
  expect((await hook.ask(remove, call)).decision).toBe('allow')

  const refused = await hook.ask(remove, call)
  expect(refused.reason).toContain(`The consent to this very call (action ${id}) was already used.`)
  expect(refused.action).not.toBe(id)
  expect(await row(refused.action!)).toMatchObject({
    status: 'denied',
    denial_code: 'consent_used',
    denial_reason: expect.stringContaining(`(action ${id})`),
    requires_confirmation: false,
    payload: { call_id: 'toolu_once' },
  })
  expect((await hook.ask(remove, call)).reason).toBe(refused.reason)
  expect(await rows()).toHaveLength(2)
  expect(await counted()).toEqual({ asked: 1, allowed: 1, denied: 1 })
  expect(await verify()).toMatchObject({ ok: true })
})

test('each new call that is refused because of a decline is a denied row and a count, a repeat of it is not', async () => {
  const { hook, grace, row, rows, decide, counted, verify } = await scene()
  const waiting = hook.ask(remove, { wait: 20 })
  await decide('decline')
  const declined = await waiting

  const again = { callId: 'toolu_again' }
  const refused = await hook.ask(remove, again)
  expect(refused.reason).toBe(`${grace.email} declined this call. (action ${refused.action})`)
  expect(refused.action).not.toBe(declined.action)
  expect(await row(refused.action!)).toMatchObject({
    status: 'denied',
    denial_code: 'consent_declined',
    denial_reason: `The member declined this call (action ${declined.action}).`,
  })
  expect((await hook.ask(remove, again)).reason).toBe(refused.reason)
  expect(await rows()).toHaveLength(2)
  await hook.ask(remove, { callId: 'toolu_third' })
  expect(await rows()).toHaveLength(3)
  expect(await counted()).toEqual({ asked: 1, allowed: 0, denied: 2 })
  expect(await verify()).toMatchObject({ ok: true })
})

test('a call without an id that waited for its member, who declined it, has one row, which says so', async () => {
  const { hook, slack, row, rows, decide, passed } = await scene()
  const waiting = hook.ask(remove, { callId: null, wait: 20 })
  await askedInSlack(gate, slack)
  await passed('40 seconds')
  await decide('decline')
  const { action, decision, reason } = await waiting
  expect([decision, reason]).toEqual(['deny', expect.stringMatching(/declined this call/)])
  expect(await row(action!)).toMatchObject({ status: 'cancelled', closed_reason: 'member_declined' })
  expect(await rows()).toHaveLength(1)
})

test('a call with an id that comes again after its member declined it has one row, which says so', async () => {
  const { hook, rows, decide, passed } = await scene()
  const call = { callId: 'toolu_once' }
  const { action: id } = await hook.ask(remove, call)
  await decide('decline')
  await until('the call is declined', async () => (await rows())[0]?.status === 'cancelled')
  await passed('20 minutes')
  const answer = await hook.ask(remove, call)
  expect(answer).toMatchObject({ decision: 'deny', action: id })
  expect(answer.reason).toMatch(/declined this call/)
  expect(await rows()).toHaveLength(1)
})

test('why a member declined is told to the agent, and is in no row that outlasts its erasure', async () => {
  const { hook, row, rows, decide, account } = await scene()
  const waiting = hook.ask(remove, { wait: 20 })
  await decide('decline')
  const { action: id } = await waiting
  await gate.database.asSuperuser(
    `update gate.action set decline_reason = 'Ada is in it' where account_id = '${account}' and id = ${id}`,
  )
  const refused = await hook.ask(remove)
  expect(refused.reason).toContain('Ada is in it')
  expect(JSON.stringify(await row(refused.action!))).not.toContain('Ada')
  expect(await rows()).toHaveLength(2)
})

test('a request that an administrator cancelled refuses the next call with a row', async () => {
  const { hook, row, cancel } = await scene()
  const { action: id } = await hook.ask(remove)
  await cancel(id!)
  const refused = await hook.ask(remove)
  expect(await row(refused.action!)).toMatchObject({
    status: 'denied',
    denial_code: 'consent_declined',
    denial_reason: `An administrator cancelled the request for this call (action ${id}).`,
  })
})
