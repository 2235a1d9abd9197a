import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import type { FakeGate, Script } from '../support/fake-gate.ts'
import { decides, gateKey, startFakeGate } from '../support/fake-gate.ts'
import type { DrivenHome } from '../support/runner-run.ts'
import { forgetPermissions, installHook, makeHome, resultOf, run } from '../support/runner-run.ts'
import { runAtTerminal } from '../support/runner-terminal.ts'

let home: DrivenHome
let gate: FakeGate | undefined

beforeEach(async () => {
  home = await makeHome('claude')
})
afterEach(async () => {
  await gate?.close()
  gate = undefined
  await home.close()
})

/** A gate that can change its mind. */
async function gateThat(first: Script): Promise<FakeGate & { now: (next: Script) => void }> {
  let script = first
  gate = await startFakeGate((response, call) => script(response, call))
  await installHook(home, gate.url)
  return { ...gate, now: (next) => (script = next) }
}

describe('without a terminal', () => {
  test('the gate allows: a tool runs that Claude Code itself would not have allowed', async () => {
    await gateThat(decides('allow'))
    forgetPermissions(home)
    expect(await run(home)).toMatchObject({ ran: true })
  })

  test('the gate is down: the tool does not run', async () => {
    const { close } = await gateThat(decides('allow'))
    gate = undefined
    await close()
    expect(await run(home)).toMatchObject({ ran: false })
  })

  test('defer ends the turn; resumed, the same call is asked again and runs once it is allowed', async () => {
    const { calls, now } = await gateThat(decides('defer'))
    const first = await run(home)
    expect(first.ran).toBe(false)
    const { session_id, stop_reason, deferred_tool_use } = resultOf(first.output)
    expect(stop_reason).toBe('tool_deferred')
    const input = { command: `touch ${home.file}`, description: 'Run' }
    expect(deferred_tool_use).toEqual({ id: 'toolu_fake', name: 'Bash', input })

    now(decides('allow'))
    expect(await run(home, '--resume', session_id)).toMatchObject({ ran: true })
    const same = { session_id, tool_name: 'Bash', tool_use_id: 'toolu_fake', tool_input: input }
    expect(calls.map(({ path, body }) => ({ path, body }))).toEqual([
      { path: 'tool-calls', body: expect.objectContaining(same) },
      { path: 'tool-calls', body: expect.objectContaining(same) },
      { path: 'outcomes', body: expect.objectContaining(same) },
    ])
  })

  test('a deferred call that is denied when resumed does not run, and the model is told why', async () => {
    const { now } = await gateThat(decides('defer'))
    const { session_id } = resultOf((await run(home)).output)
    now(decides('deny', 'Declined by Ada.'))
    expect(await run(home, '--resume', session_id)).toMatchObject({ ran: false })
    expect(home.models.told.at(-1)).toContain('Declined by Ada.')
  })

  test('the request says that there is no terminal, whatever the environment says', async () => {
    const { calls } = await gateThat(decides('deny'))
    home.env['CLAUDE_CODE_ENTRYPOINT'] = 'cli'
    await run(home)
    expect(calls).toMatchObject([{ key: gateKey, entrypoint: 'sdk-cli' }])
  })
})

describe('at a terminal', () => {
  test('deny: the tool does not run, and the model is told why', async () => {
    const { calls } = await gateThat(decides('deny', 'Denied by rule 3.'))
    expect(await runAtTerminal(home)).toBe(false)
    expect(home.models.told.at(-1)).toContain('Denied by rule 3.')
    expect(calls).toMatchObject([{ entrypoint: 'cli' }])
  })

  test('the gate is down: the tool does not run', async () => {
    const { close } = await gateThat(decides('allow'))
    gate = undefined
    await close()
    expect(await runAtTerminal(home)).toBe(false)
  })

  test('a call that the gate defers all the same does not run', async () => {
    await gateThat(decides('defer'))
    expect(await runAtTerminal(home)).toBe(false)
  })
})

describe('where the hook cannot block', () => {
  test('an inherited variable makes Claude Code at a terminal say that it has none', async () => {
    const { calls } = await gateThat(decides('defer'))
    home.env['CLAUDE_CODE_ENTRYPOINT'] = 'sdk-cli'
    expect(await runAtTerminal(home)).toBe(true)
    expect(calls[0]).toMatchObject({ entrypoint: 'sdk-cli' })
  })
})
