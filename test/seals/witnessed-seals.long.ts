import { once } from 'node:events'
import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { readPrivateJson } from '../../src/data-dir/private-file.ts'
import type { Deps } from '../../src/deps.ts'
import { readCheckpoint } from '../../src/operations/seals/ledger-proofs.ts'
import { readLog } from '../../src/db/queries/ledger/sealing.ts'
import { listSealFaults } from '../../src/db/queries/ledger/seals.ts'
import { makeLogKey } from '../../src/seals/log-keys.ts'
import { logPlace } from '../../src/seals/log-place.ts'
import { noteKey, parseNote, verifiedKeys, vkeyOf } from '../../src/seals/note.ts'
import { parseTrustPolicy } from '../../src/seals/trust-policy.ts'
import { witnessedBy } from '../../src/seals/cosigning/witnessed.ts'
import { witnessesOf } from '../../src/seals/cosigning/witness-policy.ts'
import { sealLedgers } from '../../src/seals/sealer.ts'
import { depsOf, type Lived, livedAccount, livedSeq } from '../ledger/lived-account.ts'
import { freshDatabase, type TestDatabase } from '../support/database.ts'
import { shorten } from '../support/shorten.ts'
import { gateOn } from '../cli/gate-command.ts'
import { appendTo, publishedRoots, restoreTo, sealerIn, url } from './scene.ts'
import { startWitness, type WitnessProcess } from './witness-process.ts'

let database: TestDatabase
let deps: Deps
let lived: Lived
let sealer: ReturnType<typeof sealerIn>
let folder: string
let witness: WitnessProcess
beforeEach(async () => {
  database = await freshDatabase()
  deps = depsOf(database)
  lived = await livedAccount(deps)
  sealer = sealerIn(database.db)
  folder = mkdtempSync(join(process.env['TEST_RUN_DIR'] ?? tmpdir(), 'witness-'))
  const { publicKey } = makeLogKey(logPlace(sealer.config, (await readLog(database.db)).log), 0, new Date())
    .all[0]!
  const log = vkeyOf(noteKey('gate.example.com/epochs', 0x01, publicKey))
  witness = await startWitness([
    '--dir',
    folder,
    '--listen',
    '127.0.0.1:0',
    '--name',
    'w.example',
    '--log',
    log,
  ])
})
afterEach(async () => {
  await witness.end('SIGTERM')
  sealer.remove()
  rmSync(folder, { recursive: true, force: true })
  await deps.close()
  await database.drop()
})

/** Seals as a process that has just started: it knows nothing of what the witness holds. */
const seal = (policy = `${witness.policyLine}\nquorum w.example\n`) =>
  sealLedgers({ ...sealer, cosigners: witnessesOf({ WITNESS_POLICY: policy }) })

/**
 * Seals as a process does that has just started. Before these of its questions to the witness, another process seals something and has
 * it cosigned.
 */
async function sealOvertaken(questions: number[]) {
  const witnesses = witnessesOf({ WITNESS_POLICY: `${witness.policyLine}\nquorum w.example\n` })!
  let asked = 0
  const report = await sealLedgers({
    ...sealer,
    cosigners: {
      async ask(note, consistency) {
        if (questions.includes(asked++)) {
          await appendTo(database, lived.account, 1)
          expect(await seal()).toMatchObject({ state: 'sealed', faults: [], cosigned: ['w.example'] })
        }
        return witnesses.ask(note, consistency)
      },
    },
  })
  expect(asked).toBeGreaterThan(Math.max(...questions))
  return report
}

async function cosigners(): Promise<string[]> {
  const policy = parseTrustPolicy(`${witness.policyLine}\nquorum w.example\n`)
  const { cosigned, isQuorum } = witnessedBy(policy, await readCheckpoint(database.db))
  expect(isQuorum).toBe(cosigned.length === 1)
  return cosigned.map((one) => one.witness)
}

test('the checkpoint of an epoch carries the cosignature of a witness, also of one that was down before', async () => {
  expect(await seal()).toMatchObject({ state: 'sealed', epoch: 1 })
  expect(await cosigners()).toEqual(['w.example'])
  await appendTo(database, lived.account, 3)
  const down = witness.policyLine.replace(/:\d+$/, ':9')
  const report = await seal(`${down}\nquorum w.example\n`)
  expect(report).toMatchObject({
    state: 'sealed',
    epoch: 2,
    why: 'Not cosigned by w.example: the quorum is not reached.',
  })
  expect(await cosigners()).toEqual([])
  expect(await seal()).toMatchObject({ state: 'sealed', epoch: 2, accounts: [] })
  expect(await cosigners()).toEqual(['w.example'])
}, 60_000)

