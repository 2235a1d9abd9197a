import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { readFileSync, readdirSync, realpathSync, rmSync, statSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { type Runner, type Scope, install, installKey, runners, uninstall } from '../lib/index.js'
import { type FakeGate, goodKey, startFakeGate } from './fake-gate.ts'
import { type Machine, exists, newMachine } from './machine.ts'
import { testRows } from '../../../test/support/rows.ts'

let gate: FakeGate
let machine: Machine
beforeAll(async () => {
  gate = await startFakeGate()
})
afterAll(() => gate.close())
const setUp = () => {
  machine = newMachine()
}
beforeEach(setUp)
const tearDown = () => machine.remove()
afterEach(tearDown)

const put = (runner: Runner, scope: Scope = 'user') =>
  install({ ...machine.options(runner, gate.url), scope, dir: machine.project })
const take = (runner: Runner, scope: Scope = 'user') =>
  uninstall({ runner, scope, dir: machine.project, env: machine.env })

const files: Record<Runner, string> = {
  claude: '.claude/settings.json',
  codex: '.codex/hooks.json',
  gemini: '.gemini/settings.json',
  cursor: '.cursor/hooks.json',
  copilot: '.copilot/hooks/qualification-gate.json',
  opencode: '.config/opencode/plugins/qualification-gate.js',
}
const projectFiles: Record<Runner, string> = {
  ...files,
  copilot: '.github/hooks/qualification-gate.json',
  opencode: '.opencode/plugins/qualification-gate.js',
}
const merged = runners.filter((runner): runner is Exclude<Runner, 'opencode'> => runner !== 'opencode')
const scripts = '.config/qualification-gate'

/** Every file below a folder, with what is in it. */
function contents(folder: string): Record<string, string> {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  const isFile = (name: string) => statSync(join(folder, name)).isFile()
  return Object.fromEntries(
    names.filter(isFile).map((name) => [name, readFileSync(join(folder, name), 'utf8')]),
  )
}

describe('the entry of', () => {
  const quoted = (text: string) => `'${text.replaceAll("'", String.raw`'\''`)}'`
  // A path with an apostrophe, quoted for the shell that the program is started by, and again for the runner's.
  const isolated = (args: string, rest: string) =>
    `/usr/bin/env -i /bin/sh -c ${quoted(
      `/bin/sh ${quoted(join(realpathSync(machine.home), scripts, 'gate-hook.sh'))} ${args}; ${rest}`,
    )}`
  const command = (runner: string) =>
    isolated(
      `${runner} tool-calls`,
      '[ $? -eq 10 ] || { echo "gate: the tool call was not allowed" >&2; exit 2; }',
    )
  const outcome = (runner: string) => isolated(`${runner} outcomes`, 'exit 0')
  const settings = (runner: Runner) => JSON.parse(machine.read(files[runner]))

  test('Claude Code blocks on failure', async () => {
    await put('claude')
    const report = [{ matcher: '*', hooks: [{ type: 'command', command: outcome('claude'), timeout: 10 }] }]
    const before = { type: 'command', command: command('claude'), timeout: 90, onFailure: 'block' }
    expect(settings('claude')).toEqual({
      hooks: {
        PreToolUse: [{ matcher: '*', hooks: [before] }],
        PostToolUse: report,
        PostToolUseFailure: report,
      },
    })
  })

  test('Claude Code without a terminal passes on one variable, as an argument', async () => {
    await install({ ...machine.options('claude', gate.url), headless: true })
    const { command: given } = settings('claude').hooks.PreToolUse[0].hooks[0]
    expect(given.match(/\$\w+/g)).toEqual(['$1', '$CLAUDE_CODE_ENTRYPOINT'])
  })

  test('no runner has the name of a variable, which some replace by its value', async () => {
    for (const runner of merged)
      for (const scope of ['user', 'project'] as const) {
        await put(runner, scope)
        const path =
          scope === 'user' ? join(machine.home, files[runner]) : join(machine.project, projectFiles[runner])
        expect([runner, readFileSync(path, 'utf8').match(/\$[\w{]/g)]).toEqual([runner, null])
      }
  })

  test('Codex has no other field at the top', async () => {
    await put('codex')
    expect(settings('codex')).toEqual({
      hooks: {
        PreToolUse: [{ hooks: [{ type: 'command', command: command('codex'), timeout: 90 }] }],
        PostToolUse: [{ hooks: [{ type: 'command', command: outcome('codex'), timeout: 10 }] }],
      },
    })
  })

  test('Gemini CLI has its limits in milliseconds, and a name that nobody knows before', async () => {
    await put('gemini')
    const name = expect.stringMatching(/^gate-[\da-f]{32}$/)
    expect(settings('gemini')).toEqual({
      hooks: {
        BeforeTool: [{ hooks: [{ name, type: 'command', command: command('gemini'), timeout: 90_000 }] }],
        AfterTool: [{ hooks: [{ name, type: 'command', command: outcome('gemini'), timeout: 10_000 }] }],
      },
    })
  })

  test('Cursor is closed on failure', async () => {
    await put('cursor')
    expect(settings('cursor')).toEqual({
      version: 1,
      hooks: {
        preToolUse: [{ command: command('cursor'), timeout: 90, failClosed: true }],
        postToolUse: [{ command: outcome('cursor'), timeout: 10 }],
        postToolUseFailure: [{ command: outcome('cursor'), timeout: 10 }],
      },
    })
  })

  test('Copilot gives up well before its limit', async () => {
    await put('copilot')
    expect(settings('copilot')).toEqual({
      version: 1,
      hooks: {
        PreToolUse: [{ type: 'command', bash: command('copilot'), timeoutSec: 60 }],
        PostToolUse: [{ type: 'command', bash: outcome('copilot'), timeoutSec: 10 }],
      },
    })
    expect(machine.read(`${scripts}/copilot.env`)).toContain('GATE_SECONDS=40\n')
  })

  test('OpenCode is a plugin', async () => {
    await put('opencode')
    expect(machine.read(files.opencode)).toContain("'tool.execute.before'")
  })
})

describe('installing for each runner', () => {
  const ofEvery = testRows([...runners], [tearDown, setUp])

  ofEvery(
    'the key itself is nowhere, and what is made of it is where nobody else can read it',
    async (runner) => {
      await put(runner)
      const holders = Object.entries(contents(machine.home)).filter(([, text]) => text.includes(goodKey))
      expect(holders).toEqual([])
      const signing = Object.entries(contents(machine.home)).filter(([name]) => name.endsWith('.key'))
      expect(signing.map(([name]) => [name, machine.mode(name)])).toEqual([
        [`${scripts}/${runner}.key`, '600'],
      ])
    },
  )

  ofEvery(
    'for a project, the key is in no file of the project, and no path of this machine',
    async (runner) => {
      await put(runner, 'project')
      const written = contents(machine.project)
      expect(Object.keys(written)).toEqual([projectFiles[runner]])
      expect(Object.values(written).join('')).not.toMatch(/GATE_(INNER|OUTER|URL)/)
      expect(Object.values(written).join('')).not.toContain('gate-hook-it')
    },
  )

  ofEvery('a second time changes nothing', async (runner) => {
    await put(runner)
    const before = contents(machine.home)
    const { files: changed } = await put(runner)
    expect(contents(machine.home)).toEqual(before)
    expect(changed.map(({ change }) => change)).toEqual(changed.map(() => 'unchanged'))
  })

  ofEvery('with another key replaces the key', async (runner) => {
    await put(runner)
    const before = contents(machine.home)
    await install({ ...machine.options(runner, gate.url), key: 'gate_anotherKey' })
    const all = Object.entries(contents(machine.home))
    expect(all.filter(([name, text]) => before[name] !== text).map(([name]) => name)).toEqual([
      `${scripts}/${runner}.key`,
    ])
  })

  ofEvery('uninstalling leaves nothing of ours', async (runner) => {
    await put(runner)
    await take(runner)
    expect(contents(machine.home)).toEqual({})
  })

  ofEvery('uninstalling what is not installed is refused', async (runner) => {
    await expect(take(runner)).rejects.toThrow(/is not installed there/)
  })
})

describe('the settings of each runner that were there before', () => {
  const ofEvery = testRows(merged, [tearDown, setUp])
  const hook = { type: 'command', command: 'mine.sh' }
  const own: Record<(typeof merged)[number], [string, object]> = {
    claude: ['PreToolUse', { matcher: 'Bash', hooks: [hook] }],
    codex: ['PreToolUse', { hooks: [hook] }],
    gemini: ['BeforeTool', { matcher: 'write_file', hooks: [hook] }],
    cursor: ['preToolUse', { command: 'mine.sh' }],
    copilot: ['PreToolUse', { type: 'command', bash: 'mine.sh' }],
  }
  const othersOf = (runner: keyof typeof own) => {
    const [event, entry] = own[runner]
    return { theme: 'dark', env: { MINE: '1' }, hooks: { [event]: [entry], Stop: [] } }
  }
  const formerOf = (runner: keyof typeof own) => `${JSON.stringify(othersOf(runner), null, 4)}\n\n`

  ofEvery('stay, with the hooks of others before ours', async (runner) => {
    const [event, entry] = own[runner]
    machine.write(files[runner], formerOf(runner), 0o640)
    await put(runner)
    const now = JSON.parse(machine.read(files[runner]))
    expect(now).toMatchObject({ theme: 'dark', env: { MINE: '1' } })
    expect(now.hooks[event]).toHaveLength(2)
    expect(now.hooks[event][0]).toEqual(entry)
    expect(now.hooks.Stop).toEqual([])
    expect(machine.read(files[runner])).toMatch(/^\{\n {4}"/)
    expect(machine.mode(files[runner])).toBe('640')
  })

  ofEvery('are restored byte for byte, with their mode', async (runner) => {
    machine.write(files[runner], formerOf(runner), 0o640)
    await put(runner)
    await put(runner)
    const { files: changed } = await take(runner)
    expect(machine.read(files[runner])).toBe(formerOf(runner))
    expect(machine.mode(files[runner])).toBe('640')
    expect(changed[0]).toMatchObject({ change: 'restored' })
  })

  ofEvery('keep what was changed since, when ours is taken out', async (runner) => {
    machine.write(files[runner], formerOf(runner))
    await put(runner)
    const changed = { ...JSON.parse(machine.read(files[runner])), added: true }
    machine.write(files[runner], JSON.stringify(changed))
    await take(runner)
    const expected =
      runner === 'cursor' || runner === 'copilot' ? { ...othersOf(runner), version: 1 } : othersOf(runner)
    expect(JSON.parse(machine.read(files[runner]))).toEqual({ ...expected, added: true })
  })

  ofEvery('keep what was changed since also after a second installation', async (runner) => {
    machine.write(files[runner], formerOf(runner))
    await put(runner)
    const changed = { ...JSON.parse(machine.read(files[runner])), added: true }
    machine.write(files[runner], JSON.stringify(changed))
    await install({ ...machine.options(runner, gate.url), wait: 5, key: 'gate_anotherKey' })
    await take(runner)
    expect(JSON.parse(machine.read(files[runner]))).toMatchObject({ theme: 'dark', added: true })
    expect(machine.read(files[runner])).not.toMatch(/gate/)
  })

  ofEvery('keep a hook that was put beside ours, in the same group', async (runner) => {
    const [event] = own[runner]
    await put(runner)
    const json = JSON.parse(machine.read(files[runner]))
    const [group] = json.hooks[event]
    if (!group.hooks) return
    group.hooks.push({ type: 'command', command: 'mine.sh' })
    machine.write(files[runner], JSON.stringify(json))
    await put(runner)
    await take(runner)
    const { hooks } = JSON.parse(machine.read(files[runner]))
    expect(hooks[event].map((one: { hooks: object[] }) => one.hooks)).toEqual([
      [{ type: 'command', command: 'mine.sh' }],
    ])
  })

  const unreadable = merged.flatMap((runner) => {
    const [event] = own[runner]
    return [
      ['not JSON', '{"hooks": '],
      ['JSON with comments', '{\n// mine\n}'],
      ['a list', '[]'],
      ['hooks as a list', '{"hooks": []}'],
      ['an event as an object', `{"hooks": {"${event}": {}}}`],
      ['an event with a text', `{"hooks": {"${event}": ["mine"]}}`],
    ].map(([what, text]) => ({ runner, what, text: text! }))
  })
  testRows(unreadable, [tearDown, setUp])(
    'are left as they are, and nothing else is written, if they cannot be read',
    async ({ runner, text }) => {
      machine.write(files[runner], text)
      const before = contents(machine.home)
      await expect(put(runner)).rejects.toThrow(/was left as it is/)
      expect(contents(machine.home)).toEqual(before)
    },
  )

  ofEvery('may be a link: what it leads to is changed', async (runner) => {
    const target = machine.write('dotfiles/settings.json', formerOf(runner))
    machine.write(files[runner], '')
    rmSync(join(machine.home, files[runner]))
    symlinkSync(target, join(machine.home, files[runner]))
    await put(runner)
    expect(realpathSync(join(machine.home, files[runner]))).toBe(realpathSync(target))
    expect(machine.read('dotfiles/settings.json')).toMatch(/gate/)
  })
})

test('the key of a member alone, for a hook of an administrator', () => {
  const { files: written } = installKey({ runner: 'gemini', env: machine.env, key: goodKey })
  expect(written).toEqual([{ path: join(machine.home, scripts, 'gemini.key'), change: 'written' }])
  expect(Object.keys(contents(machine.home))).toEqual([`${scripts}/gemini.key`])
  expect(machine.mode(`${scripts}/gemini.key`)).toBe('600')
  expect(() => installKey({ runner: 'gemini', env: machine.env, key: 'a b' })).toThrow(/not an API key/)
})

describe('several installations', () => {
  test('the scripts stay while another runner uses them', async () => {
    await put('codex')
    await put('gemini')
    await take('codex')
    expect(exists(machine.home, scripts, 'gate-hook.sh')).toBe(true)
    expect(exists(machine.home, scripts, 'codex.env')).toBe(false)
    await take('gemini')
    expect(contents(machine.home)).toEqual({})
  })

  test('the local settings of a project have the hook, and not the key', async () => {
    await put('claude', 'local')
    expect(Object.keys(contents(machine.project))).toEqual(['.claude/settings.local.json'])
    expect(Object.values(contents(machine.project))[0]).not.toContain('GATE_INNER')
  })
})

describe('an installation is refused:', () => {
  const refused = (given: object) => install({ ...machine.options('claude', gate.url), ...given })

  testRows<[string, object, RegExp]>(
    [
      ['a key that breaks a line', { key: 'gate_key\nGATE_URL=x' }, /not an API key/],
      ['a key with a quote', { key: 'gate_"key"gate' }, /not an API key/],
      ['an address without a scheme', { url: 'gate.example.com' }, /--url must be the address/],
      ['an address with a query', { url: 'https://gate.example.com?x=1' }, /--url must be the address/],
      ['an address with a password', { url: 'https://a:b@gate.example.com' }, /--url must be the address/],
      ['an address of another scheme', { url: 'file:///etc/passwd' }, /--url must be the address/],
      ['an address without encryption', { url: 'http://gate.example.com' }, /must start with https/],
      ['certificates without a whole path', { ca: 'gate.pem' }, /--ca must be/],
      ['a wait that is too long', { wait: 51 }, /--wait must be/],
      ['half a second', { wait: 0.5 }, /--wait must be/],
      ['a runner that is unknown', { runner: 'emacs' }, /--runner must be one of/],
      ['a scope that is unknown', { scope: 'world' }, /--scope must be one of/],
      ['local settings of another runner', { runner: 'codex', scope: 'local' }, /for Claude Code alone/],
      ['a program that is not there', { binary: '/nonexistent/claude' }, /was not found/],
    ],
    [tearDown, setUp],
  )('settings that do not fit', async (_, given, message) => {
    await expect(refused(given)).rejects.toThrow(message)
    expect(contents(machine.home)).toEqual({})
  })

  test.each<[Runner, string, RegExp]>([
    ['claude', '2.1.316', /Claude Code 2\.1\.316 cannot be gated: older versions ignore/],
    ['claude', '2.0.999', /cannot be gated/],
    ['claude', '1.9.400', /cannot be gated/],
    ['codex', '0.123.9', /Codex 0\.123\.9 cannot be gated/],
  ])('%s %s, with which it would not block', async (runner, version, message) => {
    machine.remove()
    machine = newMachine({ [runner]: version })
    await expect(put(runner)).rejects.toThrow(message)
    expect(contents(machine.home)).toEqual({})
  })

  test.each(['2.1.317', '2.2.0', '3.0.0'])('but not Claude Code %s', async (version) => {
    machine.remove()
    machine = newMachine({ claude: version })
    expect((await put('claude')).version).toBe(version)
  })

  test('a plugin of the same name that is not ours', async () => {
    machine.write(files.opencode, 'export const Mine = 1\n')
    await expect(put('opencode')).rejects.toThrow(/is not ours/)
    expect(machine.read(files.opencode)).toBe('export const Mine = 1\n')
  })
})
