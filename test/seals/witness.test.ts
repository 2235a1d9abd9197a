import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { cosignatureIn } from '../../src/seals/cosigning/witness-client.ts'
import { emptyFrontier, rootOf } from '../../src/seals/merkle.ts'
import {
  checkpointText,
  formatNote,
  type NoteSigner,
  parseCheckpoint,
  parseNote,
  signNote,
  verifiedKeys,
} from '../../src/seals/note.ts'
import { openWitnessFolder } from '../../src/seals/witness/folder.ts'
import { type RunningWitness, serveWitness } from '../../src/seals/witness/server.ts'
import { hashOfOrigin } from '../../src/seals/witness/store.ts'
import { shorten } from '../support/shorten.ts'
import { newSigner, requestOf, toyLog, type ToyLog } from './toy-log.ts'
import { testRows } from '../support/rows.ts'

const name = { name: undefined, newName: 'w.example' }
const seconds = 1_750_000_000

let folder: string
let log: ToyLog
let witness: RunningWitness & { signer: NoteSigner; said: string[]; release(): void }
const setUp = async () => {
  folder = mkdtempSync(join(process.env['TEST_RUN_DIR'] ?? tmpdir(), 'witness-'))
  log = toyLog()
  witness = await run()
}
beforeEach(setUp)
const tearDown = async () => {
  await end()
  rmSync(folder, { recursive: true, force: true })
}
afterEach(tearDown)

async function run(logs = [log.signer]) {
  const kept = openWitnessFolder(folder, name)
  const said: string[] = []
  const say = (line: string) => void said.push(line)
  const running = await serveWitness(
    { ...kept, logs, now: () => seconds * 1_000, say },
    { host: '127.0.0.1', port: 0 },
  )
  return { ...running, signer: kept.signer, said, release: kept.release }
}

async function end() {
  await witness.stop()
  witness.release()
}

async function restart(logs?: NoteSigner[]) {
  await end()
  witness = await run(logs)
}

async function add(body: string | Buffer) {
  const response = await fetch(`${witness.url}/add-checkpoint`, { method: 'POST', body })
  return {
    status: response.status,
    type: response.headers.get('content-type'),
    body: await response.text(),
  }
}

async function monitored(origin = log.origin) {
  const response = await fetch(`${witness.url}/${hashOfOrigin(origin)}/checkpoint`)
  return { status: response.status, body: await response.text() }
}

const sizeHeld = async () => parseCheckpoint(parseNote((await monitored()).body)!.text)!.size

test('a first checkpoint, and one that extends it, are cosigned with the time', async () => {
  for (const [old, size] of [
    [0, 5],
    [5, 9],
  ] as const) {
    const { status, body } = await add(log.request(old, size))
    expect(status).toBe(200)
    expect(cosignatureIn(body, log.checkpoint(size).text, witness.signer)).toMatchObject({ seconds })
    expect(body.split('\n')).toHaveLength(2)
  }
})

test('every pair of sizes to 20 is cosigned, each from the size before it', async () => {
  for (let old = 0; old < 20; old++)
    expect(await add(log.request(old, old + 1))).toMatchObject({ status: 200 })
  for (let old = 1; old < 20; old++) {
    await end()
    rmSync(folder, { recursive: true })
    witness = await run()
    expect(await add(log.request(0, old))).toMatchObject({ status: 200 })
    expect(await add(log.request(old, 20))).toMatchObject({ status: 200 })
  }
})

test('monitors read the last cosigned checkpoint, with the signatures of the log and of the witness', async () => {
  expect(await monitored()).toMatchObject({ status: 404 })
  await add(log.request(0, 5))
  await add(log.request(5, 9))
  const note = parseNote((await monitored()).body)!
  expect(note.text).toBe(log.checkpoint(9).text)
  expect(verifiedKeys(note, [log.signer, witness.signer])).toHaveLength(2)
  expect(await monitored('other.example')).toMatchObject({ status: 404 })
})

test('a size that is not the one held is answered 409 with the size held', async () => {
  await add(log.request(0, 5))
  for (const old of [0, 3, 6]) {
    const { status, type, body } = await add(log.request(old, 9))
    expect({ status, type, body }).toEqual({ status: 409, type: 'text/x.tlog.size', body: '5\n' })
  }
  await restart()
  expect(await add(log.request(0, 9))).toMatchObject({ status: 409, body: '5\n' })
})

test('an empty log is cosigned, and then extended', async () => {
  expect(await add(log.request(0, 0))).toMatchObject({ status: 200 })
  expect(await add(log.request(0, 3))).toMatchObject({ status: 200 })
  expect(await add(log.request(0, 0))).toMatchObject({ status: 409, body: '3\n' })
  expect(parseCheckpoint(log.checkpoint(0).text)!.root).toEqual(rootOf(emptyFrontier))
})

