import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { createHash } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { run } from '#verify'
import type { Deps } from '../../src/deps.ts'
import { type Link, linkHash } from '../../src/ledger/chain.ts'
import { readEpochConsistency } from '../../src/operations/seals/epoch-consistency.ts'
import { readCheckpoint, readProof } from '../../src/operations/seals/ledger-proofs.ts'
import { depsOf, livedAccount, livedSeq } from '../ledger/lived-account.ts'
import { newReceipts } from '../../packages/verify/test/receipt.ts'
import { appendTo } from '../seals/scene.ts'
import { type TestDatabase, freshDatabase } from '../support/database.ts'
import { testRows } from '../support/rows.ts'
import { type CommandResult, gateOn } from './gate-command.ts'

let database: TestDatabase
let deps: Deps
let folder: string
let gate: (...argv: string[]) => Promise<CommandResult>
let account: string
let policy: string
beforeAll(async () => {
  database = await freshDatabase()
  deps = depsOf(database)
  folder = mkdtempSync(join(process.env['TEST_RUN_DIR'] ?? tmpdir(), 'verify-'))
  gate = gateOn({
    DATABASE_URL: database.serviceUrl,
    DATABASE_OWNER_URL: database.ownerUrl,
    DATA_DIR: folder,
    PUBLIC_URL: 'https://gate.example.com',
  })
  ;({ account } = await livedAccount(deps))
  expect(await gate('ledger', 'seal')).toMatchObject({ code: 0 })
  policy = file('policy.txt', `${(await gate('ledger', 'keys', '--json')).json.policy}\n`)
})
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true })
  await deps.close()
  await database.drop()
})

function file(name: string, text: string): string {
  writeFileSync(join(folder, name), text)
  return join(folder, name)
}

test('an outside verifier reads who consented and when it was sealed from every proof that the gate gives out', async () => {
  let consents = 0
  for (let seq = 1; seq <= livedSeq; seq += 1) {
    const proof = file('entry.tlog-proof', await readProof(database.db, account, seq))
    const { code, stdout, stderr } = await gate('verify', proof, '--policy', policy)
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toMatch(/ by \S+ at \d{4}-\S+Z.*, sealed at \d{4}-\S+Z\./)
    if (/^consented by mem_\w+ at /.test(stdout)) consents += 1
  }
  expect(consents).toBeGreaterThan(0)
})

test('a sealed export of the gate is accepted by its verifier, says each consent, and is refused where an entry was changed', async () => {
  const { code, stdout } = await gate('ledger', 'export', '--account', account, '--sealed')
  expect(code).toBe(0)
  const exported = file('ledger.jsonl', stdout)
  const kept = file(
    'kept.txt',
    (await readProof(database.db, account, 1)).split('\n\n').slice(1).join('\n\n'),
  )
  const verdict = await gate('verify', exported, '--policy', policy, '--checkpoint', kept, '--json')
  expect(verdict).toMatchObject({ code: 0, stderr: '' })
  expect(verdict.json).toMatchObject({
    ok: true,
    what: 'export',
    facts: { account, entries: livedSeq, sealed: livedSeq },
  })
  const { action } = verdict.json.facts.consent
  const one = await gate('verify', exported, '--policy', policy, '--action', String(action))
  expect(one.stdout).toMatch(
    new RegExp(`Action ${action} \\(seq \\d+\\) consented by mem_\\w+ at \\S+ .*, sealed at `),
  )
  const changed = file('changed.jsonl', stdout.replace('"seq":5,', '"seq":6,'))
  expect(await gate('verify', changed, '--policy', policy)).toMatchObject({
    code: 1,
    stdout: '',
    stderr: 'seq 5: it is missing.\n',
  })
  const unsealed = file('unsealed.jsonl', (await gate('ledger', 'export', '--account', account)).stdout)
  expect(await gate('verify', unsealed, '--policy', policy)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('seal 1: it is missing: nothing in the file is signed'),
  })
})

const bytes = (text: string) => Buffer.from(text)
const crlf = (text: string) => text.replaceAll('\n', '\r\n')

