import { afterAll, beforeAll, expect, test } from '@jest/globals'
import postgres from 'postgres'
import { limits } from '../../src/limits.ts'
import { consistencyRanges, leafHash, provesConsistency } from '../../src/seals/merkle.ts'
import { awaitSealed } from '../../src/operations/seals/await-sealed.ts'
import { sealLedgers } from '../../src/seals/sealer.ts'
import { tileOf } from '../../src/transports/ledger-routes.ts'
import { until } from '../support/until.ts'
import { type TestGate, startGate } from '../support/gate.ts'
import { appendTo, isProven, parseProof, truncateTo } from '../seals/scene.ts'

type Account = Awaited<ReturnType<TestGate['account']>>

let gate: TestGate
let account: Account
let other: Account
/** The entries of the account that are sealed. */
const sealed = 300
beforeAll(async () => {
  gate = await startGate({ workers: false, env: { TRUST_PROXY: 'true' } })
  account = await gate.account()
  other = await gate.account()
  const head = async () => {
    const [row] = await gate.database.asSuperuser(
      `select seq::int from gate.ledger_head where account_id = '${account.account}'`,
    )
    return row!['seq'] as number
  }
  await appendTo(gate.database, account.account, sealed - (await head()))
  expect(await sealLedgers(gate.deps)).toMatchObject({ state: 'sealed' })
}, 60_000)
afterAll(() => gate.stop())

const get = (path: string, key?: string) =>
  fetch(
    `${gate.api.url}/api/v1/ledger/${path}`,
    key === undefined ? {} : { headers: { authorization: `Bearer ${key}` } },
  )
const refusal = async (path: string, key = account.key) => {
  const answer = await get(path, key)
  const { code, param } = (await answer.json()) as { code: string; param?: string }
  return [answer.status, code, param]
}
const hashesOf = (lines: string): Buffer[] =>
  lines
    .split('\n')
    .slice(0, -1)
    .map((line) => Buffer.from(line, 'base64'))

test('the checkpoint of the epochs needs no key, and names no account', async () => {
  const answer = await get('checkpoint')
  expect(answer.status).toBe(200)
  expect(answer.headers.get('content-type')).toBe('text/plain; charset=utf-8')
  const note = await answer.text()
  expect(note).toMatch(/^127\.0\.0\.1:\d+\/epochs\n2\n/)
  expect(note).not.toContain('acct_')
  expect((await get('checkpoint', account.key)).status).toBe(200)
  expect((await fetch(`${gate.api.url}/api/v1/ledger/checkpoint`, { method: 'POST' })).status).toBe(405)
})

test('a proof is a text that proves the entry, and only that one', async () => {
  const answer = await get('17/proof', account.key)
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/plain; charset=utf-8'])
  const text = await answer.text()
  expect(isProven(text)).toBe(true)
  const proof = parseProof(text)
  expect(proof.checkpoint.origin).toBe(`${new URL(gate.api.url).host}/ledger/${account.account}`)
  const changes = [
    ['"seq":17', '"seq":18'],
    [account.account, other.account],
    ['\\"kind\\":', '\\"sort\\":'],
  ] as const
  for (const [from, to] of changes)
    expect(isProven(withExtra(text, (json) => json.replace(from, to)))).toBe(false)
})

/** A proof whose unsigned part says something else. */
function withExtra(text: string, change: (json: string) => string): string {
  const extra = Buffer.from(change(parseProof(text).extra.toString())).toString('base64')
  return text.replace(/^extra .*$/m, `extra ${extra}`)
}

test('an entry that is not sealed yet is 409, and 404 beyond the ledger', async () => {
  await appendTo(gate.database, account.account, 1)
  expect(await refusal(`${sealed + 1}/proof`)).toEqual([409, 'not_sealed', undefined])
  for (const seq of [sealed + 2, '0', '-1', 'x', '1e3', '9007199254740993', '017'])
    expect((await refusal(`${seq}/proof`)).slice(0, 2)).toEqual([404, 'not_found'])
  expect(await refusal('17/proof?wait=done')).toEqual([422, 'invalid', 'wait'])
  expect(await refusal('17/proof?extra=1')).toEqual([422, 'invalid', 'extra'])
})

test('a request that waits for the seal is answered once there is one', async () => {
  await appendTo(gate.database, account.account, 1)
  const [row] = await gate.database.asSuperuser(
    `select seq::int from gate.ledger_head where account_id = '${account.account}'`,
  )
  const waiting = get(`${row!['seq']}/proof?wait=sealed`, account.key)
  await sealLedgers(gate.deps)
  const answer = await waiting
  expect(answer.status).toBe(200)
  expect(isProven(await answer.text())).toBe(true)
}, 40_000)

