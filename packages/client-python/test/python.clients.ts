import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
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

/** How often Grace was asked. */
let times = 0
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

const mypy = ['-m', 'mypy', '--strict', '--cache-dir', join(projectRoot, 'build/mypy')]
const python = (...args: string[]) => finish('python3', args, env, folder)

test('it proposes, waits, gives the result, runs functions with consent, and is never asked twice', async () => {
  const said = await python('-m', 'pytest', '-q', '-p', 'no:cacheprovider', 'tests/test_client.py')
  expect(said).toMatch(/^\d+ passed/m)
  expect(said).not.toMatch(/skipped|xfail/)
})

/** Each framework has its own packages, so that none brings what another needs. */
const frameworks = [
  ['langgraph', 'langgraph==1.2.24', 'langchain==1.5.2', 'langgraph-checkpoint-sqlite==3.1.2'],
  ['openai_agents', 'openai-agents==0.24.0'],
  ['pydantic_ai', 'pydantic-ai-slim==2.68.0'],
]

describe.each(frameworks)('its tools for %s', (name, ...packages) => {
  const adapters = name === 'langgraph' ? ['langchain', 'langgraph'] : [name!]
  let path: string
  let run: (...args: string[]) => Promise<string>
  beforeAll(async () => {
    path = `${env['PYTHONPATH']}:${await pythonPackages(...packages)}`
    run = (...args) => finish('python3', args, { ...env, PYTHONPATH: path }, folder)
  }, 300_000)

  test('propose once, and do what the gate says', async () => {
    const said = await run('-m', 'pytest', '-q', '-p', 'no:cacheprovider', `tests/test_${name}.py`)
    expect(said).toMatch(/^\d+ passed/m)
    expect(said).not.toMatch(/skipped|xfail/)
  })

  test('are typed', async () => {
    const modules = adapters.flatMap((adapter) => ['-m', `qualification_gate_client.adapters.${adapter}`])
    expect(await run(...mypy, ...modules)).toMatch(/^Success: no issues found/)
    expect(await run(...mypy, `tests/test_${name}.py`)).toMatch(/^Success: no issues found/)
  })

  test('do in the programs of their page what it says', async () => {
    const programs = blocksOf(readPage('docs/frameworks.md')).filter(
      ({ info, text }) =>
        info === 'python' && adapters.some((adapter) => text.includes(`adapters.${adapter} import`)),
    )
    expect(programs).toHaveLength(adapters.length)
    for (const { text } of programs)
      expect(await saidBy(text, `${join(folder, 'tests')}:${path}`)).toMatch(
        /That is all\.\n$|"status": "executed"/,
      )
  })
})

test('it is typed, for Python 3.10 as well, and so are its tests', async () => {
  for (const checked of [['-m', 'qualification_gate_client'], ['tests/test_client.py']])
    for (const version of ['3.10', '3.13'])
      expect(await python(...mypy, '--python-version', version, ...checked)).toMatch(
        /^Success: no issues found/,
      )
})

test('the programs of its page do what they say', async () => {
  const [act, gated] = blocksOf(readPage('packages/client-python/README.md')).filter(
    ({ info }) => info === 'python',
  )
  expect(await saidBy(act!.text)).toMatch(/by e-mail: tell them[^]*\nAction \d+ reached 0 in Slack\.\n$/)
  const before = 'has_open_orders, remove = (lambda _: False), (lambda customer: customer)\n'
  const printed = gated!.text.replace('delete_customer({', 'print(delete_customer({').trimEnd()
  const [, kind] = readPage('docs/declare-a-kind.md').match(/<<'JSON'\n(\{\n[^]*?\n\})\nJSON\n/) ?? []
  expect(await saidBy(`${before}${printed})`, env['PYTHONPATH'], { kind: JSON.parse(kind!) })).toBe(
    "{'deleted': 'cus_41'}\n",
  )
})

/** Runs a program of a page, with an account whose member Grace approves. */
async function saidBy(
  program: string,
  path = env['PYTHONPATH'],
  given: { kind?: Record<string, unknown> } = {},
): Promise<string> {
  const email = 'grace@example.com'
  const { url, key } = await members.account({ email, ...given })
  times += 1
  const [said] = await Promise.all([
    finish('python3', ['-c', program], { ...env, PYTHONPATH: path, GATE: url, KEY: key }),
    members.decide({ email, times }),
  ])
  return said
}