test('the same checkpoint again is cosigned again, and nothing is written', async () => {
  await add(log.request(0, 5))
  const files = readdirSync(folder)
  expect(await add(log.request(5, 5))).toMatchObject({ status: 200 })
  expect(readdirSync(folder)).toEqual(files)
})

testRows<[string, number, (of: ToyLog) => string]>(
  [
    ['an unknown log', 404, () => toyLog('other.example').request(0, 3)],
    [
      'a log of which the witness has no key, in the name of a known one',
      403,
      (of) => toyLog(of.origin).request(0, 3),
    ],
    ['no signature of the log', 403, (of) => signedBy(of, newSigner('x.example', 0x01))],
    [
      'a cosignature of another key in place of the signature',
      403,
      (of) => signedBy(of, newSigner(of.origin, 0x04)),
    ],
    ['a signature that does not hold, under the id of the key', 403, (of) => badlySigned(of)],
    ['an old size that is larger than the checkpoint', 400, (of) => of.request(4, 3)],
    ['a proof where none is due', 422, (of) => requestOf(0, of.consistency(1, 3), noteOf(of, 3))],
    ['an empty tree with the root of another', 422, (of) => fullOfNothing(of)],
  ],
  [tearDown, setUp],
)('a request that cannot be followed has its status, and nothing is cosigned', async (_, status, request) => {
  expect(await add(request(log))).toMatchObject({ status })
  expect(await monitored()).toMatchObject({ status: 404 })
})

testRows<[string, (of: ToyLog) => string]>(
  [
    ['a wrong hash', (of) => requestOf(5, of.consistency(5, 9).with(0, Buffer.alloc(32)), noteOf(of, 9))],
    ['a hash too few', (of) => requestOf(5, of.consistency(5, 9).slice(1), noteOf(of, 9))],
    ['a hash too many', (of) => requestOf(5, [...of.consistency(5, 9), Buffer.alloc(32)], noteOf(of, 9))],
    ['no proof', (of) => requestOf(5, [], noteOf(of, 9))],
    ['the proof of another history', (of) => of.fork(2, 'b').request(5, 9)],
    ['another history of the same size', (of) => of.fork(2, 'b').request(5, 5)],
    ['a proof from a size to itself', (of) => requestOf(5, [Buffer.alloc(32)], noteOf(of, 5))],
  ],
  [tearDown, setUp],
)('a proof that does not hold is answered 422 once a checkpoint is held, which stays', async (_, request) => {
  await add(log.request(0, 5))
  expect(await add(request(log))).toMatchObject({ status: 422 })
  expect(await sizeHeld()).toBe(5)
})

const noteOf = (of: ToyLog, size: number) => formatNote(of.checkpoint(size))
const signedBy = (of: ToyLog, signer: NoteSigner) => requestOf(0, [], formatNote(of.checkpoint(3, signer)))

function badlySigned(of: ToyLog): string {
  const note = of.checkpoint(3)
  const [{ name: own, id, bytes }] = note.signatures as [(typeof note.signatures)[0]]
  return requestOf(
    0,
    [],
    formatNote({ ...note, signatures: [{ name: own, id, bytes: Buffer.from(bytes).fill(0, 40) }] }),
  )
}

function fullOfNothing(of: ToyLog): string {
  const text = checkpointText({ origin: of.origin, size: 0, root: Buffer.alloc(32) })
  return requestOf(0, [], formatNote({ text, signatures: [signNote(text, of.signer)] }))
}

