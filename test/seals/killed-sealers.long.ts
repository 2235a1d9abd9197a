import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { readLog } from '../../src/db/queries/ledger/sealing.ts'
import { epochHashes, ledgerHashes, type StoredHashes } from '../../src/db/queries/ledger/tiles.ts'
import type { Deps } from '../../src/deps.ts'
import { verdictOf } from '../../src/operations/audit/ledger-proof.ts'
import { type HeldEpoch, readHeldEpoch } from '../../src/seals/held-epoch.ts'
import { logPlace } from '../../src/seals/log-place.ts'
import { consistencyRanges, provesConsistency } from '../../src/seals/merkle.ts'
import { sealLedgers } from '../../src/seals/sealer.ts'
import { rootsOf } from '../../src/seals/tiled-tree.ts'
import { depsOf, livedAccount } from '../ledger/lived-account.ts'
import { type TestDatabase, freshDatabase } from '../support/database.ts'
import { builtProgram } from '../support/program.ts'
import { runFolder } from '../support/supervisor.ts'
import { appendTo, publishedRoots, sealerIn, url } from './scene.ts'

const atOnce = 3
/**
 * How often each of them is killed, and how long after it began at most. On a busy machine, where most are killed before their first
 * seal, each lives longer than the one before it, until there are enough seals.
 */
const kills = { min: 12, max: 40, withinMs: 900, laterMs: 300 }
const sealsMin = 4

let database: TestDatabase
let deps: Deps
let sealer: ReturnType<typeof sealerIn>
let program: string
beforeAll(async () => {
  program = await builtProgram(runFolder())
  database = await freshDatabase()
  deps = depsOf(database)
  sealer = sealerIn(database.db)
}, 300_000)
afterAll(async () => {
  sealer.remove()
  await deps.close()
  await database.drop()
})

const compiled = (path: string) => JSON.stringify(join(program, 'dist', 'src', path))

/** A process that seals without pause, and says when it begins. */
function sealElsewhere(): ChildProcess {
  const code = `
    import { connect } from ${compiled('db/connect.js')}
    import { sealLedgers } from ${compiled('seals/sealer.js')}
    const db = connect(${JSON.stringify(database.serviceUrl)}, { applicationName: 'gate test', connectionsMax: 2 })
    const log = { info() {}, warn() {}, error() {} }
    const config = { DATA_DIR: ${JSON.stringify(sealer.config.DATA_DIR)} }
    console.log('begins')
    for (;;) await sealLedgers({ db, log, config, publicUrl: () => ${JSON.stringify(url)} })`
  return spawn(process.execPath, ['--input-type=module', '-e', code], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
}

/** @returns whether it was the kill that ended it */
async function killAtRandom(child: ChildProcess, withinMs: number): Promise<boolean> {
  const exited = once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>
  await Promise.race([once(child.stdout!, 'data'), exited])
  await sleep(Math.random() * withinMs)
  child.kill('SIGKILL')
  const [, signal] = await exited
  return signal === 'SIGKILL'
}

/** Whether each published tree of these sizes begins with the one before. */
async function areConsistent(
  stored: StoredHashes,
  trees: { size: number; root: Buffer }[],
): Promise<boolean> {
  for (const [i, after] of trees.entries()) {
    const before = trees[i - 1]
    if (!before) continue
    const path = await rootsOf(stored, after.size, consistencyRanges(before.size, after.size))
    if (!provesConsistency(before, after, path)) return false
  }
  return true
}

const treesOf = async (from: string) =>
  (await database.asSuperuser(
    `select size::int, root, note is null as is_unsigned from ${from} order by size`,
  )) as {
    size: number
    root: Buffer
    is_unsigned: boolean
  }[]

test('sealers that are killed over and over, at any moment, sign one history, and the next one goes on', async () => {
  const accounts = [await livedAccount(deps), await livedAccount(deps)].map(({ account }) => account)
  const { stateFolder } = logPlace(sealer.config, (await readLog(database.db)).log)
  const published = new Map<string, string>()
  const held: HeldEpoch[] = []
  const killed = new AbortController()
  const sealsOf = (account: string) => treesOf(`gate.ledger_seal where account_id = '${account}'`)
  const areSealedOften = async () =>
    (await Promise.all(accounts.map(sealsOf))).every(({ length }) => length >= sealsMin)
  const killing = async () => {
    for (let i = 0; i < kills.min || (i < kills.max && !(await areSealedOften())); i++) {
      const withinMs = kills.withinMs + kills.laterMs * Math.max(0, i - kills.min)
      expect(await killAtRandom(sealElsewhere(), withinMs)).toBe(true)
      const record = readHeldEpoch(stateFolder)
      if (record) held.push(record)
      for (const [place, root] of await publishedRoots(database)) {
        expect(published.get(place) ?? root).toBe(root)
        published.set(place, root)
      }
    }
  }
  const writing = async () => {
    for (let i = 0; !killed.signal.aborted; i++) {
      await appendTo(database, accounts[i % 2]!, 1 + Math.floor(Math.random() * 40))
      await sleep(10)
    }
  }
  const all = Promise.all(Array.from({ length: atOnce }, killing))
  await Promise.all([writing(), all.finally(() => killed.abort())])

  for (const account of accounts) await appendTo(database, account, 1)
  expect(await sealLedgers(sealer)).toMatchObject({ state: 'sealed', faults: [] })
  const roots = await publishedRoots(database)
  for (const [place, root] of published) expect(roots.get(place)).toBe(root)
  const epochs = await treesOf('gate_private.epoch_seal')
  // A recorded seal may have been signed, also where it was not published before the kill.
  for (const { size, root } of held)
    expect(epochs.find((epoch) => epoch.size === size)?.root.toString('hex')).toBe(root)
  expect(await areConsistent(epochHashes(database.db), epochs)).toBe(true)
  for (const account of accounts) {
    const seals = await sealsOf(account)
    expect(seals.length).toBeGreaterThanOrEqual(sealsMin)
    expect([...seals, ...epochs].filter((one) => one.is_unsigned)).toEqual([])
    expect(await areConsistent(ledgerHashes(database.db, account), seals)).toBe(true)
    const config = { ...deps.config, ...sealer.config }
    expect(await verdictOf({ db: database.db, config }, account)).toMatchObject({ ok: true })
  }
}, 240_000)
