import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterEach, expect, test } from '@jest/globals'
import { limits } from '../../src/limits.ts'
import {
  formatNote,
  type NoteSigner,
  signatureLine,
  signNote,
  verifiedAt,
  vkeyOf,
} from '../../src/seals/note.ts'
import { parseTrustPolicy } from '../../src/seals/trust-policy.ts'
import { openWitnesses, type WitnessReport } from '../../src/seals/cosigning/witness-client.ts'
import { openWitnessFolder } from '../../src/seals/witness/folder.ts'
import { serveWitness } from '../../src/seals/witness/server.ts'
import { shorten } from '../support/shorten.ts'
import { until } from '../support/until.ts'
import { newSigner, requestOf, toyLog, type ToyLog } from './toy-log.ts'
import { testRows } from '../support/rows.ts'

const seconds = 1_750_000_000
const now = () => seconds * 1_000
const ends: (() => Promise<unknown> | void)[] = []
afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end()
})

interface TestWitness {
  name: string
  signer: NoteSigner
  url: string
}

/** A witness of ours, which can be stopped and started again where it was. */
async function honest(log: ToyLog, name: string) {
  const folder = mkdtempSync(join(process.env['TEST_RUN_DIR'] ?? tmpdir(), 'witness-'))
  ends.push(() => rmSync(folder, { recursive: true }))
  const start = async (port: number) => {
    const kept = openWitnessFolder(folder, { name, newName: name })
    const say = () => {}
    const running = await serveWitness({ ...kept, logs: [log.signer], now, say }, { host: '127.0.0.1', port })
    return { kept, running }
  }
  let { kept, running } = await start(0)
  const { url } = running
  const stop = async () => {
    kept.release()
    await running.stop()
  }
  ends.push(() => stop().catch(() => {}))
  const again = async () => void ({ kept, running } = await start(Number(new URL(url).port)))
  return { name, signer: kept.signer, url, stop, again }
}

type Reply = (body: string, response: ServerResponse, request: IncomingMessage) => void

/** A witness that does as it likes. `bodies`: what it was sent. */
async function hostile(reply: Reply, name = 'hostile.example') {
  const bodies: string[] = []
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      bodies.push(body)
      reply(body, response, request)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  ends.push(() => {
    server.close()
    server.closeAllConnections()
  })
  const { port } = server.address() as AddressInfo
  return { name, signer: newSigner(name, 0x04), url: `http://127.0.0.1:${port}`, bodies }
}

const policyOf = (witnesses: TestWitness[], quorum = 'all') =>
  parseTrustPolicy(
    [
      ...witnesses.map(({ name, signer, url }) => `witness ${name} ${vkeyOf(signer)} ${url}`),
      `group G ${quorum} ${witnesses.map(({ name }) => name).join(' ')}`,
      'quorum G',
    ].join('\n'),
  )

/** What one witness says about the checkpoint of size 5. */
async function said(witness: TestWitness, log = toyLog()): Promise<WitnessReport> {
  return openWitnesses(policyOf([witness]), now).ask(log.checkpoint(5), log.consistency)
}

const size = (held: number | string, response: ServerResponse) =>
  response.writeHead(409, { 'content-type': 'text/x.tlog.size' }).end(`${held}\n`)

test('every witness cosigns, and its cosignature is a line of the checkpoint', async () => {
  const log = toyLog()
  const witnesses = await Promise.all(['a.example', 'b.example'].map((name) => honest(log, name)))
  const opened = openWitnesses(policyOf(witnesses), now)
  for (const at of [3, 7, 7, 20]) {
    const note = log.checkpoint(at)
    const report = await opened.ask(note, log.consistency)
    expect(report).toMatchObject({ missing: [], isQuorum: true, conflict: null })
    const times = report.cosignatures.map((signature, n) =>
      verifiedAt(note.text, signature, witnesses[n]!.signer),
    )
    expect(times).toEqual([seconds, seconds])
  }
})

test('a process that does not know what a witness holds learns it from the answer', async () => {
  const log = toyLog()
  const witness = await honest(log, 'a.example')
  await openWitnesses(policyOf([witness]), now).ask(log.checkpoint(3), log.consistency)
  expect(await openWitnesses(policyOf([witness]), now).ask(log.checkpoint(9), log.consistency)).toMatchObject(
    {
      missing: [],
    },
  )
})

test('a cosignature that is there is not asked for again', async () => {
  const log = toyLog()
  const witness = await hostile((_, response) =>
    response.end(signatureLine(signNote(log.checkpoint(5).text, witness.signer, seconds))),
  )
  const opened = openWitnesses(policyOf([witness]), now)
  const first = await opened.ask(log.checkpoint(5), log.consistency)
  expect(await opened.ask(log.checkpoint(5), log.consistency)).toEqual(first)
  expect(witness.bodies).toEqual([requestOf(0, [], formatNote(log.checkpoint(5)))])
})

