import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { doctor } from '#hook'
import { isProblem } from '../../src/runner-hooks/dialect.ts'
import { runnerDialects } from '../../src/runner-hooks/registry.ts'
import type { FakeGate, Script } from './fake-gate.ts'
import {
  allowsOnly,
  answersWith,
  cutsOff,
  decides,
  gateKey,
  hangs,
  refuses,
  says,
  startFakeGate,
} from './fake-gate.ts'
import type { DrivenRunner } from './runner-binaries.ts'
import { heldOff, passing, plant } from './hostile-files.ts'
import type { DrivenHome } from './runner-run.ts'
import { hookFolder, installHook, loseKey, makeHome, run, shortenWait } from './runner-run.ts'

/** Answers that are not the gate's. Each body would allow, where there is one. */
const faults: [string, Script][] = [
  ['401', answersWith(401)],
  ['403', answersWith(403)],
  ['404', answersWith(404)],
  ['500', answersWith(500)],
  ['503', answersWith(503)],
  ['a redirect', answersWith(302, { location: '/elsewhere' })],
  ['an answer that is cut off', cutsOff],
  ['an expired key', refuses(401, 'This key has expired.')],
  ['a suspended account', refuses(403, 'This account is suspended.')],
  ['too many requests', refuses(429, 'Too many requests.')],
  ['allow without a signature', says('allow')],
  ['allow with the signature of nobody', says(`allow\n${'0'.repeat(64)}`)],
  ['plain text', says('OK')],
  ['a web page', says('<html>allow</html>', 'text/html')],
  ['text that has allow in it', says('allow it')],
  ['allow and a line break', says('allow\n')],
  [
    'JSON that ends in the middle',
    says('{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDec', 'application/json'),
  ],
  ['a decision that does not exist', decides('perhaps')],
  ['a decision in another case', decides('ALLOW')],
]

let home: DrivenHome
let gate: FakeGate | undefined

async function gateThat(script: Script, key = gateKey): Promise<FakeGate> {
  gate = await startFakeGate(script)
  await installHook(home, gate.url, key)
  return gate
}

/** The model was asked twice: for its first words, and with the result of its call. */
const isEnded = () => home.models.told.length >= 2

/** The tests of what blocks and what runs: the same for every runner. */
export function describeGate(runner: DrivenRunner): void {
  beforeEach(async () => {
    home = await makeHome(runner)
  })
  afterEach(async () => {
    await gate?.close()
    gate = undefined
    await home.close()
  })

  test('without a gate, the tool runs', async () => {
    expect(await run(home)).toMatchObject({ ran: true })
  })

  test('allow: the tool runs, and the gate reads the call and that it ran', async () => {
    const { calls } = await gateThat(decides('allow'))
    expect(await run(home)).toMatchObject({ ran: true })
    expect(calls.map(({ path }) => path)).toEqual(['tool-calls', 'outcomes'])
    const [before, after] = calls.map(({ body }) => body)
    const call = runnerDialects[runner].readCall(before, { version: null })
    const outcome = runnerDialects[runner].readOutcome(after)
    if (isProblem(call) || isProblem(outcome)) throw new Error(JSON.stringify([call, outcome]))
    expect(call).toMatchObject({ runner, input: { command: `touch ${home.file}` }, cwd: home.work })
    const { session, callId, tool, input } = call
    expect(session).not.toBeNull()
    expect(outcome).toEqual({ session, callId, tool, input, outcome: 'ran' })
  })

  test('deny: the tool does not run, and the model is told why', async () => {
    await gateThat(decides('deny', 'Denied by rule 3: no builds on Fridays.'))
    expect(await run(home)).toMatchObject({ ran: false })
    expect(home.models.told.at(-1)).toContain('Denied by rule 3: no builds on Fridays.')
  })

  test.each(faults)('%s: the tool does not run', async (_fault, script) => {
    const { calls } = await gateThat(script)
    expect(await run(home)).toMatchObject({ ran: false })
    expect(calls.map(({ path }) => path)).toEqual(['tool-calls'])
    expect(isEnded()).toBe(true)
  })

  test.each(['', ' ', '\n'])('the answer %j: the tool does not run', async (body) => {
    await gateThat(says(body))
    expect(await run(home)).toMatchObject({ ran: false })
    expect(isEnded()).toBe(true)
  })

  test('the gate is down: the tool does not run', async () => {
    const { close } = await gateThat(decides('allow'))
    gate = undefined
    await close()
    expect(await run(home)).toMatchObject({ ran: false })
    expect(isEnded()).toBe(true)
  })

  test('the gate does not answer: the tool does not run', async () => {
    await gateThat(hangs)
    shortenWait(home, 2)
    expect(await run(home)).toMatchObject({ ran: false })
    expect(isEnded()).toBe(true)
  })

  test('a wrong key: the tool does not run', async () => {
    const { calls } = await gateThat(allowsOnly(gateKey), 'some-other-key')
    expect(await run(home)).toMatchObject({ ran: false })
    expect(calls.map(({ key }) => key === gateKey)).toEqual([false])
  })

  test('the key is gone: the tool does not run', async () => {
    await gateThat(allowsOnly(gateKey))
    loseKey(home)
    expect(await run(home)).toMatchObject({ ran: false })
    expect(isEnded()).toBe(true)
  })

  test('the key and the files of the hook are gone: the tool does not run', async () => {
    await gateThat(allowsOnly(gateKey))
    loseKey(home)
    rmSync(hookFolder(home), { recursive: true })
    expect(await run(home)).toMatchObject({ ran: false })
    expect(isEnded()).toBe(true)
  })

  test('the program of the hook alone is gone: the tool does not run', async () => {
    const { calls } = await gateThat(allowsOnly(gateKey))
    rmSync(join(hookFolder(home), 'gate-hook.sh'))
    expect(await run(home)).toMatchObject({ ran: false })
    expect(isEnded()).toBe(true)
    expect(calls).toEqual([])
  })

  describe('in a repository that is hostile', () => {
    const proxied: string[] = []
    let proxy: FakeGate | undefined
    beforeEach(async () => {
      proxied.length = 0
      proxy = await startFakeGate((response, { path }) => {
        proxied.push(path)
        response.end('allow')
      })
    })
    afterEach(() => proxy?.close())

    test.each(Object.keys(heldOff[runner]))('%s: the gate decides', async (name) => {
      const { calls } = await gateThat(decides('deny'))
      plant(home, heldOff[runner][name]!({ ...home, proxy: proxy!.url }))
      expect(await run(home)).toMatchObject({ ran: false })
      expect(calls.map(({ path, key }) => [path, key])).toContainEqual(['tool-calls', gateKey])
      expect(proxied.filter((path) => path.includes('tool-calls'))).toEqual([])
    })

    // Nothing prevents these, as docs/runners.md says: the doctor must find them.
    test.each(Object.keys(passing[runner]))('%s: the doctor says that it is not gated', async (name) => {
      await gateThat(decides('deny'))
      plant(home, passing[runner][name]!({ ...home, proxy: proxy!.url }))
      const { ran } = await run(home)
      const { env, program: binary, work: dir } = home
      expect((await doctor({ runner, dir, env, binary })).findings).toContainEqual(
        expect.objectContaining({ check: 'not gated', verdict: 'fails' }),
      )
      // If this fails, the runner got better: move it to those that are held off.
      expect(ran).toBe(true)
    })
  })
}
