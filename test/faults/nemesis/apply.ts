import { setTimeout as sleep } from 'node:timers/promises'
import type { ProcessName, PartName } from '../../support/supervisor.ts'
import { hang, drop, workThenDrop, workThenHang, answer, type Fault } from '../../support/fault-provider.ts'
import { type ProviderFault, type ProviderName, type Step, processes } from '../schedule/steps.ts'
import { signalFamily } from '../system/processes.ts'
import type { System } from '../system/system.ts'
import { startReconcilers } from './reconcilers.ts'

/** Does to the system what a schedule says, and knows what it has taken away. */
export interface Nemesis {
  apply(step: Step): Promise<void>
  /** Gives everything back: at the end every part runs, and no edge, provider, clock or disk fails. */
  healAll(): Promise<void>
  /** What has ended without being asked to. A database that a full disk has ended is started again, and so is Temporal. */
  endedByThemselves(): Promise<string[]>
}

export function makeNemesis(system: System, log: (entry: object) => void): Nemesis {
  const { service, edges, clocks, disk, stripe } = system
  const down = new Set<PartName>()
  const paused = new Set<PartName>()
  let emptying: NodeJS.Timeout | undefined
  /** While the disk is full, and for a moment afterwards, the database may end. */
  let isDiskFull = false
  const faults = providerFaults(system)

  async function kill(part: PartName): Promise<void> {
    down.add(part)
    await service.kill(part)
  }

  async function restart(part: PartName): Promise<void> {
    if (!down.has(part)) return
    if (part === 'postgres') await startPostgres()
    else if (part === 'temporal') await startTemporal()
    else service.spawn(part)
    down.delete(part)
  }

  async function startPostgres(): Promise<void> {
    emptyDisk()
    await service.start('postgres')
  }

  /** Between its end and its start its files are still: a copy of them is what is restored later. */
  async function startTemporal(): Promise<void> {
    system.keepTemporal()
    await service.start('temporal')
  }

  function pause(part: PartName): void {
    paused.add(part)
    signalFamily(service.pidOf(part), 'SIGSTOP')
  }

  function resume(part: PartName): void {
    paused.delete(part)
    signalFamily(service.pidOf(part), 'SIGCONT')
  }

  function emptyDisk(): void {
    clearTimeout(emptying)
    disk?.empty()
  }

  function fillDisk(ms: number): void {
    isDiskFull = true
    disk?.fill()
    emptying = setTimeout(emptyDisk, ms)
  }

  async function restoreTemporal(): Promise<void> {
    await kill('temporal')
    log({ restored: system.restoreTemporal() })
    await service.start('temporal')
    down.delete('temporal')
  }

  async function healAll(): Promise<void> {
    for (const part of paused) resume(part)
    emptyDisk()
    await edges.healAll()
    faults.heal()
    for (const name of processes) clocks.step(name, 0)
    if (!service.isUp('postgres')) down.add('postgres')
    for (const part of ['postgres', 'temporal', ...processes] as const) await restart(part)
    isDiskFull = false
  }

  async function apply(step: Step): Promise<void> {
    switch (step.do) {
      case 'sleep':
        return void (await sleep(step.ms))
      case 'kill':
        return kill(step.part)
      case 'restart':
        return restart(step.part)
      case 'pause':
        return pause(step.part)
      case 'resume':
        return resume(step.part)
      case 'delay':
        return edges.delay(step.edge, step.ms, step.jitterMs)
      case 'cut':
      case 'swallow':
      case 'blackhole':
        return edges[step.do](step.edge, step.ms)
      case 'provider':
        return faults.add(step.provider, step.fault, step.calls)
      case 'terminate':
        return terminate(system, step.of)
      case 'clock':
        return clocks.step(step.of, step.seconds)
      case 'fill_disk':
        return fillDisk(step.ms)
      case 'restore_temporal':
        return restoreTemporal()
      case 'schedulers':
        return void (await startReconcilers(system).catch(() => undefined))
      case 'heal':
        faults.heal()
        return edges.healAll()
      case 'quiesce':
        return healAll()
    }
  }

  return {
    apply,
    healAll,
    async endedByThemselves() {
      if (isDiskFull && !down.has('postgres') && !service.isUp('postgres')) await startPostgres()
      // On a busy machine it may give up its own start, a minute after it began to answer.
      if (!down.has('temporal') && !service.isUp('temporal')) await startTemporal()
      const ended = service.dead().filter((name) => !down.has(name)) as string[]
      for (const server of ['postgres', 'temporal'] as const) {
        if (!down.has(server) && !service.isUp(server)) ended.push(server)
      }
      return ended
    },
  }

  /** Faults that the stand-ins meet their next calls with. */
  function providerFaults({ service: { provider }, executor, notes }: System) {
    const left: Record<ProviderName, Fault[]> = { slack: [], email: [], stripe: [], webhook: [], notes: [] }
    provider.faultFor = ({ call }) => left[call.startsWith('emails') ? 'email' : 'slack'].shift()
    stripe.faultFor = () => left.stripe.shift()
    executor.faultFor = () => left.webhook.shift()
    notes.faultFor = () => left.notes.shift()
    return {
      add(name: ProviderName, fault: ProviderFault, calls: number) {
        left[name].push(...Array.from({ length: calls }, () => makeFault[fault]()))
      },
      heal: () => void Object.values(left).forEach((list) => list.splice(0)),
    }
  }
}

const makeFault: Record<ProviderFault, () => Fault> = {
  hang: () => hang,
  drop: () => drop,
  work_hang: () => workThenHang,
  work_drop: () => workThenDrop,
  '500': () => answer(500, { statusCode: 500, name: 'internal_server_error', message: 'No.' }),
  '429': () =>
    answer(
      429,
      { statusCode: 429, name: 'rate_limit_exceeded', message: 'Too many.', ok: false },
      { headers: { 'retry-after': '1' } },
    ),
}

/** The names that processes give themselves, by which the database knows its clients. */
const applicationOf: Record<ProcessName, string> = {
  api: 'gate api',
  api2: 'gate api',
  worker: 'gate worker',
  worker2: 'gate worker',
  sealer: 'gate sealer',
}

async function terminate({ service }: System, of: ProcessName | 'all'): Promise<void> {
  const which = of === 'all' ? `like 'gate %'` : `= '${applicationOf[of]}'`
  await service
    .sql(
      `select pg_terminate_backend(pid) from pg_stat_activity
        where pid <> pg_backend_pid() and application_name ${which} and application_name <> 'gate test'`,
    )
    .catch(() => undefined)
}
