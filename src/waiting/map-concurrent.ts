/**
 * Runs `work` over the items, at most `width` at once, and returns the answers in the items' order. `work` must not
 * reject: a rejection would end the wait while other items are still running.
 */
export async function mapConcurrent<Item, Answer>(
  width: number,
  items: readonly Item[],
  work: (item: Item) => Promise<Answer>,
): Promise<Answer[]> {
  const answers: Answer[] = []
  const pending = items.entries()
  const drain = async () => {
    for (const [index, item] of pending) answers[index] = await work(item)
  }
  await Promise.all(Array.from({ length: Math.min(width, items.length) }, drain))
  return answers
}
