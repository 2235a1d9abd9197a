import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { newAccount, newGate, policyOf, sealer } from '../../packages/verify/test/log.ts'
import { newReceipts } from '../../packages/verify/test/receipt.ts'
import { projectRoot } from '../../src/process/root.ts'
import { testRows } from '../support/rows.ts'
import { type Block, blocksOf, pages, readPage } from './markdown.ts'

const readmes = readdirSync(join(projectRoot, 'packages')).map((name) => `packages/${name}/README.md`)

const programsOf = (page: string): Block[] =>
  blocksOf(readPage(page)).filter(({ info }) => info === 'ts' || info === 'js')

/** What stands before a program of a page, so that it runs: what the page leaves to the reader. */
const before: Record<string, string> = {
  'docs/connect-an-agent.md': `globalThis.fetch = async () => Response.json({ tier: 'guarded_write' })`,
  'packages/verify/README.md': '',
  'packages/receipts/README.md': `const jws = process.argv[2]
    const { readFileSync } = await import('node:fs')
    globalThis.fetch = async () => new Response(readFileSync('keys.json'))
    Date.now = () => Date.parse('2026-11-23T03:05:00.000Z')`,
  'packages/client/README.md': `const [hasOpenOrders, remove] = [async () => false, async () => 1]
    Object.assign(process.env, { GATE: 'http://127.0.0.1:9', KEY: 'k' })
    globalThis.fetch = async () => Response.json({ id: 1, status: 'denied', denial_reason: 'Grace may only read.' })`,
  'packages/attack/README.md': `const [url, key, member] = ['http://127.0.0.1:9', 'k', 'm']
    const myAdapter = () => ({ name: 'none' })`,
}

/** What it prints, or how it fails. */
const says: Record<string, RegExp> = {
  'docs/connect-an-agent.md': /^200 \{ tier: /,
  'packages/verify/README.md': /^$/,
  'packages/receipts/README.md': /^Refused: |consented at /,
  'packages/client/README.md': /^denied: Grace may only read\.$|^$/,
  'packages/attack/README.md': /adapter|^$/i,
}

test('every program of a page is run: here, or by the test that is named', () => {
  const elsewhere = {
    'docs/events.md': 'packages/client/test/langgraph-receiver.clients.ts',
    'docs/frameworks.md': 'packages/client/test/frameworks.clients.ts',
    'docs/rest.md': 'test/client/generated-client.long.ts',
    'docs/proof.md': 'packages/receipts/test/example.long.ts',
  }
  const withPrograms = [...pages, ...readmes].filter((page) => programsOf(page).length > 0)
  expect(withPrograms.toSorted()).toEqual([...Object.keys(before), ...Object.keys(elsewhere)].toSorted())
  for (const [page, file] of Object.entries(elsewhere)) {
    expect(readFileSync(join(projectRoot, file), 'utf8')).toContain(page)
  }
})

let folder: string
let receipt: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'programs-'))
  symlinkSync(join(projectRoot, 'node_modules'), join(folder, 'node_modules'))
  const [log, account] = [newGate('gate.example.com', 0), newAccount(20)]
  writeFileSync(join(folder, 'policy.txt'), policyOf(log))
  writeFileSync(join(folder, '17.tlog-proof'), sealer(log).proof(account, 17))
  const receipts = newReceipts(new Date('2026-11-23T03:00:00.000Z'))
  receipt = receipts.receipt()
  writeFileSync(join(folder, 'keys.json'), receipts.jwks)
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

testRows(Object.keys(before))('a program of a page starts, and does what it says', (page) => {
  for (const { text } of programsOf(page)) {
    const imports = text.match(/^import .*$/gm) ?? []
    const rest = text.replaceAll(/^import .*$/gm, '')
    writeFileSync(join(folder, 'program.mjs'), [...imports, before[page], rest].join('\n'))
    const { stdout, stderr } = spawnSync(process.execPath, ['program.mjs', receipt], {
      cwd: folder,
      encoding: 'utf8',
    })
    expect(stderr).not.toMatch(/SyntaxError|ReferenceError|ERR_MODULE|does not provide an export/)
    expect(stdout.trim()).toMatch(says[page]!)
  }
})