testRows<[string, (text: string) => Buffer | null, number, RegExp]>([
  ['as it is', bytes, 0, /^$/],
  ['with a byte order mark', (text) => bytes(`\ufeff${text}`), 0, /^$/],
  ['with the line ends of Windows', (text) => bytes(crlf(text)), 0, /^$/],
  ['with both', (text) => bytes(`\ufeff${crlf(text)}`), 0, /^$/],
  ['without its last line end', (text) => bytes(text.slice(0, -1)), 0, /^$/],
  ['without that of Windows', (text) => bytes(crlf(text).slice(0, -2)), 0, /^$/],
  ['with empty lines at its end', (text) => bytes(`${text}\n\n`), 0, /^$/],
  ['with such of Windows', (text) => bytes(crlf(`${text}\n\n`)), 0, /^$/],
  ['with an empty line in it', (text) => bytes(text.replace('\n', '\n\n')), 1, /^seq 1: /],
  ['with another line end in it', (text) => bytes(text.replace('\n{"seq":2', '\r\n{"seq":2')), 1, /^seq 1: /],
  [
    'with spaces at the end of a line',
    (text) => bytes(text.replace('}\n{"seq":2', '}  \n{"seq":2')),
    1,
    /^seq 1: /,
  ],
  ['with a field twice', (text) => bytes(text.replace('{"seq":1,', '{"seq":1,"seq":1,')), 1, /^seq 1: /],
  ['changed', (text) => bytes(text.replace('"seq":5,', '"seq":6,')), 1, /^seq 5: /],
  ['without its last lines', (text) => bytes(text.split('\n').slice(0, 5).join('\n')), 1, /^seq 5: /],
  ['with bytes that are zero at its end', (text) => Buffer.concat([bytes(text), Buffer.alloc(512)]), 1, /: /],
  [
    'in UTF-16 with a mark',
    (text) => Buffer.from(`\ufeff${text}`, 'utf16le'),
    2,
    /it is text in UTF-16: save it as UTF-8/,
  ],
  ['in UTF-16 without one', (text) => Buffer.from(text, 'utf16le'), 2, /it is text in UTF-16/],
  [
    'in the other UTF-16',
    (text) => Buffer.from(`\ufeff${text}`, 'utf16le').swap16(),
    2,
    /it is text in UTF-16/,
  ],
  [
    'of mixed line ends',
    (text) => bytes(crlf(text).replace('\r\n{"seq":2', '\n{"seq":2')),
    2,
    /CRLF, and others with LF/,
  ],
  ['compressed', (text) => gzipSync(text), 2, /it is compressed \(gzip\): unpack it first/],
  ['empty', () => Buffer.alloc(0), 2, /it is empty/],
  ['of zeros', (text) => Buffer.alloc(text.length), 2, /bytes that are zero/],
  ['of something else', () => bytes('# Notes\n'), 2, /ledger export/],
  ['that is not there', () => null, 2, /no such file/],
])(
  'both checks read an export alike, and tell a file that cannot be read from one that was changed',
  async (what, change, code, words) => {
    const { stdout: text } = await gate('ledger', 'export', '--account', account, '--sealed')
    const made = change(text)
    const given = join(folder, `${what}.jsonl`)
    if (made) writeFileSync(given, made)
    const told = { stderr: '' }
    const io = {
      stdout: { write: () => true },
      stderr: { write: (line: string) => void (told.stderr += line) },
    }
    const checks = {
      alone: { code: await run([given, '--policy', policy], io), stderr: told.stderr },
      verify: await gate('verify', given, '--policy', policy),
      ledger: await gate('ledger', 'verify', '--file', given),
    }
    for (const [check, found] of Object.entries(checks))
      expect({ check, code: found.code, stderr: found.stderr }).toEqual({
        check,
        code,
        stderr: expect.stringMatching(words),
      })
  },
)

test('a folder is read as an archive by `ledger verify`, and by nothing else', async () => {
  const words = { code: 2, stderr: expect.stringContaining('it is a folder') }
  expect(await gate('verify', folder, '--policy', policy)).toMatchObject(words)
  expect(await gate('ledger', 'verify', '--file', folder)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('is a folder, and no archive: it has no manifest.jsonl'),
  })
})

const told = async (args: string[]) => {
  const { code, stderr } = await gate(...args)
  return { args, code, stderr }
}

