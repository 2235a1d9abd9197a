import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { Deps } from '../../src/deps.ts'
import { type Link, linkHash } from '../../src/ledger/chain.ts'
import { exportLedger } from '../../src/ledger/export.ts'
import { verifyExport } from '../../src/ledger/verify-file.ts'
import type { Verdict } from '../../src/ledger/verify.ts'
import { projectRoot } from '../../src/process/root.ts'
import { type TestDatabase, freshDatabase } from '../support/database.ts'
import { type Lived, depsOf, livedAccount, livedSeq } from './lived-account.ts'
import { testRows } from '../support/rows.ts'

type Line = Record<string, any>

let database: TestDatabase
let deps: Deps
let lived: Lived
let folder: string
let whole: Line[]
beforeAll(async () => {
  database = await freshDatabase()
  deps = depsOf(database)
  lived = await livedAccount(deps)
  folder = mkdtempSync(join(process.env['TEST_RUN_DIR'] ?? tmpdir(), 'export-'))
  whole = []
  for await (const line of (await exportLedger(database.db, lived.account))!) whole.push({ ...line })
})
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true })
  await deps.close()
  await database.drop()
})

/** Verifies a copy of the export that `forge` has changed. Line 0 is the header, line n is seq n. */
function verifyForged(forge: (lines: Line[]) => Line[] | void) {
  const lines = structuredClone(whole)
  return verifyText((forge(lines) ?? lines).map((line) => JSON.stringify(line)).join('\n') + '\n')
}

function verifyText(text: string) {
  const file = join(folder, 'export.jsonl')
  writeFileSync(file, text)
  return verifyExport(file)
}

test('an export is a header and every entry, the first after 32 zero bytes', () => {
  const [header, first, ...rest] = whole
  expect(Object.keys(header!)).toEqual(['v', 'account', 'seq', 'hash', 'exported_at'])
  expect(header).toMatchObject({ v: 1, account: lived.account, seq: livedSeq, hash: whole.at(-1)!['hash'] })
  expect(Object.keys(first!)).toEqual(['seq', 'at', 'kind', 'action_id', 'entry', 'prev', 'hash'])
  expect(first).toMatchObject({ seq: 1, prev: '0'.repeat(64) })
  expect(rest).toHaveLength(livedSeq - 1)
})

test('an outside verifier can recompute a hash from the line alone', () => {
  const { seq, at, entry, prev, hash } = whole[9]!
  const content = Buffer.concat([
    Buffer.from(prev, 'hex'),
    Buffer.from(`${lived.account} ${seq} ${at}\n${entry}`),
  ])
  expect(createHash('sha256').update(content).digest('hex')).toBe(hash)
})

test('no address, name or message is in an export', () => {
  const text = JSON.stringify(whole)
  for (const secret of ['ada@example.com', 'U0ADA', 'Ada', 'Lunch']) expect(text).not.toContain(secret)
})

test('an untouched export verifies, also as one JSON array', async () => {
  expect(await verifyForged(() => {})).toMatchObject({ ok: true, account: lived.account, seq: livedSeq })
  const lines = whole.map((line) => JSON.stringify(line)).join(',\n')
  expect(await verifyText(`[${lines}]\n`)).toMatchObject({ ok: true, seq: livedSeq })
})

