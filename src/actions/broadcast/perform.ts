import type { ActionRow } from '../../db/queries/actions/actions.ts'
import { countDeliveries, layOutDeliveries } from '../../db/queries/actions/deliveries.ts'
import type { KindDeps } from '../kind-deps.ts'
import { type Channel, channels } from '../../gate/reach.ts'
import { limits } from '../../limits.ts'
import { taskQueue } from '../../temporal/names.ts'
import type { Conclusion, Performer, Step } from '../kind.ts'
import { countsOf, outcomeOf } from './result.ts'
import { sendSlices } from './send-slices.ts'

/** Performs a broadcast: sends to its frozen recipients in slices. A step is several slices of one channel. */
export const broadcastPerformer: Performer = {
  async plan(deps, row) {
    const { sliceRecipientsMax } = limits
    // A single slice per channel is created by its own claim.
    if (row.reach_slack <= sliceRecipientsMax.slack && row.reach_email <= sliceRecipientsMax.email)
      return [
        ...stepsOf('slack', Math.min(row.reach_slack, 1)),
        ...stepsOf('email', Math.min(row.reach_email, 1)),
      ]
    const laidOut = await layOutDeliveries(deps.db, row.account_id, row.id, sliceRecipientsMax)
    return laidOut.flatMap(({ channel, slices }) => stepsOf(channel, slices))
  },

  perform: (deps, row, name, context) => sendSlices(deps, row, parseStep(name), context),

  async report(deps, row, name) {
    const counts = await countDeliveries(deps.db, row.account_id, row.id, parseStep(name))
    return { settled: counts.map((c) => c.count).reduce((a, b) => a + b, 0) }
  },

  conclude: (deps, row) => concludeBroadcast(deps, row),
}

async function concludeBroadcast(deps: KindDeps, row: ActionRow): Promise<Conclusion> {
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
  // Equal shares for all parallel lanes, so that they finish together.
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
  if (!known) throw new Error(`unknown step: ${name}`)
  return { channel: known, from: Number(from), to: Number(to) }
}