const asWindows = (name: string, text: string) => file(name, `\ufeff${crlf(text)}`)

test('files beside the one that is checked are read alike: policy, checkpoint, keys, payload, receipt and proof', async () => {
  const { receipt, jwks, payload } = newReceipts(new Date('2026-11-23T03:00:00.000Z'))
  const at = ['--at', '2026-11-23T03:05:00Z']
  const proof = await readProof(database.db, account, 3)
  const { stdout: exported } = await gate('ledger', 'export', '--account', account, '--sealed')
  const windows = asWindows('policy-windows.txt', readFileSync(policy, 'utf8'))
  const kept = asWindows('kept-windows.txt', proof.split('\n\n').slice(1).join('\n\n'))
  const keys = asWindows('keys-windows.json', jwks)
  const given = asWindows('payload-windows.json', JSON.stringify(payload, null, 2))
  const jwt = asWindows('receipt-windows.jwt', `${receipt()}\n`)
  for (const args of [
    ['verify', asWindows('windows.tlog-proof', proof), '--policy', windows],
    ['verify', file('ledger.jsonl', exported), '--policy', windows, '--checkpoint', kept],
    ['verify', jwt, '--jwks', keys, '--payload', given, ...at],
    ['receipt', 'verify', '--file', jwt, '--jwks', keys, '--payload', given, ...at],
  ])
    expect(await told(args)).toEqual({ args, code: 0, stderr: '' })
  for (const [name, text] of [
    ['empty.json', ''],
    ['cut.json', '{"amount_cents":'],
    ['twice.json', '{"a":1,"a":1}'],
    ['rounded.json', '{"a":12345678901234567890}'],
  ] as const) {
    const given = file(name, text)
    expect(await told(['verify', jwt, '--jwks', keys, '--payload', given, ...at])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(`--payload ${given} cannot be read: `),
    })
  }
  const wide = join(folder, 'wide.txt')
  writeFileSync(wide, Buffer.from(`\ufeff${readFileSync(policy, 'utf8')}`, 'utf16le'))
  for (const args of [
    ['verify', jwt, '--jwks', wide],
    ['verify', windows, '--policy', wide],
    ['receipt', 'verify', '--file', wide, '--jwks', keys],
    ['receipt', 'verify', '--file', jwt, '--jwks', join(folder, 'none.json')],
    ['policy', 'set', '--account', account, '--file', wide],
  ])
    expect(await told(args)).toEqual({
      args,
      code: 2,
      stderr: expect.stringMatching(/cannot be read: (it is text in UTF-16|there is no such file)/),
    })
})

test('an entry that was added after the seal is no fact for either check, unless unsealed ones are asked for', async () => {
  const { stdout } = await gate('ledger', 'export', '--account', account, '--sealed')
  const lines = stdout.trimEnd().split('\n')
  const header = JSON.parse(lines[0]!) as { account: string; seq: number; hash: string }
  const [last, seal] = [JSON.parse(lines[header.seq]!) as Link, lines[header.seq + 1]!]
  const added = {
    action: 1,
    actor: 'mem_1',
    data: {},
    key: null,
    kind: 'decision_refused',
    payload_digest: null,
    v: 2,
  }
  const link = {
    seq: header.seq + 1,
    at: last.at,
    kind: added.kind,
    action_id: added.action,
    entry: JSON.stringify(added),
    prev: last.hash,
    hash: '',
  }
  link.hash = linkHash(account, link)
  const body = [
    JSON.stringify({ ...header, seq: link.seq, hash: link.hash }),
    ...lines.slice(1, header.seq + 1),
    JSON.stringify(link),
    seal,
  ].map((line) => `${line}\n`)
  const sha256 = createHash('sha256').update(body.join('')).digest('hex')
  const forged = file(
    'added.jsonl',
    `${body.join('')}${JSON.stringify({ end: { lines: body.length, sha256 } })}\n`,
  )
  const unsealed = await gate('ledger', 'verify', '--file', forged, '--json')
  expect(unsealed).toMatchObject({
    code: 1,
    json: { ok: false, place: `seq ${link.seq}`, sealed: false },
    stderr: expect.stringContaining('anyone can add entries after a seal'),
  })
  expect(await gate('ledger', 'verify', '--file', forged, '--unsealed', '--json')).toMatchObject({
    code: 0,
    json: { ok: true, sealed: false },
  })
  expect(await gate('verify', forged, '--policy', policy, '--json')).toMatchObject({
    code: 1,
    json: { ok: false, place: `seq ${link.seq}`, sealed: false },
  })
  expect(await gate('verify', forged, '--policy', policy, '--unsealed')).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('no seal has them'),
  })
})

