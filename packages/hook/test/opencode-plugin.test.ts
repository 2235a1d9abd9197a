import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { install } from '../lib/index.js'
import { type FakeGate, goodKey, otherAnswers, startFakeGate } from './fake-gate.ts'
import { type Machine, newMachine } from './machine.ts'
import { testRows } from '../../../test/support/rows.ts'

type Hook = (input: object, output: object) => Promise<void>

const input = { tool: 'bash', sessionID: 'ses_1', callID: 'call_1' }
const output = { args: { command: 'ls' } }
const former = process.env
let gate: FakeGate
let machine: Machine
let plugin: Record<'tool.execute.before' | 'tool.execute.after', Hook>
beforeAll(async () => {
  gate = await startFakeGate()
})
afterAll(async () => {
  process.env = former
  await gate.close()
})
const setUp = async () => {
  machine = newMachine()
  gate.hits.length = 0
  gate.answers = (_, response) => response.end('allow')
  await install(machine.options('opencode', gate.url))
  process.env = { ...former, XDG_CONFIG_HOME: join(machine.home, '.config'), GATE_HOOK_SECONDS: '0.5' }
  plugin = await load()
}
beforeEach(setUp)
const tearDown = () => machine.remove()
afterEach(tearDown)

/** The file that was installed, loaded as OpenCode loads it. */
async function load() {
  const source = readFileSync(join(machine.home, '.config/opencode/plugins/qualification-gate.js'), 'utf8')
  const url = `data:text/javascript;base64,${Buffer.from(source).toString('base64')}`
  const { QualificationGate } = await import(url)
  return QualificationGate({ directory: '/work' })
}

const before = () => plugin['tool.execute.before'](input, output)

describe('the plugin', () => {
  test('allows on the exact answer, and sends the call', async () => {
    await expect(before()).resolves.toBeUndefined()
    const [{ path, query, headers, body }] = gate.hits as [FakeGate['hits'][0]]
    expect(path).toBe('/api/v1/runner/tool-calls')
    expect(Object.fromEntries(query)).toEqual({ runner: 'opencode', as: 'text', wait: '50' })
    expect(headers.authorization).toBe(`Bearer ${goodKey}`)
    expect(JSON.parse(body)).toEqual({ hook: 'tool.execute.before', ...input, ...output, cwd: '/work' })
  })

  test('says the reason of the gate when it denies', async () => {
    gate.answers = (_, response) => response.end('Denied by rule 2, action 7.')
    await expect(before()).rejects.toThrow(/^gate: Denied by rule 2, action 7\.$/)
  })

  // A script keeps no zero byte of an answer; here it is a character like others.
  testRows(otherAnswers, [tearDown, setUp])(
    'throws on every answer but the one that allows',
    async (_, answer) => {
      gate.answers = answer
      await expect(before()).rejects.toThrow(/^gate: ./)
    },
  )

  testRows<[string, () => void]>(
    [
      [
        'nothing listens',
        () => machine.write('.config/qualification-gate/opencode.env', env('http://127.0.0.1:1')),
      ],
      ['the address is none', () => machine.write('.config/qualification-gate/opencode.env', env('gate'))],
      ['its settings are empty', () => machine.write('.config/qualification-gate/opencode.env', '')],
      ['its settings are gone', () => rmSync(join(machine.home, '.config/qualification-gate/opencode.env'))],
      ['its settings are a folder', () => (process.env['XDG_CONFIG_HOME'] = '/dev/null')],
    ],
    [tearDown, setUp],
  )('throws when it cannot ask', async (_, prepare) => {
    prepare()
    await expect(before()).rejects.toThrow(/^gate: ./)
  })

  test('throws on what cannot be sent', async () => {
    const args: Record<string, unknown> = {}
    args['itself'] = args
    await expect(plugin['tool.execute.before'](input, { args })).rejects.toThrow(/circular/)
  })

  test('uses a new key at once', async () => {
    await install({ ...machine.options('opencode', gate.url), key: 'gate_anotherKey' })
    await before()
    expect(gate.hits[0]!.headers.authorization).toBe('Bearer gate_anotherKey')
  })

  test('reports what ran, and fails nothing when it cannot', async () => {
    const after = () => plugin['tool.execute.after']({ ...input, ...output }, {})
    await after()
    expect(gate.hits[0]!.path).toBe('/api/v1/runner/outcomes')
    expect(JSON.parse(gate.hits[0]!.body)).toMatchObject({ hook: 'tool.execute.after', ...input, ...output })
    gate.answers = () => undefined
    await expect(after()).resolves.toBeUndefined()
  })
})

const env = (url: string) =>
  machine.read('.config/qualification-gate/opencode.env').replace(/^GATE_URL=.*$/m, `GATE_URL=${url}`)
