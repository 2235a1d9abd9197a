import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { verifyLedger } from '../../src/ledger/verify.ts'
import { askedInSlack, pressInSandbox } from '../support/consent.ts'
import { type TestGate, startGate } from '../support/gate.ts'
import { testHook } from '../support/runner.ts'
import type { DrivenHome } from '../support/runner-run.ts'
import { forgetPermissions, installHook, makeHome, resultOf, run } from '../support/runner-run.ts'
import { until } from '../support/until.ts'

let gate: TestGate
let home: DrivenHome
beforeAll(async () => {
  gate = await startGate()
})
afterAll(() => gate.stop())
beforeEach(async () => {
  home = await makeHome('claude')
})
afterEach(() => home.close())

let people = 0

/** A member whose Claude Code is behind the gate, and has no permissions of its own. */
async function scene(tier: 'read_only' | 'guarded_write') {
  const account = await gate.account()
  const slack = `U0000BIN${++people}`
  const grace = await account.addMember({ name: 'Grace', email: `grace${people}@example.com`, slack, tier })
  const { key } = await testHook(gate, account, grace)
  await installHook(home, gate.api.url, key)
  forgetPermissions(home)
  return {
    rows: async () => (await account.client.list({ kind: 'runner_tool' })).body.actions,
    async decide(button: 'gate_approve' | 'gate_decline') {
      const { message } = await askedInSlack(gate, slack)
      await pressInSandbox(gate, message, button)
    },
    verify: () => verifyLedger(gate.database.db, account.account),
  }
}

test('a command that the member approves in Slack runs once: Claude Code waits for it without a process', async () => {
  const { rows, decide, verify } = await scene('guarded_write')
  const first = await run(home)
  expect(first.ran).toBe(false)
  const { session_id, stop_reason } = resultOf(first.output)
  expect(stop_reason).toBe('tool_deferred')
  expect(await rows()).toMatchObject([{ status: 'proposed', payload: { call_id: 'toolu_fake' } }])

  await decide('gate_approve')
  await until('the call is approved', async () => (await rows())[0]?.status === 'executed')
  expect(await run(home, '--resume', session_id)).toMatchObject({ ran: true })
  expect(await rows()).toHaveLength(1)
  expect(await verify()).toMatchObject({ ok: true })
})

test('a command that the member declines does not run when Claude Code is resumed', async () => {
  const { rows, decide } = await scene('guarded_write')
  const { session_id } = resultOf((await run(home)).output)
  await decide('gate_decline')
  await until('the call is declined', async () => (await rows())[0]?.status === 'cancelled')
  expect(await run(home, '--resume', session_id)).toMatchObject({ ran: false })
})

test('a command that the tier does not allow is denied, told to the model, and on the ledger', async () => {
  const { rows } = await scene('read_only')
  expect(await run(home)).toMatchObject({ ran: false })
  expect(await rows()).toMatchObject([{ status: 'denied', needed_tier: 'guarded_write' }])
  expect(home.models.told.at(-1)).toContain('guarded_write')
})