test('a witness that is down is missing, costs the others nothing, and cosigns once it is back', async () => {
  const log = toyLog()
  const [up, down] = [await honest(log, 'up.example'), await honest(log, 'down.example')]
  const opened = openWitnesses(policyOf([up, down], 'any'), now)
  await opened.ask(log.checkpoint(3), log.consistency)
  await down.stop()
  expect(await opened.ask(log.checkpoint(5), log.consistency)).toMatchObject({
    answers: [{ state: 'cosigned' }, { state: 'unreachable', why: 'it cannot be reached (ECONNREFUSED)' }],
    missing: ['down.example'],
    isQuorum: true,
    conflict: null,
  })
  await down.again()
  expect(await opened.ask(log.checkpoint(5), log.consistency)).toMatchObject({ missing: [] })
})

test('a longer history at a witness is a conflict: this log has lost it', async () => {
  const log = toyLog()
  const witness = await honest(log, 'a.example')
  await openWitnesses(policyOf([witness]), now).ask(log.checkpoint(9), log.consistency)
  for (const restored of [0, 5]) {
    const report = await openWitnesses(policyOf([witness]), now).ask(
      log.checkpoint(restored),
      log.consistency,
    )
    expect(report).toMatchObject({
      conflict: { witness: 'a.example', state: 'ahead', size: 9 },
      isQuorum: false,
      missing: ['a.example'],
    })
  }
})

test('among conflicts of several witnesses, another history counts first, then the longest one', async () => {
  const log = toyLog()
  const ahead = await Promise.all(
    [9, 30, 12].map((held) => hostile((_, response) => size(held, response), `w${held}.example`)),
  )
  const ask = (witnesses: TestWitness[]) =>
    openWitnesses(policyOf(witnesses), now).ask(log.checkpoint(5), log.consistency)
  expect((await ask(ahead)).conflict).toEqual({ witness: 'w30.example', state: 'ahead', size: 30 })
  const forked = await honest(log, 'forked.example')
  await openWitnesses(policyOf([forked]), now).ask(log.fork(2, 'other').checkpoint(4), log.consistency)
  expect((await ask([...ahead, forked])).conflict).toMatchObject({
    witness: 'forked.example',
    state: 'forked',
  })
})

test('another history at a witness is a conflict, at the same size and at a larger one', async () => {
  const log = toyLog()
  const witness = await honest(log, 'a.example')
  await openWitnesses(policyOf([witness]), now).ask(log.checkpoint(9), log.consistency)
  const other = log.fork(4, 'other')
  for (const at of [9, 12]) {
    const report = await openWitnesses(policyOf([witness]), now).ask(other.checkpoint(at), other.consistency)
    expect(report).toMatchObject({ conflict: { state: 'forked', size: 9 }, isQuorum: false })
  }
})

test('a same-size conflict that an older witness answers with 409 is one, too', async () => {
  const witness = await hostile((body, response) => {
    if (body.startsWith('old 0')) size(5, response)
    else response.writeHead(409, { 'content-type': 'text/plain' }).end('conflict\n')
  })
  expect((await said(witness)).conflict).toMatchObject({ state: 'forked', size: 5 })
})

