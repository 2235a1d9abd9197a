import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { readConfig } from '../../src/config.ts'
import { pageEntries } from '../../src/db/queries/ledger/ledger.ts'
import { readLog } from '../../src/db/queries/ledger/sealing.ts'
import { verdictOf } from '../../src/operations/audit/ledger-proof.ts'
import { readProof } from '../../src/operations/seals/ledger-proofs.ts'
import { readProven } from '../../src/operations/seals/proven.ts'
import { sealedProof } from '../../src/operations/seals/sealed-export.ts'
import { sealLedgers } from '../../src/seals/sealer.ts'
import { benchAccount } from '../support/accounts.ts'
import { type Slice, compare, load } from '../support/load.ts'
import type { Finding } from '../report.ts'
import type { Services } from '../support/services.ts'
import { type BenchCase, byFigure, byLatency, byRate } from './case.ts'
import { oursUntilStarted } from './propose.ts'

/** Takes longer than the time between two seals, so that each slice has one; all slices stay below what an account may have open. */
const perSlice = 1_600
const clients = 16
const quiet = { info: () => undefined, warn: () => undefined, error: () => undefined }

/**
 * What sealing costs: the rate of proposals with and without it; the first seal of a long ledger; the proof of an entry of it beside
 * one statement that reads the same bytes; its verification beside reading and hashing it; and the memory of its export.
 */
export const seal: BenchCase = {
  name: 'seal',
  isOnRequest: true,
  async run(services, { entries, seconds }) {
    const findings = [await proposeWhileSealing(services)]
    const account = await longLedger(services, entries)
    const config = { ...readConfig({}), DATA_DIR: join(services.folder, 'data') }
    const deps = { db: services.db, config, log: quiet, publicUrl: () => services.apiUrl }
    const startedAt = performance.now()
    await sealAll(deps)
    const perSecond = entries / ((performance.now() - startedAt) / 1_000)
    findings.push(byFigure(`first seal of ${entries} entries`, [perSecond, 'entries/s']))
    findings.push(await proofBesideRead(services, account, { entries, seconds }))
    findings.push(await verifyBesideHashing(services, account, { entries, config }))
    findings.push(await exportMemory(services, account, entries))
    return findings
  },
}

/** Seals until nothing is left. Where the worker's sealer was faster, a round does nothing and says why. */
async function sealAll(deps: Parameters<typeof sealLedgers>[0]): Promise<void> {
  for (;;) {
    const { state, accounts, why } = await sealLedgers(deps)
    if (state !== 'sealed') throw new Error(`the ledgers were not sealed: ${state}, ${why}`)
    if (accounts.length === 0 && why === undefined) return
  }
}

async function proposeWhileSealing(services: Services): Promise<Finding> {
  const account = await benchAccount(services, { proposers: 100, openMax: 10_000 })
  const proposals = () => oursUntilStarted(services, account, { clients, count: perSlice })
  // A fault that only a process with a later epoch may clear: it stops every sealer.
  const pause = (isPaused: boolean) =>
    services.asSuperuser(
      isPaused
        ? `insert into gate_private.seal_fault (account_id, problem, held) values ('', 'paused', 9000000000000000)`
        : `delete from gate_private.seal_fault`,
    )
  const compared = await compare({
    pairs: 3,
    ours: proposals,
    async bare() {
      await pause(true)
      return proposals().finally(() => pause(false))
    },
    between: () => services.quiet(),
  })
  return byRate('proposals while ledgers are sealed', clients, compared, { atLeast: 0.97 })
}

/** An account with so many entries, which are not sealed. */
async function longLedger(services: Services, entries: number): Promise<string> {
  const { account } = await benchAccount(services, { proposers: 1, openMax: 10 })
  for (let made = 0; made < entries; made += 10_000)
    await services.asSuperuser(`
      select count(gate_private.note(
        '${account}', gen_random_uuid(), 'write_refused', null, 'unknown', null, '{"operation":"propose_action","reason":"key_revoked"}'))
      from generate_series(1, ${Math.min(10_000, entries - made)})`)
  return account
}

async function proofBesideRead(
  { db }: Services,
  account: string,
  { entries, seconds }: { entries: number; seconds: number },
): Promise<Finding> {
  const anySeq = () => 1 + Math.floor(Math.random() * (entries - 1))
  const bound = { ms: (seconds / 6) * 1_000 }
  await requireSameBytes(db, account, { seq: anySeq(), size: entries })
  const compared = await compare({
    pairs: 6,
    ours: () => load(1, bound, () => readProof(db, account, anySeq())),
    bare: () => load(1, bound, () => readSameRows(db, account, { seq: anySeq(), size: entries })),
  })
  return byLatency(`proof of one of ${entries} entries`, 1, compared, { atMost: 1.5 })
}