const changed = (from: string | RegExp, to: string) => (body: string) => body.replace(from, to)
testRows<[string, (body: string) => string | Buffer]>(
  [
    ['no body', () => ''],
    ['no old size', changed(/^old \d+\n/, '')],
    ['a negative old size', changed(/^old \d+/, 'old -1')],
    ['an old size with a leading zero', changed(/^old \d+/, 'old 00')],
    ['an old size with a sign', changed(/^old \d+/, 'old +0')],
    ['an old size with a fraction', changed(/^old \d+/, 'old 0.0')],
    ['an old size above 2^53', changed(/^old \d+/, 'old 9007199254740993')],
    ['an old size above 2^64', changed(/^old \d+/, 'old 18446744073709551617')],
    ['two spaces before the old size', changed('old ', 'old  ')],
    ['carriage returns', changed(/\n/g, '\r\n')],
    ['a NUL', changed('epochs', 'epochs\0')],
    ['a proof line that is no base64', changed('\n\n', '\n!\n\n')],
    ['a proof line of 31 bytes', changed('\n\n', `\n${Buffer.alloc(31).toString('base64')}\n\n`)],
    [
      'a proof line in another form of base64',
      changed('\n\n', `\n${Buffer.alloc(32).toString('base64url')}\n\n`),
    ],
    ['64 proof lines', changed('\n\n', `\n${`${Buffer.alloc(32).toString('base64')}\n`.repeat(64)}\n`)],
    ['no empty line before the checkpoint', changed('\n\n', '\n')],
    ['no signature', (body) => body.slice(0, body.lastIndexOf('\n\n') + 2)],
    ['no last newline', (body) => body.trimEnd()],
    ['a checkpoint without a root', changed(/^[A-Za-z0-9+/]{43}=\n/m, '')],
    ['a root of 31 bytes', changed(/^[A-Za-z0-9+/]{43}=\n/m, `${Buffer.alloc(31).toString('base64')}\n`)],
    ['a size above 2^53', changed(/^3\n/m, '9007199254740993\n')],
    ['a size above 2^64', changed(/^3\n/m, '18446744073709551617\n')],
    ['a size with a leading zero', changed(/^3\n/m, '03\n')],
    ['a size that is no number', changed(/^3\n/m, 'NaN\n')],
    ['an empty origin', changed('gate.example/epochs\n', '\n')],
    ['bytes that are no UTF-8', (body) => Buffer.concat([Buffer.from(body), Buffer.from([0xff, 0x0a])])],
    ['33 signatures', (body) => body + body.slice(body.lastIndexOf('— ')).repeat(32)],
  ],
  [tearDown, setUp],
)('a malformed request is answered 400, and nothing is cosigned', async (_, change) => {
  const body = change(log.request(0, 3))
  expect(String(body)).not.toBe(log.request(0, 3))
  expect(await add(body)).toMatchObject({ status: 400 })
  expect(await monitored()).toMatchObject({ status: 404 })
})

test('no request but a right one is ever cosigned, whatever bytes it has', async () => {
  const right = Buffer.from(log.request(0, 3))
  const change = fc.record({
    at: fc.nat(right.length - 1),
    bytes: fc.uint8Array({ maxLength: 4 }),
    cut: fc.nat(4),
  })
  await fc.assert(
    fc.asyncProperty(change, async ({ at, bytes, cut }) => {
      const body = Buffer.concat([right.subarray(0, at), bytes, right.subarray(at + cut)])
      fc.pre(!body.equals(right))
      expect((await add(body)).status).toBeGreaterThanOrEqual(400)
    }),
    { numRuns: 200 },
  )
  expect(await monitored()).toMatchObject({ status: 404 })
})

test('signatures of unknown keys are passed over, and not kept', async () => {
  const note = log.checkpoint(3)
  for (const signer of [newSigner('x.example', 0x01), newSigner('y.example', 0x04)])
    note.signatures.unshift(signNote(note.text, signer, 5))
  expect(await add(requestOf(0, [], formatNote(note)))).toMatchObject({ status: 200 })
  expect(parseNote((await monitored()).body)!.signatures.map((signature) => signature.name)).toEqual([
    log.origin,
    witness.signer.name,
  ])
})

test('while the key of a log rotates, one of its keys is enough, and a wrong signature of either is refused', async () => {
  const next = newSigner(log.origin, 0x01)
  await restart([log.signer, next])
  expect(await add(requestOf(0, [], formatNote(log.checkpoint(3, next))))).toMatchObject({ status: 200 })
  expect(await add(log.request(3, 4))).toMatchObject({ status: 200 })
  const note = log.checkpoint(5)
  note.signatures.push(signNote(log.checkpoint(4).text, next))
  expect(await add(requestOf(4, log.consistency(4, 5), formatNote(note)))).toMatchObject({ status: 403 })
})

test('a witness cosigns one of two histories of a log, and keeps the other as evidence', async () => {
  const [left, right] = [log.fork(2, 'left'), log.fork(2, 'right')]
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, n) => add((n % 2 === 0 ? left : right).request(0, 5))),
  )
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
  const kept = parseNote((await monitored()).body)!.text
  const [ours, other] = kept === left.checkpoint(5).text ? [left, right] : [right, left]
  expect(kept).toBe(ours.checkpoint(5).text)
  expect(await add(other.request(5, 5))).toMatchObject({ status: 422 })
  expect(await add(other.request(5, 9))).toMatchObject({ status: 422 })
  expect(await add(ours.request(5, 9))).toMatchObject({ status: 200 })
  expect(readdirSync(folder)).toContain(`${hashOfOrigin(log.origin)}.fork`)
  expect(witness.said.filter((line) => line.startsWith('refused'))).toHaveLength(2)
})

test('requests that race get cosigned checkpoints of which each extends the one before', async () => {
  await add(log.request(0, 1))
  for (let size = 1; size < 30;) {
    const targets = [size + 1, size + 2, size + 3, size + 1]
    const answers = await Promise.all(targets.map((target) => add(log.request(size, target))))
    const won = answers.flatMap(({ status }, at) => (status === 200 ? [targets[at]!] : []))
    expect(won).toHaveLength(1)
    for (const { status, body } of answers)
      if (status !== 200) expect({ status, body }).toEqual({ status: 409, body: `${won[0]}\n` })
    expect(await sizeHeld()).toBe(won[0])
    size = won[0]!
  }
})

