import {
  type ToolCallRow,
  type ToolCallsPage,
  countUnreported,
  listToolCalls,
} from '../../db/queries/runner/calls.ts'
import {
  type CallCounts,
  type DayOfCalls,
  type MachineRow,
  countCalls,
  countCallsByKey,
  listMachines,
} from '../../db/queries/runner/machines.ts'
import type { Deps } from '../../deps.ts'
import { limits } from '../../limits.ts'
import type { Day } from '../proposals/activity.ts'

const unreportedShownMax = 10

export { type CallCounts, type ToolCallRow }

/** A runner key, and the answers that it got today. */
export type Machine = MachineRow & { today: CallCounts; isInForce: boolean }

/** Calls that were allowed in the last 24 hours and whose outcome was never reported. */
export interface Unreported {
  count: number
  /** There are more than were counted. */
  isMore: boolean
  newest: ToolCallRow[]
}

/** The agent runners of an account. */
export interface RunnersOverview {
  machines: Machine[]
  /** There are more than are listed. */
  isMoreMachines: boolean
  days: (DayOfCalls & { name: string })[]
  calls: ToolCallRow[]
  /** The `after` of the next page of calls, if there is one. */
  next: number | undefined
  unreported: Unreported
}

/** Which calls are listed. */
export type CallsFilter = Pick<ToolCallsPage, 'keyId' | 'decision' | 'after'>

/**
 * The machines of an account, the answers of some days and a page of calls.
 * @param days  up to today
 */
export async function readRunners(
  { db }: Pick<Deps, 'db'>,
  account: string,
  days: Day[],
  filter: CallsFilter,
): Promise<RunnersOverview> {
  const rowsMax = limits.consoleRowsPerPage
  const [machines, counts, today, calls, unreported] = await Promise.all([
    listMachines(db, account, limits.runnerKeysShownMax + 1),
    countCalls(db, account, days),
    countCallsByKey(db, account, days.at(-1)!.from),
    listToolCalls(db, account, { ...filter, limit: rowsMax + 1 }),
    readUnreported(db, account),
  ])
  const page = calls.slice(0, rowsMax)
  return {
    machines: machines.slice(0, limits.runnerKeysShownMax).map((machine) => ({
      ...machine,
      today: today.find(({ key_id }) => key_id === machine.key_id) ?? { allowed: 0, denied: 0, asked: 0 },
      isInForce: isInForce(machine),
    })),
    isMoreMachines: machines.length > limits.runnerKeysShownMax,
    days: days.map(({ name }, at) => ({ ...counts[at]!, name })),
    calls: page,
    next: calls.length > page.length ? page.at(-1)!.n : undefined,
    unreported,
  }
}

async function readUnreported(db: Deps['db'], account: string): Promise<Unreported> {
  const since = dayAgo()
  const [count, newest] = await Promise.all([
    countUnreported(db, account, since),
    listToolCalls(db, account, {
      keyId: null,
      decision: 'unreported',
      since,
      after: null,
      limit: unreportedShownMax,
    }),
  ])
  return { ...counted(count), newest }
}

/** How many calls of the last 24 hours were allowed and never reported. */
export const readUnreportedCount = async (
  { db }: Pick<Deps, 'db'>,
  account: string,
): Promise<Pick<Unreported, 'count' | 'isMore'>> => counted(await countUnreported(db, account, dayAgo()))

const counted = (count: number) => ({ count, isMore: count >= limits.unreportedCountedMax })

const dayAgo = (): Date => new Date(Date.now() - 86_400_000)

const isInForce = ({ revoked_at, expires_at }: MachineRow): boolean =>
  revoked_at === null && (expires_at === null || expires_at.getTime() > Date.now())
