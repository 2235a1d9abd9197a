import { createPrivateKey, generateKeyPairSync, sign } from 'node:crypto'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import postgres from 'postgres'
import { verifyReceipt } from '#receipts'
import {
  addReceiptKey,
  forgetReceiptKeys,
  readReceiptKeys,
} from '../../src/db/queries/receipts/receipt-keys.ts'
import { type Deps, makeDeps } from '../../src/deps.ts'
import { limits } from '../../src/limits.ts'
import { rewrapSecrets } from '../../src/operations/maintenance/rewrap-secrets.ts'
import {
  listReceiptKeys,
  revokeReceiptKey,
  rotateReceiptKey,
} from '../../src/operations/maintenance/receipt-keys.ts'
import { overlapMs } from '../../src/receipts/key-set.ts'
import { newSigningKey, thumbprint } from '../../src/receipts/signing-key.ts'
import { parseKeyRing } from '../../src/secrets/key-ring.ts'
import { ringOf } from '../support/connect.ts'
import { type TestDatabase, freshDatabase } from '../support/database.ts'
import { shorten } from '../support/shorten.ts'
import { consented, freshReceipts, issuer, processOf } from './scene.ts'

let database: TestDatabase
let deps: Deps
beforeAll(async () => {
  database = await freshDatabase()
})
afterAll(() => database.drop())
beforeEach(() => {
  deps = processOf(database, 'k1')
})
afterEach(async () => {
  await deps.close()
  await database.asSuperuser('delete from gate_private.receipt_key')
})

const ring = (...kids: string[]) => parseKeyRing(ringOf(...kids))
const kidIn = (receipt: string): string =>
  JSON.parse(Buffer.from(receipt.split('.')[0]!, 'base64url').toString()).kid
const fresh = (...kids: string[]) => freshReceipts(database.db, kids)
const listedKids = async () => (await fresh('k1').published()).keys.map(({ kid }) => kid)

/** Lets time pass: every key came so much earlier. */
const pass = (ms: number) =>
  database.asSuperuser(`
    alter table gate_private.receipt_key drop constraint receipt_key_signs_from_key;
    update gate_private.receipt_key set signs_from = signs_from - ${ms} * interval '1 millisecond';
    alter table gate_private.receipt_key add constraint receipt_key_signs_from_key unique (signs_from)`)

describe('the first key', () => {
  test('of many processes that need it at once, one makes it, and all sign with it', async () => {
    const { row } = await consented(deps)
    const open = await row()
    const processes = Array.from({ length: 12 }, () => fresh('k1'))
    const made = await Promise.all(processes.map((one) => one.receiptOf(open)))
    expect(new Set(made).size).toBe(1)
    expect(made[0]).toEqual(expect.any(String))
    expect(await readReceiptKeys(database.db)).toHaveLength(1)
  })

  test('it is published before anything is signed, and its name is its thumbprint', async () => {
    const { keys } = await fresh('k1').published()
    expect(keys).toEqual([
      {
        kty: 'OKP',
        crv: 'Ed25519',
        x: expect.any(String),
        kid: thumbprint(keys[0]!.x),
        use: 'sig',
        alg: 'EdDSA',
      },
    ])
  })

  test('a consent that is older than the key is signed with it', async () => {
    const { row } = await consented(deps)
    const [kid] = await listedKids()
    expect(kidIn((await deps.receipts.receiptOf(await row()))!)).toBe(kid)
  })

  test('without SECRETS_KEYS there are no receipts, and the published set is empty', async () => {
    const { row } = await consented(deps)
    const { SECRETS_KEYS: _, ...config } = deps.config
    const without = makeDeps(config as Deps['config'])
    expect(await without.receipts.receiptOf(await row())).toBeUndefined()
    expect(await without.receipts.published()).toEqual({ keys: [] })
    expect(await readReceiptKeys(database.db)).toEqual([])
    await without.close()
  })
})

describe('nothing is stored, and nothing is lost', () => {
  test('another process makes the same receipt, byte by byte, whatever died between claim and signature', async () => {
    const { row } = await consented(deps)
    const first = await deps.receipts.receiptOf(await row())
    expect(await fresh('k1').receiptOf(await row())).toBe(first)
  })

  test('a process that cannot reach the keys shows the action without, and has it later', async () => {
    const { row } = await consented(deps)
    const open = await row()
    const warned: string[] = []
    const away = { ...database.db, read: () => Promise.reject(new Error('away')) }
    const without = freshReceipts(away as never, ['k1'], {
      error: () => {},
      warn: (_, words) => warned.push(words),
    })
    expect(await without.receiptOf(open)).toBeUndefined()
    expect(warned).toEqual(['a receipt could not be signed'])
    await expect(without.published()).rejects.toThrow('away')
    expect(await fresh('k1').receiptOf(open)).toEqual(expect.any(String))
  })

  test('a thousand requests for the published keys read the database once, and a failed read is not repeated for each', async () => {
    let reads = 0
    const counting = (read: typeof database.db.read) => ({
      ...database.db,
      read: ((statement) => {
        reads += 1
        return read(statement)
      }) as typeof read,
    })
    await fresh('k1').published()
    const flooded = freshReceipts(counting(database.db.read) as never, ['k1'])
    await Promise.all(Array.from({ length: 1_000 }, () => flooded.published()))
    expect(reads).toBe(1)
    reads = 0
    const away = freshReceipts(counting(() => Promise.reject(new Error('away'))) as never, ['k1'])
    for (let n = 0; n < 1_000; n++) await expect(away.published()).rejects.toThrow('away')
    expect(reads).toBe(1)
  })
})

