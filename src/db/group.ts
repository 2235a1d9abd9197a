import { GateError, OutcomeUnknown } from '../errors.ts'
import { type Shared, asShared, hasWritten, noteWrite } from './writes.ts'

interface GroupBounds {
  groupMax: number
  waitingMax: number
}

/**
 * Groups calls: calls that arrive while a group is running form the next group. A single caller never waits; many share a
 * commit. Each request of a group that writes has written.
 * @param send  runs a group, and answers each call in order, if calls have answers; if it fails, all calls of the group fail
 */
export function groupCalls<T, R = void>(
  send: (group: T[]) => Promise<R[] | void>,
  bounds: GroupBounds,
  refuse: () => Error,
): (item: T) => Promise<R> {
  const waiting: { item: T; resolve: (sent: Shared<R>) => void; reject: (error: unknown) => void }[] = []
  let isSending = false

  async function drain(): Promise<void> {
    isSending = true
    while (waiting.length > 0) {
      const group = waiting.splice(0, bounds.groupMax)
      const { result, isWritten } = await asShared(() => send(group.map((entry) => entry.item)))
      group.forEach((entry, n) => entry.resolve({ result: partOf(result, n), isWritten }))
    }
    isSending = false
  }

  const partOf = (result: PromiseSettledResult<R[] | void>, n: number): PromiseSettledResult<R> =>
    result.status === 'rejected' ? result : { ...result, value: result.value?.[n] as R }

  const sent = (item: T) =>
    new Promise<Shared<R>>((resolve, reject) => {
      if (waiting.length >= bounds.waitingMax) return reject(refuse())
      waiting.push({ item, resolve, reject })
      if (!isSending) void drain()
    })

  return async (item) => {
    const before = hasWritten()
    const { result, isWritten } = await sent(item)
    if (isWritten) noteWrite()
    if (result.status === 'fulfilled') return result.value
    const { reason } = result
    // This error says that nothing was changed, which is wrong for a request that wrote before.
    throw before && isUnreachable(reason) ? Object.assign(new OutcomeUnknown(), { cause: reason }) : reason
  }
}

const isUnreachable = (error: unknown): boolean => error instanceof GateError && error.code === 'unavailable'

/** Groups the calls of each account, so that a busy account does not need one commit for each call. */
export function groupByAccount<T, R = void>(
  send: (account: string, group: T[]) => Promise<R[] | void>,
  bounds: GroupBounds,
  refuse: () => Error,
): (account: string, item: T) => Promise<R> {
  const byAccount = new Map<string, { call: (item: T) => Promise<R>; open: number }>()

  function groupOf(account: string) {
    let group = byAccount.get(account)
    if (!group) {
      group = { call: groupCalls<T, R>((items) => send(account, items), bounds, refuse), open: 0 }
      byAccount.set(account, group)
    }
    return group
  }

  return async (account, item) => {
    const group = groupOf(account)
    group.open++
    try {
      return await group.call(item)
    } finally {
      if (--group.open === 0) byAccount.delete(account)
    }
  }
}
