import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { projectRoot } from '../../src/process/root.ts'
import { type Started, start } from '../start/started.ts'
import { builtProgram } from '../support/program.ts'
import { type Block, blocksOf, pages, readPage } from './markdown.ts'

/** Pages that must have at least one block to run. */
const runnablePages = [
  'README.md',
  'docs/quickstart.md',
  'docs/rest.md',
  'docs/mcp.md',
  'docs/connect-an-agent.md',
  'docs/consent.md',
  'docs/money.md',
  'docs/integrations.md',
  'docs/workspaces.md',
  'docs/previews.md',
  'docs/console.md',
  'docs/cli.md',
  'docs/declare-a-kind.md',
  'docs/mandates.md',
  'docs/operating.md',
  'docs/runners.md',
  'docs/runner-rules.md',
  'docs/proof.md',
  'docs/put-an-mcp-server-behind-the-gate.md',
  'docs/write-an-executor.md',
  'docs/claim-actions.md',
  'docs/admin-api.md',
  'docs/events.md',
]

const blocksToRun = (page: string): Block[] =>
  blocksOf(readPage(page)).filter(({ info }) => info === 'sh run' || info === 'json answer')

test('exactly the listed pages have blocks to run', () => {
  expect(pages.filter((page) => blocksToRun(page).length > 0).toSorted()).toEqual(runnablePages.toSorted())
})

test.each(pages)(
  '%s uses only known kinds of blocks, and has no answer before the first block to run',
  (page) => {
    const known = ['', 'sh', 'sh run', 'json', 'json answer', 'sql', 'ts', 'js', 'toml', 'yaml', 'python']
    expect(blocksOf(readPage(page)).filter(({ info }) => !known.includes(info))).toEqual([])
    expect(blocksToRun(page)[0]?.info ?? 'sh run').toBe('sh run')
  },
)

test('a wrong answer, a failing command and a refused request are found', () => {
  const actual = { id: 7, name: 'Ada', list: [{ a: 1, b: 2 }] }
  expect(answersTo(actual, { name: 'A…', list: [{ a: 1 }] })).toBe(true)
  expect(answersTo(actual, { name: 'Grace' })).toBe(false)
  expect(answersTo(actual, { missing: '…' })).toBe(false)
  expect(answersTo(actual, { list: [] })).toBe(false)
  expect(lastJson('before\n{"a":{"b":1}}\n{\n "c": [2]\n}\n')).toEqual({ c: [2] })
})

describe('against the demo', () => {
  let demo: Started
  let folder: string

  beforeAll(async () => {
    folder = await cloneOf(await builtProgram(process.env['TEST_RUN_DIR']!))
    demo = await start(join(folder, '.data'))
  }, 300_000)
  afterAll(async () => {
    await demo?.end('SIGTERM')
  }, 60_000)

  test('a command that fails ends its page', async () => {
    const outputs = await run([{ info: 'sh run', text: 'echo before\nfalse\necho after\n', line: 1 }])
    expect([outputs.code, outputs.texts]).toEqual([1, ['before\n']])
    const refused = '. docs/demo.sh\napi /api/v1/actions/999999999\n'
    expect((await run([{ info: 'sh run', text: refused, line: 1 }])).code).not.toBe(0)
  }, 30_000)

  test.each(runnablePages)(
    '%s does what it says',
    async (page) => {
      const blocks = blocksToRun(page)
      const commands = blocks.filter(({ info }) => info === 'sh run')
      const { code, texts, errors } = await run(commands)
      const failed = commands[texts.length - 1]
      expect({ page, line: code === 0 ? 0 : failed?.line, code, errors: code === 0 ? '' : errors }).toEqual({
        page,
        line: 0,
        code: 0,
        errors: '',
      })
      for (const [at, { info, text, line }] of blocks.entries()) {
        if (info !== 'json answer') continue
        const asked = blocks.slice(0, at).filter((block) => block.info === 'sh run').length - 1
        const actual = lastJson(texts[asked]!)
        const says = JSON.parse(text) as unknown
        if (!answersTo(actual, says))
          expect({ page, line, answer: actual }).toEqual({ page, line, answer: says })
      }
    },
    300_000,
  )

  /** Runs blocks in one shell, as a person would paste them. @returns the output of each, up to the one that failed */
  async function run(blocks: Block[]): Promise<{ code: number; texts: string[]; errors: string }> {
    const separator = '\u001e'
    const script = [strict, ...blocks.map(({ text }) => `printf '${separator}'\n${text}`)].join('\n')
    const shell = spawn('bash', ['-c', script], {
      cwd: folder,
      env: {
        PATH: process.env['PATH'],
        HOME: process.env['HOME'],
        TMPDIR: folder,
        DATA_DIR: join(folder, '.data'),
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let [output, errors] = ['', '']
    shell.stdout.setEncoding('utf8').on('data', (text) => void (output += text))
    shell.stderr.setEncoding('utf8').on('data', (text) => void (errors += text))
    const [code] = (await once(shell, 'close')) as [number]
    return { code, texts: output.split(separator).slice(1), errors: `${errors}\n${output.slice(-2_000)}` }
  }
})

// An HTTP error fails the block too: no page shows one on purpose.
const strict = `set -euo pipefail
curl() { command curl --fail-with-body "$@"; }`

/** A folder like a clone of the repository, with the program that this test run compiled. */
async function cloneOf(program: string): Promise<string> {
  const clone = mkdtempSync(join(process.env['TEST_RUN_DIR']!, 'clone-'))
  // PostgreSQL runs as another user where this one is root.
  chmodSync(clone, 0o711)
  copyFileSync(join(projectRoot, 'package.json'), join(clone, 'package.json'))
  mkdirSync(join(clone, 'bin'))
  // Without the check whether the program is stale, which costs a process for each command.
  symlinkSync(join(program, 'dist', 'src', 'cli.js'), join(clone, 'bin', 'gate.js'))
  symlinkSync(join(projectRoot, 'docs'), join(clone, 'docs'))
  symlinkSync(join(program, 'dist'), join(clone, 'dist'))
  symlinkSync(join(projectRoot, 'node_modules'), join(clone, 'node_modules'))
  return clone
}

/** The last JSON value of an output, on a line of its own or over several. */
function lastJson(output: string): unknown {
  const lines = output.trimEnd().split('\n')
  for (let from = lines.length - 1; from >= 0; from--) {
    if (!/^[{[]/.test(lines[from]!)) continue
    try {
      return JSON.parse(lines.slice(from).join('\n'))
    } catch {
      // It begins further up.
    }
  }
  return undefined
}

/** Whether an answer has everything that a page shows of it. `…` in a text matches anything. */
function answersTo(actual: unknown, says: unknown): boolean {
  if (typeof says === 'string' && says.includes('…')) {
    const [from, to] = says.split('…') as [string, string]
    return typeof actual === 'string' && actual.startsWith(from) && actual.endsWith(to)
  }
  if (typeof says !== 'object' || says === null) return actual === says
  if (typeof actual !== 'object' || actual === null) return false
  if (Array.isArray(says) && (!Array.isArray(actual) || actual.length !== says.length)) return false
  return Object.entries(says).every(([key, value]) =>
    answersTo((actual as Record<string, unknown>)[key], value),
  )
}
