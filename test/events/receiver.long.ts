import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, symlinkSync, writeFileSync } from 'node:fs'
import { once } from 'node:events'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { addEndpoint } from '../../src/operations/events/endpoints.ts'
import { sendEvent, takeDue } from '../../src/operations/events/send-events.ts'
import { projectRoot } from '../../src/process/root.ts'
import { blocksOf, readPage } from '../docs/markdown.ts'
import { until } from '../support/until.ts'
import { type EventScene, eventScene, pass } from './scene.ts'

let scene: EventScene
const programs: ChildProcess[] = []
beforeAll(async () => {
  scene = await eventScene()
}, 60_000)
afterAll(async () => {
  for (const program of programs) program.kill()
  await scene.stop()
})

/** The receiver of the page, as it stands there. */
function receiverOfPage(): string {
  const text = blocksOf(readPage('docs/events.md')).find((block) =>
    block.text.includes('receiver.mjs <<'),
  )!.text
  return /<<'END'\n([^]*?)\nEND\n/.exec(text)![1]!
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

test('the receiver of the page goes on once with each action: after copies, events in another order, and lost events', async () => {
  const account = await scene.account()
  const { client, actor } = account
  const port = await freePort()
  const service = { keys: scene.gate.deps.secretsKeys, allowed: scene.gate.deps.network.allowed }
  const { secret } = await addEndpoint(scene.context(account), service, {
    url: `http://127.0.0.1:${port}/`,
    description: 'The receiver of the page',
    types: null,
    isFull: false,
  })
  const [copied, late, lost, open] = await Promise.all(
    ['One', 'Two', 'Three', 'Four'].map(
      async (message) => (await client.propose(actor, message)).body.id as number,
    ),
  )
  const folder = mkdtempSync(join(tmpdir(), 'receiver-'))
  symlinkSync(join(projectRoot, 'node_modules'), join(folder, 'node_modules'))
  writeFileSync(join(folder, 'receiver.mjs'), receiverOfPage())
  const program = spawn(process.execPath, ['receiver.mjs'], {
    cwd: folder,
    env: {
      GATE: scene.gate.api.url,
      KEY: account.key,
      SECRET: secret,
      PORT: String(port),
      LOOK_MS: '1000',
      WAITING: [copied, late, lost, open].join(),
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  programs.push(program)
  let printed = ''
  program.stdout.on('data', (data) => (printed += String(data)))
  const wentOn = () =>
    printed
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as { id: number })
  await until('the receiver', () =>
    fetch(`http://127.0.0.1:${port}/`, { method: 'POST' }).catch(() => undefined),
  )
  // Anyone can send it what they like.
  expect(
    (await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body: '{"data":{"action":1}}' })).status,
  ).toBe(401)
  const attempt = new AbortController().signal
  // The proposal is known to be lost: its worker dies. The end comes twice, before the proposal.
  const proposals = await takeDue(scene.gate.deps, 100)
  expect(proposals).toHaveLength(4)
  for (const id of [copied, late]) await client.cancel(id!, actor)
  await scene.gate.database.asSuperuser(
    `update gate.event_delivery set state = 'given_up', ended_at = now() where account_id = '${account.account}' and type = 'action.proposed'`,
  )
  await pass(scene.gate, 31_000)
  const ends = await takeDue(scene.gate.deps, 100)
  expect(ends.map(({ type }) => type)).toEqual(['action.cancelled', 'action.cancelled'])
  for (const event of [...ends, ...ends, ...proposals, ...ends])
    await sendEvent(scene.gate.deps, event, attempt)
  await until('both', async () => wentOn().length === 2)
  expect(
    wentOn()
      .map(({ id }) => id)
      .toSorted(),
  ).toEqual([copied, late].toSorted())
  // Nothing is sent of the third: it looks by itself.
  await client.cancel(lost!, actor)
  await until('the third', async () => wentOn().length === 3)
  expect(wentOn().at(-1)).toEqual({ id: lost, status: 'cancelled' })
  expect(printed).not.toContain(`"id":${open}`)
}, 120_000)
