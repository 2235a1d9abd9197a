import { type ActionRow } from '../../db/queries/actions.ts'
import { countDeliveries, layOutDeliveries, noteDelivered } from '../../db/queries/deliveries.ts'
import { type Deps } from '../../deps.ts'
import { type Channel, channels } from '../../gate/reach.ts'
import { eventId } from '../../ledger/digest.ts'
import { entryTail } from '../../ledger/entry.ts'
import { limits } from '../../limits.ts'
import { taskQueue } from '../../temporal/names.ts'
import { type Ending, type Performer, type Step } from '../kind.ts'
import { countsOf, outcomeOf } from './result.ts'
import { sendSlices } from './send-slices.ts'

/** Performs a broadcast: its frozen recipients in slices, a step being some slices of one channel. */
export const broadcastPerformer: Performer = {
  async plan(deps, row) {
    const laidOut = await layOutDeliveries(deps.db, row.account_id, row.id, {
      slack: deps.channels.slack?.sliceMax ?? 1,
      email: deps.channels.email?.sliceMax ?? 1,
    })
    return laidOut.flatMap(({ channel, slices }) => stepsOf(channel, slices))
  },

  async perform(deps, row, name, context) {
    const step = parseStep(name)
    await sendSlices(deps, row, step, context)
    const counts = await countDeliveries(deps.db, row.account_id, row.id, step)
    const settled = counts.map((c) => c.count).reduce((a, b) => a + b, 0)
    await noteDelivered(deps.db, {
      account: row.account_id,
      id: row.id,
      eventId: eventId(row.uuid, 'delivered', name),
      entryTail: entryTail({
        kind: 'delivered',
        actor: 'system',
        data: { step: name, ...Object.fromEntries(counts.map((c) => [c.state, c.count])) },
      }),
    })
    return { settled }
  },

  conclude: (deps, row) => concludeBroadcast(deps, row),
}

async function concludeBroadcast(deps: Deps, row: ActionRow): Promise<Ending> {
  const rows = await countDeliveries(deps.db, row.account_id, row.id)
  const counts = countsOf(rows, row.reach_unreachable)
  const isStopped = rows.some((r) => r.is_stopped)
  return {
    status: 'executed',
    closedReason: null,
    result: {
      outcome: outcomeOf(counts),
      ...counts,
      ...(isStopped ? { stopped: 'account_suspended' } : {}),
      ...(deps.isSandbox ? { sandbox: true } : {}),
    },
  }
}

const queueOf: Record<Channel, Step['queue']> = { slack: taskQueue.slack, email: taskQueue.email }

function stepsOf(channel: Channel, slices: number): Step[] {
  const steps: Step[] = []
  // Even shares for all lanes of the window, so that none works alone at the end.
  const perStep = Math.min(Math.ceil(slices / limits.stepsWindow), limits.slicesPerStepMax)
  for (let from = 0; from < slices; from += perStep) {
    const name = `${channel}:${from}-${Math.min(from + perStep, slices)}`
    steps.push({ queue: queueOf[channel], name, isQuick: slices === 1 })
  }
  return steps
}

function parseStep(name: string): { channel: Channel; from: number; to: number } {
  const [, channel, from, to] = /^(\w+):(\d+)-(\d+)$/.exec(name) ?? []
  const known = channels.find((c) => c === channel)
  if (!known) throw new Error(`no such step: ${name}`)
  return { channel: known, from: Number(from), to: Number(to) }
}
