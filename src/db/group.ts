/**
 * Groups calls: calls that arrive while a group is running form the next group. A single caller never waits; many share a
 * commit.
 * @param send  runs a group, in order; if it fails, all calls of the group fail
 */
export function groupCalls<T>(
  send: (group: T[]) => Promise<void>,
  bounds: { groupMax: number; waitingMax: number },
  refuse: () => Error,
): (item: T) => Promise<void> {
  const waiting: { item: T; resolve: () => void; reject: (error: unknown) => void }[] = []
  let isSending = false

  async function drain(): Promise<void> {
    isSending = true
    while (waiting.length > 0) {
      const group = waiting.splice(0, bounds.groupMax)
      await send(group.map((entry) => entry.item)).then(
        () => group.forEach((entry) => entry.resolve()),
        (error: unknown) => group.forEach((entry) => entry.reject(error)),
      )
    }
    isSending = false
  }

  return (item) =>
    new Promise((resolve, reject) => {
      if (waiting.length >= bounds.waitingMax) return reject(refuse())
      waiting.push({ item, resolve, reject })
      if (!isSending) void drain()
    })
}