test('a proof is refused where it was changed, and under the key of another log', async () => {
  const text = await readProof(database.db, account, 3)
  const changed = file('changed.tlog-proof', text.replace('index 2', 'index 3'))
  expect(await gate('verify', changed, '--policy', policy)).toMatchObject({
    code: 1,
    stdout: '',
    stderr: 'seq 3: the proof is for seq 4.\n',
  })
  const other = gateOn({ DATABASE_URL: database.serviceUrl, DATA_DIR: join(folder, 'other') })
  expect(await other('verify', file('entry.tlog-proof', text), '--json')).toMatchObject({ code: 2 })
  expect(await gate('verify', file('entry.tlog-proof', text), '--policy', changed)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('line 1 of the policy'),
  })
})

test('a receipt must meet what the options ask for', async () => {
  const { receipt, jwks, claims } = newReceipts(new Date('2026-11-23T03:00:00.000Z'))
  const given = [file('receipt.jwt', receipt()), '--jwks', file('keys.json', jwks)].concat(
    ['--issuer', claims.iss, '--account', claims.account, '--kind', 'refund'],
    ['--min-strength', 'chat', '--at', '2026-11-23T03:05:00Z'],
  )
  expect(await gate('verify', ...given)).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('consented by grace@example.com'),
  })
  for (const [option, value, problem] of [
    ['--issuer', 'https://evil.example', 'its iss is'],
    ['--account', 'acct_ZZZZZZZZZZZZZZZZ', 'its account is'],
    ['--kind', 'payout', 'its kind is refund, not payout'],
    ['--min-strength', 'page', 'weaker than page'],
    ['--at', '2026-11-25T03:00:00Z', 'it has expired'],
  ] as const) {
    const others = given.map((word, i) => (given[i - 1] === option ? value : word))
    expect(await gate('verify', ...others)).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining(problem),
    })
  }
  const proof = file('entry.tlog-proof', await readProof(database.db, account, 3))
  expect(await gate('verify', proof, '--policy', policy, '--kind', 'refund')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('--kind is for receipts'),
  })
})

test('an outside verifier with two checkpoints of the epochs checks that one continues the other, and that a proof is of that history', async () => {
  const sealed = async () => {
    await appendTo(database, account, 2)
    expect(await gate('ledger', 'seal')).toMatchObject({ code: 0 })
    return readCheckpoint(database.db)
  }
  const sizeOf = (checkpoint: string) => Number(checkpoint.split('\n')[1])
  const [early, late] = [await sealed(), await sealed()]
  const old = file('old.txt', early)
  const path = async (to: string) =>
    file('path.txt', await readEpochConsistency(database.db, { from: sizeOf(early), to: sizeOf(to) }, 1_000))
  const compared = ['--policy', policy, '--checkpoint', old, '--consistency', await path(late)]
  expect(await gate('verify', file('new.txt', late), ...compared)).toMatchObject({
    code: 0,
    stdout: expect.stringContaining(`It continues the checkpoint of ${sizeOf(early)} leaves that you kept.`),
  })
  const proof = file('entry.tlog-proof', await readProof(database.db, account, 3))
  expect(await gate('verify', proof, ...compared)).toMatchObject({
    code: 0,
    stdout: expect.stringContaining(`It is of one history with the checkpoint of ${sizeOf(early)} leaves`),
  })
  const wrong = file('path.txt', 'AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=\n')
  for (const one of [file('new.txt', late), proof])
    expect(
      await gate('verify', one, '--policy', policy, '--checkpoint', old, '--consistency', wrong),
    ).toMatchObject({ code: 1, stderr: expect.stringContaining('does not continue the one that you kept') })
})