testRows<[string, string, (lines: Line[]) => Line[] | void]>([
  [
    'an edited entry',
    'seq 4',
    (l) => void (l[4]!['entry'] = l[4]!['entry'].replace('guarded_write', 'write')),
  ],
  [
    'an edited entry with a recomputed hash',
    'seq 5',
    (l) => {
      l[4]!['entry'] = l[4]!['entry'].replace('guarded_write', 'write')
      l[4]!['hash'] = linkHash(lived.account, l[4] as Link)
    },
  ],
  ['the first entry left out', 'seq 1', (l) => l.toSpliced(1, 1)],
  [
    'another first entry',
    'seq 1',
    (l) => {
      l[1]!['kind'] = 'policy_set'
      l[1]!['entry'] = l[1]!['entry'].replace('account_created', 'policy_set')
      l[1]!['hash'] = linkHash(lived.account, l[1] as Link)
    },
  ],
  ['no entry at all, as promised', 'seq 1', (l) => [{ ...l[0], seq: 0, hash: '0'.repeat(64) }]],
  [
    'an entry of an unknown version',
    'seq 4',
    (l) => {
      l[4]!['entry'] = l[4]!['entry'].replace('"v":2', '"v":1')
      l[4]!['hash'] = linkHash(lived.account, l[4] as Link)
    },
  ],
  ['an entry left out', 'seq 11', (l) => l.toSpliced(11, 1)],
  ['two entries swapped', 'seq 9', (l) => [...l.slice(0, 9), l[10]!, l[9]!, ...l.slice(11)]],
  ['an entry given twice', 'seq 10', (l) => l.toSpliced(10, 0, l[9]!)],
  ['a cut export', 'seq 13', (l) => l.slice(0, 13)],
  ['an export of nothing but its header', 'seq 1', (l) => l.slice(0, 1)],
  ['an entry more than promised', 'seq 15', (l) => void (l[0] = { ...l[0], seq: 14, hash: l[14]!['hash'] })],
  ['a backdated entry', 'seq 6', (l) => void (l[6]!['at'] = '2020-01-01T00:00:00.000Z')],
  ['another kind beside the text', 'seq 5', (l) => void (l[5]!['kind'] = 'tier_set')],
  ['another action beside the text', 'seq 17', (l) => void (l[17]!['action_id'] = 2)],
  ['a field that does not belong', 'seq 2', (l) => void (l[2]!['note'] = 'x')],
  ['another beginning', 'seq 1', (l) => void (l[1]!['prev'] = '1'.repeat(64))],
  ['a forged hash in the header', 'header', (l) => void (l[0]!['hash'] = '1'.repeat(64))],
  ['another account in the header', 'seq 1', (l) => void (l[0]!['account'] = 'acct_0000000000000000')],
  ['another version', 'header', (l) => void (l[0]!['v'] = 2)],
  ['no header', 'header', (l) => l.slice(1)],
])('a forged export is found at its place', async (_, place, forge) => {
  expect(await verifyForged(forge)).toMatchObject({ ok: false, place })
})

test('a line that is no JSON is found at its place', async () => {
  const lines = whole.map((line) => JSON.stringify(line))
  lines[5] = lines[5]!.slice(0, 40)
  expect(await verifyText(lines.join('\n'))).toMatchObject({ ok: false, place: 'seq 5' })
})

test('an empty file is no export', async () => {
  expect(await verifyText('')).toMatchObject({ ok: false, place: 'file', unreadable: true })
})

test('an export of 100 MB is verified in the memory that one of two entries takes', () => {
  const peakOf = (count: number) => {
    const file = join(folder, 'long.jsonl')
    const header = writeLongExport(file, count)
    const { verdict, peakBytes } = verifyElsewhere(file)
    expect(verdict).toEqual({ account: header['account'], seq: count, hash: header['hash'], ok: true })
    return peakBytes
  }
  expect(peakOf(5_600) - peakOf(2)).toBeLessThan(60 * 1024 * 1024)
})

/** Verifies in a process of its own, which also tells the most memory it ever held. */
function verifyElsewhere(file: string): { verdict: Verdict; peakBytes: number } {
  const program = `
    import { verifyExport } from ${JSON.stringify(join(projectRoot, 'src/ledger/verify-file.ts'))}
    const verdict = await verifyExport(${JSON.stringify(file)})
    console.log(JSON.stringify({ verdict, peakBytes: process.resourceUsage().maxRSS * 1024 }))`
  const hooks = join(projectRoot, 'test/support/run-ts.js')
  const flags = [
    '--no-warnings',
    '--max-old-space-size=40',
    '--import',
    hooks,
    '--input-type=module',
    '-e',
    program,
  ]
  return JSON.parse(spawnSync(process.execPath, flags, { encoding: 'utf8' }).stdout) as ReturnType<
    typeof verifyElsewhere
  >
}

/** Entries of the greatest length there is. The header's hash is known only at the end, so it is written twice. */
function writeLongExport(file: string, count: number): Line {
  const handle = openSync(file, 'w')
  const header: Line = { v: 1, account: lived.account, seq: count, hash: '0'.repeat(64), exported_at: at }
  let end = writeSync(handle, `${JSON.stringify(header)}\n`, 0)
  for (let seq = 1; seq <= count; seq++) {
    const kind = seq === 1 ? 'account_created' : 'tier_set'
    const entry = JSON.stringify({ v: 2, action: null, kind, data: { padding: 'x'.repeat(18_000) } })
    const link = { seq, at, kind, action_id: null, entry, prev: header['hash'] }
    header['hash'] = linkHash(lived.account, link)
    end += writeSync(handle, `${JSON.stringify({ ...link, hash: header['hash'] })}\n`, end)
  }
  writeSync(handle, JSON.stringify(header), 0)
  closeSync(handle)
  return header
}

const at = '2026-01-01T00:00:00.000Z'
