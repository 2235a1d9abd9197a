import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { cpSync, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { projectRoot } from '../../../src/process/root.ts'
import { blocksOf, readPage } from '../../../test/docs/markdown.ts'
import { finish, pythonPackages } from '../../../test/support/installed.ts'
import { startMembers } from '../../../test/support/members-by-http.ts'
import { useGate } from '../../../test/support/use-gate.ts'

// The client for Python as pip installs it, against a real gate.

const gate = useGate()
const source = join(projectRoot, 'packages/client-python')
const folder = join(projectRoot, 'build/client-python')
const needed = [
  'httpx==0.28.1',
  'typing-extensions==4.16.0',
  'pytest==9.2.0',
  'mypy==2.4.1',
  'hatchling==1.28.0',
]

let members: Awaited<ReturnType<typeof startMembers>>
let env: NodeJS.ProcessEnv
beforeAll(async () => {
  members = await startMembers(gate)
  const packages = await pythonPackages(...needed)
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  const site = join(folder, 'site')
  env = { ...process.env, GATE_MEMBERS: members.url, PYTHONPATH: packages, PYTHONDONTWRITEBYTECODE: '1' }
  const pip = ['-m', 'pip', 'install', '-q', '--no-deps', '--no-build-isolation', '--target', site, source]
  await finish('python3', pip, env)
  cpSync(join(source, 'tests'), join(folder, 'tests'), { recursive: true })
  env['PYTHONPATH'] = `${site}:${packages}`
})
afterAll(() => members.stop())

const python = (...args: string[]) => finish('python3', args, env, folder)

test('it proposes, waits, gives the result, runs functions with consent, and is never asked twice', async () => {
  const said = await python('-m', 'pytest', '-q', '-p', 'no:cacheprovider', 'tests/test_client.py')
  expect(said).toMatch(/^\d+ passed/m)
  expect(said).not.toMatch(/skipped|xfail/)
})

test('it is typed, for Python 3.10 as well, and so are its tests', async () => {
  const mypy = ['-m', 'mypy', '--strict', '--cache-dir', join(projectRoot, 'build/mypy')]
  for (const checked of [['-p', 'qualification_gate_client'], ['tests']])
    for (const version of ['3.10', '3.13'])
      expect(await python(...mypy, '--python-version', version, ...checked)).toMatch(
        /^Success: no issues found/,
      )
})

test('the programs of its page do what they say', async () => {
  const email = 'grace@example.com'
  const { url, key } = await members.account({ email })
  const [act, gated] = blocksOf(readPage('packages/client-python/README.md')).filter(
    ({ info }) => info === 'python',
  )
  const before = 'has_open_orders, remove = (lambda _: False), (lambda customer: customer["id"])\n'
  for (const [program, says, times] of [
    [act!.text, /by e-mail: tell them[^]*\nAction \d+ reached 0 in Slack\.\n$/, 1],
    [
      `${before}${gated!.text.replace('delete_customer({', 'print(delete_customer({').trimEnd()})`,
      /^{'deleted': 'cus_41'}\n$/,
      2,
    ],
  ] as [string, RegExp, number][]) {
    const [said] = await Promise.all([
      finish('python3', ['-c', program], { ...env, GATE: url, KEY: key }),
      members.decide({ email, times }),
    ])
    expect(said).toMatch(says)
  }
})