interface Place {
  seq: number
  size: number
}

/** The bytes that the proof of an entry is made of, by one flat statement that is told where they are. */
function readSameRows(db: Services['db'], account: string, { seq, size }: Place): Promise<object[]> {
  const index = seq - 1
  const height = Math.floor(Math.log2(xor(index, size)))
  const tiles = Math.floor(height / 8)
  const width = 2 ** (height % 8)
  const first = Math.floor(index / 256 ** tiles / width) * width
  const n = (level: number) => (level < tiles ? Math.floor(index / 256 ** (level + 1)) : -1)
  const at = (level: number) => 1 + 512 * Math.floor((Math.floor(index / 256 ** level) % 256) / 16)
  return db.read(
    (sql) => sql`
      select l.*, p.* from gate.tenant(${account}) t(id),
      lateral (
        select at, entry, encode(prev, 'hex') as prev, hash from gate.ledger
        where account_id = t.id and seq = ${seq} offset 0
      ) l,
      lateral (
        select (
          select substring(hashes from ${at(0)} for 512) || nodes from gate.ledger_tile
          where account_id = t.id and level = 0 and n = ${n(0)}
        ) as leaves, (
          select substring(hashes from ${at(1)} for 512) || nodes from gate.ledger_tile
          where account_id = t.id and level = 1 and n = ${n(1)}
        ) as tiles, (
          select string_agg(root, '' order by n) from gate.ledger_tile
          where account_id = t.id and level = ${tiles - 1} and n >= ${first} and n < ${first + width}
        ) as roots offset 0
      ) p`,
  )
}

/** Of numbers beyond 31 bits, too. */
const xor = (a: number, b: number): number => Number(BigInt(a) ^ BigInt(b))

/**
 * Both sides are one round trip each; here, that they carry as much: the first proof reads all that it is made of. The next ones
 * read less, because what is above their tile is kept. That is ours.
 */
async function requireSameBytes(db: Services['db'], account: string, place: Place): Promise<void> {
  const { entry } = (await readProven(db, account, place.seq))!
  const bytesOf = (row: object) =>
    Object.values(row).reduce((sum, value) => sum + ((value as Buffer | string | null)?.length ?? 0), 0)
  const [bare] = await readSameRows(db, account, place)
  const [ours, theirs] = [bytesOf(entry!), bytesOf(bare!)]
  if (Math.abs(ours - theirs) > 0.05 * theirs)
    throw new Error(`a proof reads ${ours} bytes, and the bare side ${theirs}`)
}

async function verifyBesideHashing(
  { db }: Services,
  account: string,
  { entries, config }: { entries: number; config: ReturnType<typeof readConfig> },
): Promise<Finding> {
  const once = async (work: () => Promise<unknown>): Promise<Slice> => {
    const startedAt = performance.now()
    await work()
    const elapsedMs = performance.now() - startedAt
    return { latenciesMs: [elapsedMs], elapsedMs, calls: entries }
  }
  const compared = await compare({
    pairs: 2,
    ours: () => once(() => verdictOf({ db, config }, account)),
    bare: () => once(() => readAndHash(db, account, entries)),
  })
  return byRate(`ledger verify of ${entries} entries`, 1, compared, { atLeast: 0.5 })
}

async function readAndHash(db: Services['db'], account: string, upTo: number): Promise<void> {
  for (let after = 0; after < upTo;) {
    const page = await pageEntries(db, account, { after, upTo, limitRows: 1_000 })
    for (const { seq, at, entry, prev } of page)
      createHash('sha256')
        .update(Buffer.from(prev, 'hex'))
        .update(`${account} ${seq} ${at.toISOString()}\n${entry}`)
        .digest('hex')
    after = page.at(-1)!.seq
  }
}

/** How much the memory of a process grows after the first tenth of an export. */
async function exportMemory({ db }: Services, account: string, entries: number): Promise<Finding> {
  let [count, early, most] = [0, 0, 0]
  for await (const line of sealedProof({ db }, account)) {
    count += line.length > 0 ? 1 : 0
    if (count % 1_000 !== 0) continue
    const mb = process.memoryUsage().rss / 1_048_576
    if (count <= entries / 10) early = mb
    most = Math.max(most, mb)
  }
  if ((await readLog(db)).size === 0) throw new Error('nothing was sealed')
  return byFigure(
    `memory of the export of ${entries} entries, beyond its first tenth`,
    [most - early, 'MB'],
    {
      atMost: 60,
    },
  )
}