test('a database restored together with the record of its seals is not sealed, because the witness holds more', async () => {
  await seal()
  const record = join(folder, 'record')
  cpSync(sealer.config.DATA_DIR, record, { recursive: true })
  await appendTo(database, lived.account, 3)
  expect(await seal()).toMatchObject({ state: 'sealed', epoch: 2 })
  const signed = await publishedRoots(database)

  await restoreTo(database, lived.account, { seq: livedSeq, epoch: 1 })
  rmSync(sealer.config.DATA_DIR, { recursive: true })
  cpSync(record, sealer.config.DATA_DIR, { recursive: true })
  await appendTo(database, lived.account, 5)
  const refused = {
    state: 'attention',
    epoch: 1,
    faults: [{ account: '', problem: expect.stringContaining('the witness w.example') }],
  }
  expect(await seal()).toMatchObject(refused)
  expect(await seal()).toMatchObject(refused)
  const after = await publishedRoots(database)
  for (const [place, root] of after) expect(signed.get(place)).toBe(root)
}, 60_000)

test('a sealer that another one overtakes while it asks a witness sees no other history', async () => {
  const elsewhere = { state: 'elsewhere', accounts: [], faults: [] }
  // Before the first epoch; then at the first question; then also where it asks again.
  for (const questions of [[0], [0], [0, 1]]) {
    expect(await sealOvertaken(questions)).toMatchObject(elsewhere)
    expect(await listSealFaults(database.db, null)).toEqual([])
    expect(await cosigners()).toEqual(['w.example'])
    await appendTo(database, lived.account, 1)
  }
  // After it has sealed.
  const report = await sealOvertaken([1])
  expect(report).toMatchObject({ state: 'sealed', accounts: [{ account: lived.account }], faults: [] })
  expect(report.why).toBeUndefined()
  expect(await sealOvertaken([0, 1])).toMatchObject(elsewhere)
  expect(await listSealFaults(database.db, null)).toEqual([])
}, 60_000)

test('a key in a file without a record and without epochs signs no first epoch, because the witness holds more', async () => {
  await seal()
  const { stateFolder } = logPlace(sealer.config, (await readLog(database.db)).log)
  for (const name of readdirSync(stateFolder)) if (name !== 'key.json') rmSync(join(stateFolder, name))
  await restoreTo(database, lived.account, { seq: 3, epoch: 0 })
  expect(await seal()).toMatchObject({
    state: 'attention',
    epoch: 0,
    faults: [{ account: '', problem: expect.stringContaining('the witness w.example') }],
  })
  expect((await publishedRoots(database)).size).toBe(0)
}, 60_000)

test('a container that lost its record and its database is not sealed again from the beginning, because the witness holds more', async () => {
  const { keys } = readPrivateJson(
    join(logPlace(sealer.config, (await readLog(database.db)).log).keyFolder, 'key.json'),
  ) as { keys: [{ seed: string }] }
  const given = (more: object = {}) =>
    sealLedgers({
      ...sealer,
      config: { DATA_DIR: join(folder, 'lost'), LEDGER_KEY: keys[0].seed },
      cosigners: witnessesOf({ WITNESS_POLICY: `${witness.policyLine}\nquorum w.example\n` }),
      ...more,
    })
  expect(await given()).toMatchObject({ state: 'sealed', epoch: 1, cosigned: ['w.example'] })
  rmSync(join(folder, 'lost'), { recursive: true })
  await restoreTo(database, lived.account, { seq: 3, epoch: 0 })
  expect(await given()).toMatchObject({
    state: 'attention',
    epoch: 0,
    faults: [{ account: '', problem: expect.stringContaining('the witness w.example') }],
  })
  expect((await publishedRoots(database)).size).toBe(0)
}, 60_000)

