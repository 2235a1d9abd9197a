import type { ActionRow } from '../../db/queries/actions/actions.ts'
import {
  type DeliveryCount,
  type SliceRecord,
  countDeliveries,
  layOutDeliveries,
  stepDelivery,
} from '../../db/queries/actions/deliveries.ts'
import type { KindDeps } from '../kind-deps.ts'
import { type Outlet, outlets } from '../../gate/reach.ts'
import { limits } from '../../limits.ts'
import { settleAll } from '../../waiting/settle-all.ts'
import { taskQueue } from '../../temporal/names.ts'
import type { Conclusion, Performer, QuickEnd, Step } from '../kind.ts'
import { countsOf, outcomeOf } from './result.ts'
import { sendSlices } from './send-slices.ts'

const slicesPerStepMax = 50

/** Performs a broadcast: sends to its frozen recipients in slices. A step is several slices of one channel. */
export const broadcastPerformer: Performer = {
  async plan(deps, row) {
    const { sliceRecipientsMax } = limits
    // A single slice per channel is created by its own claim.
    if (row.reach_slack <= sliceRecipientsMax.slack && row.reach_email <= sliceRecipientsMax.email)
      return [
        ...stepsOf('slack', Math.min(row.reach_slack, 1)),
        ...stepsOf('email', Math.min(row.reach_email, 1)),
        ...stepsOf('teams', row.reach_teams),
      ]
    const laidOut = await layOutDeliveries(deps.db, row.account_id, row.id, sliceRecipientsMax)
    return laidOut.flatMap(({ channel, slices }) => stepsOf(channel, slices))
  },

  perform: (deps, row, name, context) => sendSlices(deps, row, parseStep(name), context),

  // Each step is one slice. Inside a workflow task their outcomes are recorded together with the end, which comes at once.
  async performQuick(deps, row, names, context) {
    const records: QuickEnd['records'] = []
    const recordAlone = async () => void (await settleAll(records.map((one) => record(deps, row, one))))
    const stepsOfAll = names.map(parseStep)
    try {
      await settleAll(
        stepsOfAll.map((step) => {
          const keep = (one: SliceRecord) => void records.push({ channel: step.channel, ...one })
          return sendSlices(deps, row, step, context.isBrief ? { ...context, keep } : context)
        }),
      )
    } catch (error) {
      await recordAlone()
      throw error
    }
    if (records.length === names.length) {
      return { conclusion: conclusionOf(deps, row, talliesOf(records)), records, recordAlone }
    }
    await recordAlone()
    return undefined
  },

  async report(deps, row, name) {
    const counts = await countDeliveries(deps.db, row.account_id, row.id, parseStep(name))
    return { settled: counts.map((c) => c.count).reduce((a, b) => a + b, 0) }
  },

  conclude: async (deps, row) =>
    conclusionOf(deps, row, await countDeliveries(deps.db, row.account_id, row.id)),
}

const record = (deps: KindDeps, row: ActionRow, { channel, ...slice }: QuickEnd['records'][number]) =>
  stepDelivery(deps.db, { account: row.account_id, id: row.id, channel, record: slice, claim: null })

/** What `countDeliveries` counts once these slices are recorded. Pure. */
const talliesOf = (records: QuickEnd['records']): DeliveryCount[] =>
  records.flatMap(({ channel, states, codes }) =>
    states.map((state, place) => ({
      channel,
      state,
      count: 1,
      is_stopped: codes[place] === 'account_suspended',
    })),
  )

function conclusionOf(deps: KindDeps, row: ActionRow, recorded: DeliveryCount[]): Conclusion {
  const rows = [...recorded, ...notLaidOut(row, recorded)]
  const counts = countsOf(rows, row.reach_unreachable, row.reach_teams > 0)
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

/** The recipients of slices that were never made: nothing was sent to them. Pure. */
function notLaidOut(row: ActionRow, recorded: DeliveryCount[]): DeliveryCount[] {
  return outlets.map((channel) => {
    const made = recorded.filter((r) => r.channel === channel).reduce((sum, { count }) => sum + count, 0)
    return {
      channel,
      state: 'pending',
      count: Math.max(row[`reach_${channel}`] - made, 0),
      is_stopped: false,
    }
  })
}

/** A post in a room is one call: it needs no queue of its own. */
const queueOf: Record<Outlet, Step['queue']> = {
  slack: taskQueue.slack,
  email: taskQueue.email,
  teams: taskQueue.email,
}

function stepsOf(channel: Outlet, slices: number): Step[] {
  const steps: Step[] = []
  // Equal shares for all parallel lanes, so that they finish together.
  const perStep = Math.min(Math.ceil(slices / limits.stepsWindow), slicesPerStepMax)
  for (let from = 0; from < slices; from += perStep) {
    const name = `${channel}:${from}-${Math.min(from + perStep, slices)}`
    steps.push({ queue: queueOf[channel], name, isQuick: slices === 1 })
  }
  return steps
}

function parseStep(name: string): { channel: Outlet; from: number; to: number } {
  const [, channel, from, to] = /^(\w+):(\d+)-(\d+)$/.exec(name) ?? []
  const known = outlets.find((c) => c === channel)
  if (!known) throw new Error(`unknown step: ${name}`)
  return { channel: known, from: Number(from), to: Number(to) }
}