const log = toyLog()
const note = log.checkpoint(5)
const line = (signer: NoteSigner, of = note.text, at = seconds) => signatureLine(signNote(of, signer, at))
const replies: [string, (signer: NoteSigner) => Reply, RegExp][] = [
  ['an unknown log (404)', () => (_, response) => response.writeHead(404).end(), /does not know this log/],
  ['an untrusted key (403)', () => (_, response) => response.writeHead(403).end(), /does not trust the key/],
  ['a malformed request (400)', () => (_, response) => response.writeHead(400).end(), /malformed/],
  ['a wrong proof where none was sent', () => (_, response) => response.writeHead(422).end(), /proof wrong/],
  ['too many requests', () => (_, response) => response.writeHead(429).end(), /too many/],
  ['an error', () => (_, response) => response.writeHead(500).end('no'), /answers 500/],
  ['nothing, with 200', () => (_, response) => response.end(), /no valid cosignature/],
  ['garbage', () => (_, response) => response.end(Buffer.alloc(1_000, 0xff)), /no valid cosignature/],
  [
    'the cosignature of another text',
    (signer) => (_, response) => response.end(line(signer, log.checkpoint(4).text)),
    /no valid cosignature/,
  ],
  [
    'the cosignature of another log',
    (signer) => (_, response) => response.end(line(signer, toyLog('other.example').checkpoint(5).text)),
    /no valid cosignature/,
  ],
  [
    'the cosignature of another key',
    ({ name }) =>
      (_, response) =>
        response.end(line(newSigner(name, 0x04))),
    /no valid cosignature/,
  ],
  [
    'a plain signature of the log in place of a cosignature',
    () => (_, response) => response.end(line(log.signer)),
    /no valid cosignature/,
  ],
  [
    'a cosignature with another time than the one it signed',
    (signer) => (_, response) => {
      const signature = signNote(note.text, signer, seconds)
      signature.bytes.writeUInt8(signature.bytes.readUInt8(7) ^ 1, 7)
      response.end(signatureLine(signature))
    },
    /no valid cosignature/,
  ],
  [
    'a cosignature of yesterday',
    (signer) => (_, response) => response.end(line(signer, note.text, seconds - 86_400)),
    /is dated 2025-06-14/,
  ],
  [
    'a cosignature of the year 10,000',
    (signer) => (_, response) => response.end(line(signer, note.text, 253_402_300_800)),
    /is dated \+010000/,
  ],
  [
    'a cosignature of no time that has a date',
    (signer) => (_, response) => response.end(line(signer, note.text, 9_007_199_254_740_991)),
    /outside of all time/,
  ],
  [
    'a redirect',
    () => (_, response, request) =>
      response.writeHead(307, { location: `http://${request.headers.host}/other/add-checkpoint` }).end(),
    /answers 307/,
  ],
  ['10 MB', () => (_, response) => response.end('— '.repeat(3_300_000)), /answers more than 65536 bytes/],
  [
    'an answer that is cut off',
    () => (_, response) => response.writeHead(200, { 'content-length': 99 }).destroy(),
    /cannot be reached/,
  ],
  ['409 without a size', () => (_, response) => response.writeHead(409).end('5\n'), /without the size/],
  ['409 with a size that is no number', () => (_, response) => size('1e1', response), /without the size/],
  [
    '409 with a size above 2^53',
    () => (_, response) => size('9007199254740993', response),
    /without the size/,
  ],
  [
    '409 with a size above 2^64',
    () => (_, response) => size('18446744073709551617', response),
    /without the size/,
  ],
  ['409 with the size that was asked from', () => (_, response) => size(0, response), /says it does not/],
  [
    'another size at each question',
    () => (body, response) => size(body.startsWith('old 1\n') ? 2 : 1, response),
    /another size at every question/,
  ],
]
testRows(replies)(
  'a witness that answers anything else has not cosigned, and stops nothing',
  async (_, make, why) => {
    const witness = await hostile((...given) => make(witness.signer)(...given))
    const report = await said(witness, log)
    expect(report).toMatchObject({
      cosignatures: [],
      missing: [witness.name],
      isQuorum: false,
      conflict: null,
    })
    expect((report.answers[0] as { why: string }).why).toMatch(why)
    expect(witness.bodies.length).toBeLessThanOrEqual(limits.witnessTriesMax)
  },
)

test('a witness that never answers, or drips, is given up after the deadline, in parallel', async () => {
  const seen: string[] = []
  const silent = await hostile((_, response) => {
    seen.push('asked')
    response.on('close', () => seen.push('left'))
  }, 'silent.example')
  const dripping = await hostile((_, response) => {
    seen.push('asked')
    const drip = setInterval(() => response.write('x'), 50)
    response.on('close', () => {
      clearInterval(drip)
      seen.push('left')
    })
  }, 'dripping.example')
  const restore = shorten({ witnessAskMs: 1_000 })
  const opened = openWitnesses(policyOf([silent, dripping]), now)
  const report = await opened.ask(note, log.consistency).finally(restore)
  expect(report.answers.map((answer) => 'why' in answer && answer.why)).toEqual(
    Array(2).fill('it did not answer within 1000 ms'),
  )
  await until('both are left', async () => seen.length === 4)
  expect(seen).toEqual(['asked', 'asked', 'left', 'left'])
  // The next seal does not wait for them again.
  expect(await opened.ask(log.checkpoint(6), log.consistency)).toMatchObject({ missing: report.missing })
  expect([silent.bodies, dripping.bodies].map((bodies) => bodies.length)).toEqual([1, 1])
})

test('lines of other keys beside the cosignature are passed over', async () => {
  const witness = await hostile((_, response) =>
    response.end(line(newSigner('x.example', 0x04)) + line(witness.signer)),
  )
  const { cosignatures } = await said(witness, log)
  expect(cosignatures.map(({ name }) => name)).toEqual([witness.name])
})

test('a witness without a URL is missing, and nothing is asked', async () => {
  const policy = parseTrustPolicy(`witness W ${vkeyOf(newSigner('w', 0x04))}\nquorum W\n`)
  expect(await openWitnesses(policy, now).ask(note, log.consistency)).toMatchObject({ missing: ['W'] })
})
