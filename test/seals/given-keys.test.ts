import { describe, expect, test } from '@jest/globals'
import type { Deps } from '../../src/deps.ts'
import { beginLog } from '../../src/seals/begin-log.ts'
import type { CosignReport, Cosigners } from '../../src/seals/cosigning/cosigners.ts'
import { readLogKeys } from '../../src/seals/log-keys.ts'
import { logPlace } from '../../src/seals/log-place.ts'
import { noteKey, parseCheckpoint, vkeyOf } from '../../src/seals/note.ts'
import { type SealReport, sealLedgers } from '../../src/seals/sealer.ts'
import { type Lived, livedAccount, livedSeq } from '../ledger/lived-account.ts'
import type { TestDatabase } from '../support/database.ts'
import { appendTo, asOwner, publishedRoots, restoreTo } from './scene.ts'
import { type SealerScene, ofEachTest } from './test-scene.ts'

let database: TestDatabase
let deps: Deps
let lived: Lived
let sealer: SealerScene['sealer']
ofEachTest((made) => void ({ database, deps, lived, sealer } = made))

const keyOf = (byte: number): string => Buffer.alloc(32, byte).toString('base64')
const configOf = (LEDGER_KEY: string) => ({ ...sealer.config, LEDGER_KEY })
const seal = (key: string): Promise<SealReport> => sealLedgers({ ...sealer, config: configOf(key) })
const grow = (account = lived.account) => appendTo(database, account, 2)

/** The vkey of a key of LEDGER_KEY. */
function vkeyOfSeed(key: string): string {
  const { publicKey } = readLogKeys(logPlace(configOf(key), 'any'))!.all[0]!
  return vkeyOf(noteKey('gate.example.com/epochs', 0x01, publicKey))
}

test('a ledger without entries while LEDGER_KEY rotated is sealed on, because the vkey of the old key stays', async () => {
  const [old, next] = [keyOf(1), keyOf(2)]
  expect(await seal(old)).toMatchObject({ state: 'sealed', epoch: 1 })
  const other = await livedAccount(deps)
  expect(await seal(`${next},${old}`)).toMatchObject({ state: 'sealed', epoch: 2 })
  await grow()
  expect(await seal(next)).toMatchObject({ state: 'attention', faults: [{ account: lived.account }] })
  expect(await seal(`${next},${vkeyOfSeed(old)}`)).toMatchObject({ state: 'sealed', epoch: 3, faults: [] })
  await grow(other.account)
  expect(await seal(`${next},${vkeyOfSeed(old)}`)).toMatchObject({ state: 'sealed', epoch: 4, faults: [] })
})

test('a log with LEDGER_KEY begins again with a new key alone, and not with the old one', async () => {
  const [old, next] = [keyOf(1), keyOf(2)]
  await seal(old)
  await grow()
  await seal(old)
  await restoreTo(database, lived.account, { seq: livedSeq, epoch: 1 })
  await grow()
  const begin = (key: string) => beginLog({ db: database.db, config: configOf(key), now: new Date() })
  const withOld = `${next},${vkeyOfSeed(old)}`
  expect(await seal(withOld)).toMatchObject({ state: 'attention' })
  await expect(begin(old)).rejects.toMatchObject({ code: 'conflict' })
  await expect(begin(`${next},${old}`)).rejects.toMatchObject({ code: 'conflict' })
  await begin(withOld)
  expect(await seal(withOld)).toMatchObject({ state: 'sealed', epoch: 2, faults: [] })
})

test('one LEDGER_KEY does not sign a second log beside the record of the first', async () => {
  const key = keyOf(1)
  await seal(key)
  await asOwner(
    database,
    'delete from gate_private.ledger_log; insert into gate_private.ledger_log default values',
  )
  await grow()
  expect(await seal(key)).toMatchObject({ state: 'off', why: expect.stringContaining('another log') })
})

describe('a first epoch under LEDGER_KEY, without a record', () => {
  const key = keyOf(1)
  const saying = (answer: Partial<CosignReport>) => {
    const asked: number[] = []
    const cosigners: Cosigners = {
      async ask(note) {
        asked.push(parseCheckpoint(note.text)!.size)
        const silent = { cosignatures: [], missing: ['w1'], isQuorum: false, isHeard: false, conflict: null }
        return { ...silent, ...answer }
      },
    }
    return { asked, report: () => sealLedgers({ ...sealer, config: configOf(key), cosigners }) }
  }

  test('is not signed while a witness holds more: the database lost what was sealed', async () => {
    const { asked, report } = saying({ conflict: { witness: 'w1', state: 'ahead', size: 7 } })
    for (let pass = 0; pass < 2; pass++)
      expect(await report()).toMatchObject({
        state: 'attention',
        faults: [{ account: '', problem: expect.stringContaining('the witness w1 holds another history') }],
      })
    expect(asked).toEqual([0, 0])
    expect((await publishedRoots(database)).size).toBe(0)
    // One that is silent now had said that it holds more.
    expect(await saying({}).report()).toMatchObject({ state: 'attention' })
    expect(await saying({ missing: [], isHeard: true }).report()).toMatchObject({ state: 'sealed', epoch: 1 })
  })

  test('waits for the quorum of the witnesses, and is not asked for again once there is one', async () => {
    const silent = saying({})
    expect(await silent.report()).toMatchObject({
      state: 'off',
      why: expect.stringContaining('w1 did not say'),
    })
    expect((await publishedRoots(database)).size).toBe(0)
    const heard = saying({ isHeard: true })
    expect(await heard.report()).toMatchObject({ state: 'sealed', epoch: 1 })
    expect(heard.asked).toEqual([0, 1])
    await grow()
    const down = saying({})
    expect(await down.report()).toMatchObject({ state: 'sealed', epoch: 2 })
    expect(down.asked).toEqual([1, 2])
  })
})
