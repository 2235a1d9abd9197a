import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { cosignatureIn } from '../../src/seals/cosigning/witness-client.ts'
import { parseCheckpoint, parseNote, parseVkey } from '../../src/seals/note.ts'
import { parseTrustPolicy } from '../../src/seals/trust-policy.ts'
import { hashOfOrigin } from '../../src/seals/witness/store.ts'
import { toyLog } from '../seals/toy-log.ts'
import { startWitness, type WitnessProcess } from '../seals/witness-process.ts'
import { gateOn } from './gate-command.ts'

let folder: string
let running: WitnessProcess[]
const log = toyLog()
beforeEach(() => {
  folder = mkdtempSync(join(process.env['TEST_RUN_DIR'] ?? tmpdir(), 'witness-'))
  running = []
})
afterEach(async () => {
  for (const { end } of running) await end('SIGKILL')
  rmSync(folder, { recursive: true, force: true })
})

async function start(more: string[] = [], preload?: string) {
  const own = ['--dir', join(folder, 'w'), '--listen', '127.0.0.1:0', '--log', log.vkey]
  const witness = await startWitness([...own, ...more], preload)
  running.push(witness)
  return witness
}

const add = (witness: WitnessProcess, body: string) =>
  fetch(`${witness.address}/add-checkpoint`, { method: 'POST', body })

async function sizeHeld(witness: WitnessProcess): Promise<number> {
  const answer = await fetch(`${witness.address}/${hashOfOrigin(log.origin)}/checkpoint`)
  return answer.status === 404 ? 0 : parseCheckpoint(parseNote(await answer.text())!.text)!.size
}

test('a witness makes its key once, prints what others need of it, and cosigns again after a stop', async () => {
  const first = await start(['--name', 'w.example'])
  expect(first).toMatchObject({
    name: 'w.example',
    policyLine: `witness w.example ${first.vkey} ${first.address}`,
  })
  expect(parseTrustPolicy(`${first.policyLine}\nquorum w.example\n`).witnesses).toHaveLength(1)
  const answer = await add(first, log.request(0, 5))
  const key = parseVkey(first.vkey)!
  expect(cosignatureIn(await answer.text(), log.checkpoint(5).text, key)).toMatchObject({
    seconds: expect.closeTo(Date.now() / 1_000, -2),
  })
  expect(await first.end('SIGTERM')).toEqual({ code: 0, signal: null })
  const second = await start()
  expect(second.vkey).toBe(first.vkey)
  expect((await add(second, log.request(0, 7))).status).toBe(409)
  expect((await add(second, log.request(5, 7))).status).toBe(200)
}, 60_000)

test('a witness that is killed between keeping a checkpoint and answering cosigns no other one afterwards', async () => {
  // Kills the process in the moment in which it would answer.
  const preload = join(folder, 'kill-before-answer.mjs')
  writeFileSync(
    preload,
    `import http from 'node:http'
    const { writeHead } = http.ServerResponse.prototype
    http.ServerResponse.prototype.writeHead = function (status, ...rest) {
      if (status === 200 && this.req.url === '/add-checkpoint') process.kill(process.pid, 'SIGKILL')
      return writeHead.call(this, status, ...rest)
    }`,
  )
  const killed = await start([], preload)
  await expect(add(killed, log.fork(0, 'left').request(0, 5))).rejects.toThrow()
  const next = await start()
  expect(await sizeHeld(next)).toBe(5)
  expect((await add(next, log.fork(0, 'right').request(0, 5))).status).toBe(409)
  expect((await add(next, log.fork(0, 'right').request(5, 5))).status).toBe(422)
  expect((await add(next, log.fork(0, 'left').request(5, 9))).status).toBe(200)
}, 60_000)

test.each(['before it is written', 'before it has its name', 'before the old one is removed'])(
  'a witness that is killed while it keeps a checkpoint, %s, starts again with one history',
  async (moment) => {
    const call = {
      'before it is written': 'fsyncSync',
      'before it has its name': 'linkSync',
      'before the old one is removed': 'rmSync',
    }[moment]
    const preload = join(folder, 'kill-while-keeping.mjs')
    writeFileSync(
      preload,
      `import fs from 'node:fs'
      import { syncBuiltinESMExports } from 'node:module'
      const real = fs.${call}
      let isOn = false
      fs.${call} = (...given) => {
        if (fs.existsSync(${JSON.stringify(join(folder, 'now'))})) process.kill(process.pid, 'SIGKILL')
        return real(...given)
      }
      syncBuiltinESMExports()`,
    )
    const killed = await start([], preload)
    expect((await add(killed, log.request(0, 5))).status).toBe(200)
    writeFileSync(join(folder, 'now'), '')
    await expect(add(killed, log.fork(5, 'left').request(5, 8))).rejects.toThrow()
    const next = await start()
    const held = await sizeHeld(next)
    expect([5, 8]).toContain(held)
    const other = log.fork(5, 'right')
    expect((await add(next, other.request(held, 9))).status).toBe(held === 5 ? 200 : 422)
  },
  60_000,
)

test('a second witness on the folder does not start, and one after a kill does', async () => {
  const first = await start()
  await expect(start()).rejects.toThrow(
    `Another witness is running on ${join(folder, 'w')} (process ${first.child.pid})`,
  )
  await first.end('SIGKILL')
  expect((await start()).vkey).toBe(first.vkey)
}, 60_000)

test.each([
  ['no folder', [], '--dir is required'],
  ['a key that is no vkey', ['--dir', 'w', '--log', 'x'], '--log must be the vkey of a log'],
  ['an address without a port', ['--dir', 'w', '--listen', '127.0.0.1'], '--listen must be HOST:PORT'],
  ['a port above 65535', ['--dir', 'w', '--listen', '127.0.0.1:65536'], '--listen must have a port'],
  ['a name with a space', ['--dir', 'w', '--name', 'a b'], '--name must have neither'],
  ['a name with a plus sign', ['--dir', 'w', '--name', 'a+b'], '--name must have neither'],
])('%s is refused before anything is made', async (_, args, reason) => {
  const { code, stderr } = await gateOn({})('witness', ...args)
  expect([code, stderr]).toEqual([2, expect.stringContaining(reason)])
})
