import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { addEndpoint } from '../../../src/operations/events/endpoints.ts'
import { projectRoot } from '../../../src/process/root.ts'
import { type Received, type StandIn, standIn } from '../../../test/executors/stand-in.ts'
import { blocksOf, readPage } from '../../../test/docs/markdown.ts'
import { ringOf } from '../../../test/support/connect.ts'
import { freePort } from '../../../dev/embedded/free-port.ts'
import { startMembers } from '../../../test/support/members-by-http.ts'
import { until } from '../../../test/support/until.ts'
import { useGate } from '../../../test/support/use-gate.ts'
import { folderWith, langchainPackages } from './framework-folder.ts'

// The receiver of the page with LangGraph itself, between a real gate and a network that copies, reorders and loses.

const gate = useGate({ env: { SECRETS_KEYS: ringOf('k1'), EXECUTOR_ALLOW: '127.0.0.1' } })
const email = 'grace@example.com'
let folder: string
let members: Awaited<ReturnType<typeof startMembers>>
const programs: ChildProcess[] = []
const networks: StandIn[] = []
/** How often Grace was asked, over all accounts. */
let times = 0

beforeAll(async () => {
  members = await startMembers(gate)
  folder = await folderWith('langgraph-receiver', langchainPackages)
  symlinkSync(
    join(projectRoot, 'node_modules/standardwebhooks'),
    join(folder, 'node_modules/standardwebhooks'),
  )
  writeFileSync(join(folder, 'page.mjs'), programOfPage())
}, 300_000)
afterAll(async () => {
  for (const program of programs) program.kill()
  await Promise.all([members.stop(), ...networks.map((network) => network.close())])
})

function programOfPage(): string {
  const [program] = blocksOf(readPage('docs/events.md')).filter(({ info }) => info === 'js')
  return program!.text
}

test('the receiver of the page has at most 20 lines beside its agent', () => {
  const [, receiver] = programOfPage().split('// The receiver\n')
  expect(receiver!.split('\n').filter((line) => /\w/.test(line)).length).toBeLessThanOrEqual(20)
})

test('a graph goes on once: with copies, in another order, and where no event arrives', async () => {
  const copied = await interrupted()
  await decided(copied, 'confirm')
  const events = copied.network.received
  await until('all events', async () => events.some(({ body }) => body.includes('action.executed')))
  const forged = { ...events.at(-1)!, body: events.at(-1)!.body.replace('executed', 'approved') }
  expect(await copied.arrive(forged)).toBe(401)
  expect(copied.printed()).toHaveLength(1)
  // The last comes first, each several times at once, and all of them again.
  const disorder = events.toReversed().flatMap((event) => [event, event, event])
  await Promise.all(disorder.map((event) => copied.arrive(event)))
  await until('the graph', async () => copied.printed().length === 2)
  for (const event of events) expect(await copied.arrive(event)).toBe(204)

  const lost = await interrupted({ LOOK_MS: '100' })
  await decided(lost, 'decline')
  await until('the graph', async () => lost.printed().length === 2)
  await lost.arrive(lost.network.received.at(-1)!)

  const open = await interrupted({ LOOK_MS: '100' })
  for (const event of open.network.received) await open.arrive(event)
  for (const one of [copied, lost]) {
    await one.arrive(one.network.received[0]!)
    expect(one.printed()).toEqual([expect.stringMatching(/e-mail/), 'That is all.'])
  }
  // While nobody decides, it is not resumed.
  await decided(open, 'decline')
  await until('the graph', async () => open.printed().length >= 2)
  expect(open.printed()).toEqual(lost.printed())
}, 120_000)

/** The program of the page, which has proposed. Its events stay in a network until the test lets them arrive. */
async function interrupted(env: NodeJS.ProcessEnv = { LOOK_MS: '3600000' }) {
  const { url, account, key } = await members.account({ email })
  const network = await standIn((_request, response) => void response.writeHead(204).end())
  networks.push(network)
  const { db, secretsKeys: keys, network: outside } = gate.deps
  const { secret } = await addEndpoint(
    { db, account, session: null },
    { keys, allowed: outside.allowed },
    { url: `${network.url}/`, description: 'A network', types: null, isFull: false },
  )
  const port = await freePort()
  const program = spawn(process.execPath, ['page.mjs'], {
    cwd: folder,
    env: { ...process.env, GATE: url, KEY: key, SECRET: secret, PORT: String(port), ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  programs.push(program)
  let output = ''
  program.stdout.on('data', (data) => (output += String(data)))
  await once(program.stdout, 'data')
  await until('the proposal', async () => network.received.length > 0)
  return {
    network,
    printed: () => output.split('\n').filter(Boolean),
    arrive: async ({ headers, body }: Received) => {
      const signed = Object.entries(headers).filter(([name]) => name.startsWith('webhook-'))
      const sent = { method: 'POST', headers: Object.fromEntries(signed) as Record<string, string>, body }
      return (await fetch(`http://127.0.0.1:${port}/`, sent)).status
    },
  }
}

async function decided({ network }: Awaited<ReturnType<typeof interrupted>>, does: 'confirm' | 'decline') {
  times += 1
  await members.decide({ email, times, does })
  await until('the end', async () =>
    network.received.some(({ body }) => /action\.(executed|declined)/.test(body)),
  )
}
