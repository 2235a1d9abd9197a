import { expect, test } from '@jest/globals'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { askCommand, reportCommand, shared } from '../lib/commands.js'
import { managed, runners } from '../lib/index.js'
import { parseToml } from '../lib/toml.js'

const path = (name: string) => fileURLToPath(new URL(`../${name}`, import.meta.url))
const json = (name: string) => JSON.parse(readFileSync(path(name), 'utf8'))

const shown = (name: string) => json('claude-plugin/hooks/hooks.json').hooks[name][0].hooks[0].command

test('the plugin has the same commands as the entry of a project, and no program of its own', () => {
  expect([shown('PreToolUse'), shown('PostToolUse'), shown('PostToolUseFailure')]).toEqual([
    askCommand(shared, 'claude'),
    reportCommand(shared, 'claude'),
    reportCommand(shared, 'claude'),
  ])
})

test('the plugin, the package and the service have one version', () => {
  const { version } = json('../../package.json')
  expect([json('package.json').version, json('claude-plugin/.claude-plugin/plugin.json').version]).toEqual([
    version,
    version,
  ])
})

test("the plugin's hook blocks on failure", () => {
  const [{ matcher, hooks }] = json('claude-plugin/hooks/hooks.json').hooks.PreToolUse
  expect(matcher).toBe('*')
  expect(hooks).toMatchObject([{ type: 'command', onFailure: 'block' }])
})

test('the README has every runner and option', () => {
  const readme = readFileSync(path('README.md'), 'utf8')
  const options = ['--scope', '--wait', '--binary', '--live', '--no-canary', '--managed', '--out', '--json']
  expect(
    [...runners, ...options].filter((word) => !readme.includes(`\`${word}`) && !readme.includes(word)),
  ).toEqual([])
})

test('the package depends on nothing', () => {
  const { dependencies, peerDependencies, optionalDependencies } = json('package.json')
  expect([dependencies, peerDependencies, optionalDependencies]).toEqual([undefined, undefined, undefined])
})

const url = 'https://gate.example.com'

const env = (runner: string, seconds: number) =>
  `GATE_URL=${url}\nGATE_QUERY=runner=${runner}${runner === 'claude' ? '' : `&wait=${seconds - 20}`}&as=text\nGATE_SECONDS=${seconds}\nGATE_KEYS=member\n`

test("an administrator's Claude Code runs only their hooks", () => {
  const [file] = managed({ runner: 'claude', url }).files
  expect(file!.path).toBe('/etc/claude-code/managed-settings.json')
  expect(JSON.parse(file!.content)).toMatchObject({
    allowManagedHooksOnly: true,
    disableAllHooks: false,
    hooks: { PreToolUse: [{ hooks: [{ type: 'command', onFailure: 'block' }] }] },
  })
})

test("an administrator's Codex cannot turn hooks off", () => {
  const [file] = managed({ runner: 'codex', url }).files
  expect(file!.path).toBe('/etc/codex/requirements.toml')
  const { allow_managed_hooks_only: isAlone, features, hooks } = parseToml(file!.content) as any
  expect([isAlone, features.hooks]).toEqual([true, true])
  expect(hooks.PreToolUse[0].hooks[0].command).toBe(askCommand('/etc/qualification-gate', 'codex'))
})

test.each(['claude', 'codex', 'gemini', 'cursor', 'copilot'] as const)(
  "an administrator's %s has the entry, the program and the address of the gate, and no key",
  (runner) => {
    const { files, notes } = managed({ runner, url })
    expect(files[0]!.content).toContain('/etc/qualification-gate/gate-hook.sh')
    expect(files.slice(1).map(({ path: at, mode }) => [at, mode])).toEqual([
      ['/etc/qualification-gate/gate-hook.sh', '0755'],
      [`/etc/qualification-gate/${runner}.env`, '0644'],
    ])
    expect(files[2]!.content.replace(/GATE_ENTRY=.*\n/, '')).toBe(env(runner, runner === 'copilot' ? 40 : 70))
    expect(notes.join(' ')).toContain(`key --runner ${runner}`)
  },
)

test('OpenCode has no settings of an administrator', () => {
  expect(() => managed({ runner: 'opencode', url })).toThrow(/no settings of an administrator/)
})
