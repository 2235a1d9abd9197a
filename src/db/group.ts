/**
 * Groups calls: while one group is under way, what comes in waits and goes together as the next. One caller alone never
 * waits; many share a commit.
 * @param send  carries a group, in order; its failure is every member's failure
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