describe('rotation', () => {
  test('a new key is published before it signs; the former stays until its last receipt has expired, then leaves', async () => {
    const early = await consented(deps)
    const before = (await fresh('k1').receiptOf(await early.row()))!
    const next = await rotateReceiptKey(database.db, ring('k1'))
    expect(next.state).toBe('next')
    expect(await listedKids()).toEqual([kidIn(before), next.kid])
    // Until its time has come, the former signs.
    expect(kidIn((await fresh('k1').receiptOf(await (await consented(deps)).row()))!)).toBe(kidIn(before))

    await pass(limits.receiptKeyLeadMs + 60_000)
    const late = (await fresh('k1').receiptOf({ ...(await early.row()), decided_at: new Date() }))!
    expect(kidIn(late)).toBe(next.kid)
    expect(await listReceiptKeys(database.db)).toMatchObject([
      { kid: kidIn(before), state: 'replaced' },
      { kid: next.kid, state: 'signing' },
    ])
    await expect(verifyReceipt(before, { jwks: await fresh('k1').published() })).resolves.toBeDefined()

    await pass(overlapMs - 120_000)
    expect(await listedKids()).toEqual([kidIn(before), next.kid])
    expect(await forgetReceiptKeys(database.db, overlapMs)).toBe(0)
    await pass(120_000)
    expect(await listedKids()).toEqual([next.kid])
    await expect(verifyReceipt(before, { jwks: await fresh('k1').published() })).rejects.toMatchObject({
      code: 'unknown_key',
    })
    expect(await forgetReceiptKeys(database.db, overlapMs)).toBe(1)
    expect(await listedKids()).toEqual([next.kid])
  })

  test('the same consent keeps its receipt through a rotation', async () => {
    const { row } = await consented(deps)
    const open = await row()
    const before = await fresh('k1').receiptOf(open)
    await rotateReceiptKey(database.db, ring('k1'))
    expect(await fresh('k1').receiptOf(open)).toBe(before)
  })

  test('one at a time, and no more keys than fit the published set', async () => {
    await fresh('k1').published()
    for (let n = 1; n < limits.receiptKeysMax; n++) {
      await rotateReceiptKey(database.db, ring('k1'))
      await expect(rotateReceiptKey(database.db, ring('k1'))).rejects.toThrow('under way')
      await pass(limits.receiptKeyLeadMs)
    }
    await expect(rotateReceiptKey(database.db, ring('k1'))).rejects.toThrow('There are already 20 keys')
    expect(await listedKids()).toHaveLength(limits.receiptKeysMax)
  })

  test('a key that leaked is deleted at once: it verifies nothing, and the consents get receipts of another', async () => {
    const { row } = await consented(deps)
    const leaked = (await fresh('k1').receiptOf(await row()))!
    await revokeReceiptKey(database.db, kidIn(leaked))
    const again = (await fresh('k1').receiptOf(await row()))!
    expect(kidIn(again)).not.toBe(kidIn(leaked))
    const jwks = await fresh('k1').published()
    await expect(verifyReceipt(leaked, { jwks })).rejects.toMatchObject({ code: 'unknown_key' })
    await expect(verifyReceipt(again, { jwks })).resolves.toBeDefined()
    await expect(revokeReceiptKey(database.db, kidIn(leaked))).rejects.toThrow('not found')
  })
})

test('a process that has read the keys publishes a rotated one at once, and a revoked one no longer', async () => {
  const restore = shorten({ receiptKeysPublishedMs: 0 })
  try {
    const one = fresh('k1')
    const kids = async () => (await one.published()).keys.map(({ kid }) => kid)
    const [first] = await kids()
    const next = await rotateReceiptKey(database.db, ring('k1'))
    expect(await kids()).toEqual([first, next.kid])
    await revokeReceiptKey(database.db, next.kid)
    expect(await kids()).toEqual([first])
  } finally {
    restore()
  }
})

test('the published keys are as they were while the database is away', async () => {
  const restore = shorten({ receiptKeysPublishedMs: 0 })
  let isAway = false
  const read = (statement: never) =>
    isAway ? Promise.reject(new Error('away')) : database.db.read(statement)
  try {
    const one = freshReceipts({ ...database.db, read } as never, ['k1'])
    const before = await one.published()
    isAway = true
    expect(await one.published()).toEqual(before)
  } finally {
    restore()
  }
})

