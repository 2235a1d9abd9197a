import { expect, test } from '@jest/globals'
import { readFileSync, statSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { managed, runners } from '../lib/index.js'

const path = (name: string) => fileURLToPath(new URL(`../${name}`, import.meta.url))
const json = (name: string) => JSON.parse(readFileSync(path(name), 'utf8'))

test.each(['gate-hook.sh', 'gate-outcome.sh'])('the plugin has the same %s, which can be run', (name) => {
  expect(readFileSync(path(`claude-plugin/${name}`), 'utf8')).toBe(
    readFileSync(path(`assets/${name}`), 'utf8'),
  )
  expect(statSync(path(`claude-plugin/${name}`)).mode & 0o111).toBe(0o111)
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

test("an administrator's Claude Code runs only their hooks, and only to the gate", () => {
  const { files } = managed({ runner: 'claude', url })
  expect(files.map((file) => file.path)).toEqual(['/etc/claude-code/managed-settings.json'])
  expect(JSON.parse(files[0]!.content)).toMatchObject({
    allowManagedHooksOnly: true,
    allowedHttpHookUrls: [`${url}/api/v1/runner/*`],
    httpHookAllowedEnvVars: ['GATE_KEY', 'CLAUDE_CODE_ENTRYPOINT'],
    hooks: { PreToolUse: [{ hooks: [{ onFailure: 'block' }] }] },
  })
})

test("an administrator's Codex cannot turn hooks off", () => {
  const [file] = managed({ runner: 'codex', url }).files
  expect(file!.path).toBe('/etc/codex/requirements.toml')
  expect(file!.content).toMatch(/^allow_managed_hooks_only = true$/m)
  expect(file!.content).toMatch(/^\[features\]\nhooks = true$/m)
  expect(file!.content).toMatch(/^command = "'\/etc\/qualification-gate\/gate-hook\.sh' codex \|\| /m)
})

test.each(['gemini', 'cursor', 'copilot'] as const)(
  "an administrator's %s has the entry and the scripts",
  (runner) => {
    const { files } = managed({ runner, url })
    expect(files[0]!.content).toContain('/etc/qualification-gate/gate-hook.sh')
    expect(files.map(({ mode }) => mode)).toEqual(['0644', '0755', '0755'])
  },
)

test('OpenCode has no settings of an administrator', () => {
  expect(() => managed({ runner: 'opencode', url })).toThrow(/no settings of an administrator/)
})
