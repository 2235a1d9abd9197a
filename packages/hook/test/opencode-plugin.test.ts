import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { install } from '../lib/index.js'
import { type FakeGate, allows, nameOf, otherAnswers, says, startFakeGate } from './fake-gate.ts'
import { type Machine, newMachine } from './machine.ts'
import { testRows } from '../../../test/support/rows.ts'

type Hook = (input: object, output: object) => Promise<void>

const input = { tool: 'bash', sessionID: 'ses_1', callID: 'call_1' }
const output = { args: { command: 'ls' } }
let gate: FakeGate
let machine: Machine
let plugin: Record<'tool.execute.before' | 'tool.execute.after', Hook>
beforeAll(async () => {
  gate = await startFakeGate()
})
afterAll(() => gate.close())
const setUp = async () => {
  machine = newMachine()
  gate.hits.length = 0
  gate.answers = allows
  await install(machine.options('opencode', gate.url))
  write(machine.read('.config/qualification-gate/opencode.env').replace(/GATE_SECONDS=\d+/, 'GATE_SECONDS=2'))
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
    const [{ path, query, mac, body }] = gate.hits as [FakeGate['hits'][0]]
    expect(path).toBe('/api/v1/runner/tool-calls')
    expect(Object.fromEntries(query)).toEqual({ runner: 'opencode', as: 'text', wait: '50', files: 'able' })
    expect(mac).toBeDefined()
    expect(JSON.parse(body)).toEqual({ hook: 'tool.execute.before', ...input, ...output, cwd: '/work' })
  })

  test('says the reason of the gate when it denies', async () => {
    gate.answers = says('Denied by rule 2, action 7.')
    await expect(before()).rejects.toThrow(/^gate: Denied by rule 2, action 7\.$/)
  })

  testRows(otherAnswers, [tearDown, setUp])(
    'throws on every answer but the one that allows',
    async (_, answer) => {
      gate.answers = answer
      await expect(before()).rejects.toThrow(/^gate: ./)
    },
  )

  testRows<[string, () => void]>(
    [
      ['nothing listens', () => write(env('http://127.0.0.1:1'))],
      ['the address is none', () => write(env('gate'))],
      ['its settings are empty', () => write('')],
      ['its settings are gone', () => rmSync(join(machine.home, '.config/qualification-gate/opencode.env'))],
      ['its key is gone', () => rmSync(join(machine.home, '.config/qualification-gate/opencode.key'))],
      ['its program is gone', () => rmSync(join(machine.home, '.config/qualification-gate/gate-hook.sh'))],
    ],
    [tearDown, setUp],
  )('throws when it cannot ask', async (_, prepare) => {
    prepare()
    await expect(before()).rejects.toThrow(/^gate: ./)
  })

  test('gives the program nothing of its environment', async () => {
    const former = process.env
    process.env = {
      ...former,
      HOME: '/nonexistent',
      ALL_PROXY: 'http://127.0.0.1:1',
      LD_PRELOAD: '/nonexistent.so',
    }
    try {
      await expect(before()).resolves.toBeUndefined()
    } finally {
      process.env = former
    }
  })

  test('throws on what cannot be sent', async () => {
    const args: Record<string, unknown> = {}
    args['itself'] = args
    await expect(plugin['tool.execute.before'](input, { args })).rejects.toThrow(/circular/)
  })

  test('uses a new key at once', async () => {
    await install({ ...machine.options('opencode', gate.url), key: 'gate_anotherKey' })
    await expect(before()).rejects.toThrow(/does not know this runner key/)
    expect(gate.hits[0]!.headers.authorization).toContain(nameOf('gate_anotherKey'))
  })

  test('reports what ran, and fails nothing when it cannot', async () => {
    const after = () => plugin['tool.execute.after']({ ...input, ...output }, {})
    gate.answers = says('ok')
    await after()
    expect(gate.hits[0]!.path).toBe('/api/v1/runner/outcomes')
    expect(JSON.parse(gate.hits[0]!.body)).toMatchObject({ hook: 'tool.execute.after', ...input, ...output })
    gate.answers = () => undefined
    await expect(after()).resolves.toBeUndefined()
  })
})

const write = (text: string) => void machine.write('.config/qualification-gate/opencode.env', text, 0o600)

const env = (url: string) =>
  machine.read('.config/qualification-gate/opencode.env').replace(/^GATE_URL=.*$/m, `GATE_URL=${url}`)
