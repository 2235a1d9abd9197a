import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Deps } from '../../src/deps.ts'
import { readEpochConsistency } from '../../src/operations/seals/epoch-consistency.ts'
import { readCheckpoint, readProof } from '../../src/operations/seals/ledger-proofs.ts'
import { depsOf, livedAccount, livedSeq } from '../ledger/lived-account.ts'
import { newReceipts } from '../../packages/verify/test/receipt.ts'
import { appendTo } from '../seals/scene.ts'
import { type TestDatabase, freshDatabase } from '../support/database.ts'
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

test('of a receipt it demands what the options ask for', async () => {
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