test('a wait for the seal ends in its time, also while the sealing goes on', async () => {
  await appendTo(gate.database, account.account, 1)
  const [row] = await gate.database.asSuperuser(
    `select seq::int from gate.ledger_head where account_id = '${account.account}'`,
  )
  const holder = postgres(gate.database.superuserUrl, { max: 1, onnotice: () => {} })
  await holder.unsafe('begin')
  await holder.unsafe('select pg_advisory_xact_lock(7203146002)')
  const caller = { account: account.account, keyId: 'none', keyHash: Buffer.alloc(32) }
  const waiting = awaitSealed(gate.deps, caller, row!['seq'] as number, () => AbortSignal.timeout(500))
  await expect(waiting).rejects.toMatchObject({ code: 'unauthenticated' })
  await holder.end({ timeout: 2 })
  // The pass that waited for the lock seals now. The next test finds the ledger sealed.
  await sealLedgers(gate.deps)
}, 40_000)

test('consistency is proven between any two sizes that are sealed, and refused beyond', async () => {
  const root = async (size: number) => {
    const [row] = await gate.database.asSuperuser(
      `select root from gate.ledger_seal where account_id = '${account.account}' and size = ${size}`,
    )
    return row!['root'] as Buffer
  }
  const sizes = await gate.database.asSuperuser(
    `select size::int from gate.ledger_seal where account_id = '${account.account}' order by size`,
  )
  const [from, to] = [sizes[0]!['size'] as number, sizes.at(-1)!['size'] as number]
  const answer = await get(`consistency?from=${from}&to=${to}`, account.key)
  expect(answer.headers.get('cache-control')).toBe('private, max-age=31536000, immutable')
  const open = await get(`consistency?from=${from}`, account.key)
  expect(open.headers.get('cache-control') ?? '').not.toContain('immutable')
  const path = hashesOf(await answer.text())
  expect(path).toHaveLength(consistencyRanges(from, to).length)
  expect(
    provesConsistency({ size: from, root: await root(from) }, { size: to, root: await root(to) }, path),
  ).toBe(true)
  expect(await (await get(`consistency?from=${to}&to=${to}`, account.key)).text()).toBe('')
  expect(await refusal(`consistency?from=9&to=8`)).toEqual([422, 'invalid', 'from'])
  expect(await refusal(`consistency?from=1&to=${to + 1_000}`)).toEqual([422, 'invalid', 'to'])
  for (const query of ['', 'from=0', 'from=-1', 'from=1.5', 'from=x', 'from=', 'from=1&to=9007199254740993'])
    expect((await refusal(`consistency?${query}`)).slice(0, 2)).toEqual([422, 'invalid'])
})