describe('a process that goes on', () => {
  let restore: () => void
  beforeEach(() => {
    restore = shorten({ receiptKeysKeptMs: 1 })
  })
  afterEach(() => restore())

  test('shows nothing of a revoked key after it has read the keys again, not even a receipt that it has kept', async () => {
    const { row } = await consented(deps)
    const open = await row()
    const one = fresh('k1')
    const leaked = (await one.receiptOf(open))!
    await revokeReceiptKey(database.db, kidIn(leaked))
    const again = (await one.receiptOf(open))!
    expect(kidIn(again)).not.toBe(kidIn(leaked))
    await expect(verifyReceipt(again, { jwks: await one.published() })).resolves.toBeDefined()
  })
})

describe('the key ring', () => {
  test('after a rewrap the same key signs under the new ring alone', async () => {
    const { row } = await consented(deps)
    const before = await fresh('k1').receiptOf(await row())
    const pages = []
    for await (const page of rewrapSecrets(database.db, ring('k2', 'k1'))) pages.push(page)
    expect(pages.at(-1)).toEqual({ rewrapped: 1, failures: [] })
    expect(await fresh('k2').receiptOf(await row())).toBe(before)
  })

  test('a process with an old ring signs nothing, publishes nothing, makes no key, and says so', async () => {
    const { row } = await consented(processOfRing('k2'))
    await fresh('k2').published()
    const errors: object[] = []
    const old = freshReceipts(database.db, ['k1'], { error: (about) => errors.push(about), warn: () => {} })
    expect(await old.receiptOf(await row())).toBeUndefined()
    await expect(old.published()).rejects.toMatchObject({ code: 'unavailable' })
    expect(errors).toEqual([
      {
        kid: expect.any(String),
        err: expect.objectContaining({ message: expect.stringContaining('has no key k2') }),
      },
    ])
    expect(await readReceiptKeys(database.db)).toHaveLength(1)
    const failures = []
    for await (const page of rewrapSecrets(database.db, ring('k1'))) failures.push(...page.failures)
    expect(failures).toEqual([{ place: expect.stringMatching(/^receipt key /), error: expect.anything() }])
  })
})

const others: Deps[] = []
afterAll(() => Promise.all(others.map((one) => one.close())))
function processOfRing(...kids: string[]): Deps {
  const made = processOf(database, ...kids)
  others.push(made)
  return made
}

describe('somebody who has the role of the service in the database, but not the key ring', () => {
  let service: postgres.Sql
  beforeAll(() => {
    service = postgres(database.serviceUrl, { max: 1, onnotice: () => {} })
  })
  afterAll(() => service.end())

  test('reads no table of keys, and finds no private key in what a function answers', async () => {
    await expect(service`select * from gate_private.receipt_key`).rejects.toThrow('permission denied')
    await expect(service`delete from gate_private.receipt_key`).rejects.toThrow('permission denied')
    const { row } = await consented(deps)
    const receipt = (await fresh('k1').receiptOf(await row()))!
    const [stored] = await service`select * from gate.receipt_keys()`
    const claims = receipt.split('.').slice(0, 2).join('.')
    // 32 bytes at any place of what is stored would be a private key.
    for (const bytes of [stored!['ciphertext'], stored!['wrapped_key']] as Buffer[])
      for (let at = 0; at + 32 <= bytes.length; at++) {
        const forged = signedWith(bytes.subarray(at, at + 32), claims)
        expect(forged).not.toBe(receipt)
      }
  })

  test('cannot publish a key of their own: what the ring did not seal is not served, and nothing is served beside it', async () => {
    await fresh('k1').published()
    const x = generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' }).x!
    const sealed = { ciphertext: Buffer.alloc(71), wrappedKey: Buffer.alloc(60), kid: 'k1' }
    const own = { kid: thumbprint(x), publicKey: Buffer.from(x, 'base64url'), sealed }
    expect(await addReceiptKey(database.db, own, { isFirst: false, leadMs: -1_000, keysMax: 20 })).toBe(
      'added',
    )
    await expect(fresh('k1').published()).rejects.toMatchObject({ code: 'unavailable' })
    await revokeReceiptKey(database.db, own.kid)
    expect(await listedKids()).toHaveLength(1)
  })

  test('cannot put another public key, or another name, beside a private key that the ring has sealed', async () => {
    const good = await newSigningKey(ring('k1'))
    const x = generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' }).x!
    const forgeries = [
      { ...good, publicKey: Buffer.from(x, 'base64url') },
      { ...good, kid: thumbprint(x), publicKey: Buffer.from(x, 'base64url') },
      { ...good, kid: thumbprint(x) },
    ]
    for (const forgery of forgeries) {
      await addReceiptKey(database.db, forgery, { isFirst: true, leadMs: 0, keysMax: 20 })
      await expect(fresh('k1').published()).rejects.toMatchObject({ code: 'unavailable' })
      await revokeReceiptKey(database.db, forgery.kid)
    }
  })
})

function signedWith(seed: Buffer, claims: string): string {
  const der = Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), seed])
  const key = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' })
  return `${claims}.${sign(null, Buffer.from(claims), key).toString('base64url')}`
}

test('the issuer is an origin: without path and slash', async () => {
  const { row } = await consented(deps)
  const { iss } = await verifyReceipt((await fresh('k1').receiptOf(await row()))!, {
    jwks: await fresh('k1').published(),
  })
  expect(iss).toBe(issuer)
})
