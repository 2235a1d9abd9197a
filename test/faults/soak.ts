import { setTimeout as sleep } from 'node:timers/promises'
import { type PartName, type Service, startService, until } from '../support/supervisor.ts'
import { type Sender, senderTo } from './broadcasts.ts'
import { type Acknowledged, expectInvariants } from './invariants.ts'

/**
 * Faults by a seed for as long as one likes, under a load of proposals, confirms and cancels; then everything heals, and what
 * must hold is looked at. Usage: SOAK_MINUTES=30 SEED=1 node --import ./test/support/run-ts.js test/faults/soak.ts
 */
const minutes = Number(process.env['SOAK_MINUTES'] ?? 5)
const seed = Number(process.env['SEED'] ?? Date.now() % 2 ** 31)
const endMs = 240_000
const say = (line: string) => void process.stdout.write(`${new Date().toISOString().slice(11, 19)} ${line}\n`)

say(`seed ${seed}, ${minutes} minutes`)
const random = dice(seed)
const service = await startService({
  isSandbox: true,
  hasOwnPostgres: true,
  processes: ['api', 'api2', 'worker'],
  env: { CONFIRM_WAIT_MS: '1000' },
})
let exitCode = 0
try {
  const senders = await Promise.all(Array.from({ length: 4 }, () => senderTo(service, 30)))
  const stopping = new AbortController()
  const loads = senders.map((sender) => load(sender, stopping.signal))
  const deadline = Date.now() + minutes * 60_000
  for (let round = 1; Date.now() < deadline; round++) await fault(service, round)
  stopping.abort()
  for (const [index, acknowledged] of (await Promise.all(loads)).entries()) {
    const { account } = senders[index]!.account
    const ms = await until('every claimed action has ended', endMs, async () => {
      const open = await service.sql(
        `select id from gate.action where account_id = '${account}' and status = 'proposed' and decision = 'confirm'`,
      )
      return open.length === 0
    })
    await expectInvariants(service, account, acknowledged)
    say(`${account}: ${acknowledged.length} writes acknowledged, all stored; claims ended within ${ms} ms`)
  }
} catch (error) {
  say(`FAILED with seed ${seed}: ${error instanceof Error ? error.stack : String(error)}`)
  exitCode = 1
} finally {
  await service.stop()
}
process.exit(exitCode)

/** One fault, its healing, and a while of peace. */
async function fault(service: Service, round: number): Promise<void> {
  const part = pick<PartName>('api', 'api2', 'worker', 'postgres', 'temporal')
  const how = pick('kill', 'pause', 'terminate', 'cut')
  const ms = Math.round(random() * 6_000)
  say(`round ${round}: ${how} ${how === 'kill' || how === 'pause' ? part : ''} for ${ms} ms`)
  if (how === 'kill') {
    await service.kill(part)
    await sleep(ms)
    await service.start(part)
  } else if (how === 'pause') {
    // A worker that stops for longer than its heartbeat allows is replaced, and comes back while another has its work.
    service.pause(part)
    await sleep(part === 'worker' ? ms * 5 : ms)
    service.resume(part)
  } else if (how === 'terminate') {
    await service.sql('select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid()')
  } else {
    const edge = pick(service.edges.temporal, service.edges.provider)
    edge.hold()
    await sleep(ms)
    edge.cut()
    edge.release()
  }
  const dead = service.dead()
  if (dead.length > 0) throw new Error(`Died of itself: ${dead.join(', ')}\n${service.logOf(dead[0]!)}`)
  await sleep(3_000)
}

/** @returns what was acknowledged */
async function load(sender: Sender, stopping: AbortSignal): Promise<Acknowledged[]> {
  const acknowledged: Acknowledged[] = []
  const clients = [sender.account.api, sender.account.api2]
  for (let n = 0; !stopping.aborted; n++) {
    const client = clients[n % 2]!
    try {
      const proposed = await client.propose(sender.actor, `Soak ${n} of ${sender.account.account}.`)
      if (proposed.status !== 201) continue
      acknowledged.push(proposed.body)
      const decided = await client[n % 4 === 3 ? 'cancel' : 'confirm'](proposed.body.id, sender.actor)
      if (decided.status < 300) acknowledged.push(decided.body)
    } catch {
      // The API is down: nothing was acknowledged.
      await sleep(100)
    }
  }
  return acknowledged
}

function pick<T>(...choices: T[]): T {
  return choices[Math.floor(random() * choices.length)]!
}

/** Numbers in [0, 1), the same for the same seed. @source mulberry32 */
function dice(state: number): () => number {
  let a = state
  return () => {
    a = (a + 0x6d2b79f5) | 0
    let t = Math.imul(a ^ (a >>> 15), 1 | a)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
  }
}