test('anyone gets a proof that epochs only grew, between any two of them, and nothing beyond', async () => {
  for (let i = 0; i < 3; i++) {
    await appendTo(gate.database, account.account, 1)
    await appendTo(gate.database, other.account, 1)
    await sealLedgers(gate.deps)
  }
  const epochs = await gate.database.asSuperuser(
    'select size::int, root from gate_private.epoch_seal where note is not null order by size',
  )
  const sizes = epochs.map(({ size, root }) => ({ size: size as number, root: root as Buffer }))
  expect(sizes.length).toBeGreaterThan(3)
  // The checkpoint that is shown is kept for a moment.
  await until('the last epoch is shown', async () =>
    (await (await get('checkpoint')).text()).includes(`\n${sizes.at(-1)!.size}\n`),
  )
  for (const before of sizes)
    for (const after of sizes.filter(({ size }) => size >= before.size)) {
      const answer = await get(`epochs/consistency?from=${before.size}&to=${after.size}`)
      expect(answer.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
      expect(provesConsistency(before, after, hashesOf(await answer.text()))).toBe(true)
    }
  const [first, last] = [sizes[0]!, sizes.at(-1)!]
  const open = await get(`epochs/consistency?from=${first.size}`)
  expect(open.headers.get('cache-control')).toBe('public, max-age=5')
  expect(provesConsistency(first, last, hashesOf(await open.text()))).toBe(true)
  const refused = async (query: string) => {
    const answer = await get(`epochs/consistency?${query}`)
    return [answer.status, ((await answer.json()) as { param?: string }).param]
  }
  expect(await refused(`from=9&to=8`)).toEqual([422, 'from'])
  expect(await refused(`from=1&to=${last.size + 1}`)).toEqual([422, 'to'])
  for (const query of ['', 'from=0', 'from=-1', 'from=1.5', 'from=x', 'from=1&to=2&also=3'])
    expect((await refused(query))[0]).toBe(422)
  expect((await fetch(`${gate.api.url}/api/v1/ledger/epochs/consistency`, { method: 'POST' })).status).toBe(
    405,
  )
}, 40_000)

test('requests for proofs between epochs are limited for each address', async () => {
  const ask = (address: string) =>
    fetch(`${gate.api.url}/api/v1/ledger/epochs/consistency?from=1`, {
      headers: { 'x-forwarded-for': address },
    })
  const answers = await Promise.all(
    Array.from({ length: limits.epochPathsPerMinute + 1 }, async () => {
      const answer = await ask('203.0.113.9')
      await answer.arrayBuffer()
      return answer
    }),
  )
  const refused = answers.filter(({ status }) => status === 429)
  expect(refused).toHaveLength(1)
  expect(Number(refused[0]!.headers.get('retry-after'))).toBeGreaterThan(0)
  expect((await ask('203.0.113.10')).status).toBe(200)
}, 40_000)

test('tiles are the hashes of the tree, and only of what is sealed', async () => {
  const rows = await gate.database.asSuperuser(
    `select hash from gate.ledger where account_id = '${account.account}' order by seq limit 256`,
  )
  const due = Buffer.concat(rows.map(({ hash }) => leafHash(hash as Buffer)))
  const full = await get('tile/0/000', account.key)
  expect(full.headers.get('content-type')).toBe('application/octet-stream')
  expect(Buffer.from(await full.arrayBuffer())).toEqual(due)
  const part = Buffer.from(await (await get('tile/0/000.p/9', account.key)).arrayBuffer())
  expect(part).toEqual(due.subarray(0, 9 * 32))
  expect((await (await get('tile/0/001.p/44', account.key)).arrayBuffer()).byteLength).toBe(44 * 32)
  expect((await (await get('tile/1/000.p/1', account.key)).arrayBuffer()).byteLength).toBe(32)
  for (const tile of ['0/001', '0/001.p/200', '0/002.p/1', '1/000', '1/000.p/2', '2/000.p/1', '7/000'])
    expect([tile, ...(await refusal(`tile/${tile}`)).slice(0, 2)]).toEqual([tile, 404, 'not_found'])
  // No cache may keep the answer that something is not sealed: it will be.
  const early = await get('tile/0/001', account.key)
  expect([early.status, early.headers.get('cache-control') ?? '']).toEqual([
    404,
    expect.not.stringContaining('immutable'),
  ])
  for (const tile of [
    '',
    '0',
    '8/000',
    '0/0',
    '0/1000',
    '0/x000/001',
    '0/000.p/0',
    '0/000.p/256',
    '0/000.p/01',
    '-1/000',
  ])
    expect([tile, (await get(`tile/${tile}`, account.key)).status]).toEqual([tile, 404])
})

test('the name of a tile has its number in groups of three digits', () => {
  expect(tileOf('0/x001/x234/067')).toEqual({ level: 0, n: 1_234_067, width: 256 })
  expect(tileOf('2/067.p/3')).toEqual({ level: 2, n: 67, width: 3 })
})

test('nobody reads the ledger of another account, or without the power to read all of it', async () => {
  for (const path of ['1/proof', 'consistency?from=1', 'tile/0/000']) {
    expect((await get(path)).status).toBe(401)
    const answer = await get(path, other.key)
    expect(await answer.text()).not.toContain(account.account)
  }
  const member = await account.addMember({ name: 'Bo', email: 'bo@example.com' })
  const bound = await account.mintKey({ actors: [member] })
  expect(await refusal('1/proof', bound.key)).toEqual([403, 'key_member_not_allowed', undefined])
  const proposing = await account.mintKey({ powers: ['propose'] })
  expect(await refusal('1/proof', proposing.key)).toEqual([403, 'key_power_missing', undefined])
  // The other ledger is shorter: what it has no entry for is not answered from this one.
  expect((await refusal('250/proof', other.key)).slice(0, 2)).toEqual([404, 'not_found'])
  expect((await refusal('tile/0/000', other.key)).slice(0, 2)).toEqual([404, 'not_found'])
  expect((await refusal('consistency?from=1&to=250', other.key)).slice(0, 2)).toEqual([422, 'invalid'])
})

test('a rollback turns /readyz of the sealer to attention, and the service stays ready', async () => {
  await appendTo(gate.database, other.account, 2)
  await sealLedgers(gate.deps)
  await gate.database.asSuperuser(
    `insert into gate_private.seal_fault (account_id, problem, held) values ('', 'the database is older', 99)`,
  )
  const body = await until('the service says so', async () => {
    const answer = await fetch(`${gate.api.url}/readyz`)
    expect(answer.status).toBe(200)
    const said = (await answer.json()) as object
    return 'sealer' in said && said
  })
  expect(body).toMatchObject({ status: 'ready', sealer: 'attention' })
  // Decisions go on.
  await account.addMember({ name: 'Ada', email: 'ada@example.com', tier: 'guarded_write' })
  expect((await account.client.propose({ email: 'ada@example.com' }, 'Lunch is at noon.')).status).toBe(201)
  await truncateTo(gate.database, other.account, 1)
  expect(await sealLedgers(gate.deps)).toMatchObject({ state: 'attention' })
}, 40_000)