test('there is one file for each log, however many checkpoints were cosigned', async () => {
  const other = toyLog('other.example/epochs')
  await restart([log.signer, other.signer])
  for (let old = 0; old < 4; old++) {
    await add(log.request(old, old + 1))
    await add(other.request(old, old + 1))
  }
  expect(readdirSync(folder).filter((file) => file.includes('.checkpoint.'))).toHaveLength(2)
})

test('a second witness on the folder is refused, and a witness of another name', async () => {
  expect(() => openWitnessFolder(folder, name)).toThrow(/Another witness is running on .* \(process \d+\)/)
  await end()
  expect(() => openWitnessFolder(folder, { ...name, name: 'x.example' })).toThrow(
    'belongs to the witness w.example',
  )
  witness = await run()
})

test('a process that was not kept out all the same cosigns nothing that contradicts the first', async () => {
  await add(log.request(0, 5))
  // A second process takes the lock for a left-over one if it cannot see the first, as in two containers.
  rmSync(join(folder, 'lock.json'))
  const first = witness
  witness = await run()
  const second = witness
  const ask = async (of: RunningWitness, body: string) =>
    (await fetch(`${of.url}/add-checkpoint`, { method: 'POST', body })).status
  const [left, right] = [log.fork(6, 'left'), log.fork(6, 'right')]
  expect(await ask(first, left.request(5, 8))).toBe(200)
  expect(await ask(second, right.request(5, 9))).toBe(409)
  expect(await ask(second, right.request(8, 9))).toBe(422)
  expect(await ask(second, left.request(8, 9))).toBe(200)
  expect(await ask(second, left.request(9, 10))).toBe(200)
  expect(await ask(first, left.fork(8, 'behind').request(8, 12))).toBe(409)
  expect(await ask(first, left.request(10, 12))).toBe(200)
  await first.stop()
})

test.each<[string, (file: string) => void]>([
  ['an emptied file', (file) => writeFileSync(file, '')],
  ['a checkpoint that this witness did not cosign', (file) => writeFileSync(file, noteOf(log, 9))],
])('%s stops the witness at its start', async (_, damage) => {
  await add(log.request(0, 5))
  await end()
  const file = join(folder, `${hashOfOrigin(log.origin)}.checkpoint.1`)
  const whole = readFileSync(file)
  damage(file)
  expect(() => openWitnessFolder(folder, name)).toThrow(`${file} is damaged`)
  writeFileSync(file, whole)
  witness = await run()
})

test('a lost key stops the witness at its start, where it would forget what it cosigned', async () => {
  await add(log.request(0, 5))
  await end()
  const file = join(folder, 'witness.json')
  const kept = readFileSync(file)
  rmSync(file)
  expect(() => openWitnessFolder(folder, name)).toThrow('witness.json is missing')
  writeFileSync(file, kept)
  witness = await run()
})

test('a request outside of the protocol is answered with its status', async () => {
  const status = async (path: string, init?: RequestInit) => (await fetch(witness.url + path, init)).status
  expect(await status('/')).toBe(404)
  expect(await status('/add-checkpoint')).toBe(405)
  expect(await status('/healthz')).toBe(200)
  expect(await status(`/${hashOfOrigin(log.origin)}/checkpoint`, { method: 'POST', body: '' })).toBe(405)
  expect(await status('/..%2fwitness.json/checkpoint')).toBe(404)
  expect(await status('/add-checkpoint', { method: 'POST', body: 'x'.repeat(65_537) })).toBe(413)
})

test('a client that sends slowly, or never ends, is cut off, and others are served meanwhile', async () => {
  const sendSlowly = async () => {
    const slow = connect(Number(new URL(witness.url).port), '127.0.0.1')
    slow.on('error', () => {})
    await once(slow, 'connect')
    slow.write('POST /add-checkpoint HTTP/1.1\r\nhost: w\r\ncontent-length: 100\r\n\r\nold 0\n')
    return slow
  }
  const slow = await sendSlowly()
  expect(await add(log.request(0, 3))).toMatchObject({ status: 200 })
  slow.destroy()
  const restore = shorten({ witnessRequestMs: 100 })
  await restart().finally(restore)
  expect(await text(await sendSlowly())).toContain('408')
})

test('an address that asks too often is answered 429', async () => {
  const statuses = new Set<number>()
  for (let n = 0; n < 7 && !statuses.has(429); n++) {
    const answers = await Promise.all(Array.from({ length: 100 }, () => add('')))
    for (const { status } of answers) statuses.add(status)
  }
  expect([...statuses].toSorted()).toEqual([400, 429])
})