test('gate ledger seal says which witness cosigned, also where nothing new was sealed', async () => {
  const gateWith = (policy: string) =>
    gateOn({
      DATABASE_URL: database.serviceUrl,
      DATA_DIR: sealer.config.DATA_DIR,
      PUBLIC_URL: url,
      WITNESS_POLICY: policy,
    })
  const policy = `${witness.policyLine}\nquorum w.example\n`
  const sealDown = () => gateWith(policy.replace(/:\d+\n/, ':9\n'))('ledger', 'seal')
  // Before the first epoch the witness must be heard.
  expect((await sealDown()).stdout).toContain('w.example did not say whether there was an earlier history')
  expect((await gateWith(policy)('ledger', 'seal')).stdout).toContain('Epoch 1 was cosigned by w.example.')
  await appendTo(database, lived.account, 1)
  expect((await sealDown()).stdout).toContain('Not cosigned by w.example')
  const up = await gateWith(policy)('ledger', 'seal')
  expect(up.stdout).toBe('Nothing new to seal. The last epoch is 2.\nEpoch 2 was cosigned by w.example.\n')
  expect((await gateWith(policy)('ledger', 'seal')).stdout).toBe(
    'Nothing new to seal. The last epoch is 2.\n',
  )
}, 60_000)

/** The witness behind an address where something happens before each question reaches it. */
async function witnessAfter(before: () => Promise<void>) {
  const server = createServer(async (request, response) => {
    const question = Buffer.concat(await request.toArray())
    await before()
    const answer = await fetch(new URL(request.url!, witness.address), { method: 'POST', body: question })
    response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? 'text/plain' })
    response.end(Buffer.from(await answer.arrayBuffer()))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    policy: `${witness.policyLine.replace(/:\d+$/, `:${port}`)}\nquorum w.example\n`,
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

test('gate ledger seal waits for its turn where another process seals, and says what is then true', async () => {
  let overtakings = 0
  let isMore = false
  const slow = await witnessAfter(async () => {
    if (overtakings-- <= 0) return
    await appendTo(database, lived.account, 1)
    expect(await seal()).toMatchObject({ state: 'sealed', faults: [] })
    if (isMore) await appendTo(database, lived.account, 1)
  })
  const gate = gateOn({
    DATABASE_URL: database.serviceUrl,
    DATA_DIR: sealer.config.DATA_DIR,
    PUBLIC_URL: url,
    WITNESS_POLICY: slow.policy,
  })
  expect(await seal()).toMatchObject({ state: 'sealed', epoch: 1 })

  // An entry is new after the other process has sealed.
  ;[overtakings, isMore] = [1, true]
  expect(await gate('ledger', 'seal')).toMatchObject({
    code: 0,
    stdout: 'Sealed 1 ledger, up to epoch 3.\nEpoch 3 was cosigned by w.example.\n',
    stderr: '',
  })
  // The other process has sealed everything.
  ;[overtakings, isMore] = [1, false]
  expect(await gate('ledger', 'seal')).toMatchObject({
    code: 0,
    stdout: 'Nothing new to seal. The last epoch is 4.\n',
    stderr: '',
  })
  // Other processes go on sealing for longer than it waits.
  const giveBack = shorten({ sealTurnWaitMs: 2_000 })
  try {
    ;[overtakings, isMore] = [Infinity, true]
    expect(await gate('ledger', 'seal')).toMatchObject({
      code: 1,
      stdout: '',
      stderr:
        'Other processes were sealing for 2 seconds, so new entries may not be sealed yet. Run `gate ledger seal` again.\n',
    })
  } finally {
    giveBack()
    await slow.close()
  }
}, 60_000)

test('gate ledger seal asks the witnesses, doctor shows them, and the policy of gate ledger keys checks the checkpoint', async () => {
  const gate = gateOn({
    DATABASE_URL: database.serviceUrl,
    DATA_DIR: sealer.config.DATA_DIR,
    PUBLIC_URL: url,
    WITNESS_POLICY: `${witness.policyLine}\nquorum w.example\n`,
  })
  expect(await gate('ledger', 'seal', '--json')).toMatchObject({
    code: 0,
    json: { state: 'sealed', epoch: 1 },
  })
  const policy = parseTrustPolicy((await gate('ledger', 'keys', '--json')).json.policy)
  const note = await readCheckpoint(database.db)
  expect(verifiedKeys(parseNote(note)!, [policy.logs[0]!.key])).toHaveLength(1)
  expect(witnessedBy(policy, note)).toMatchObject({ isQuorum: true, missing: [] })
  const checks = (await gate('doctor', '--json')).json.checks as { item: string; detail: string }[]
  expect(checks.find(({ item }) => item === 'witnesses')).toMatchObject({
    verdict: 'ok',
    detail: 'Epoch 1 is cosigned by w.example.',
  })
}, 60_000)
