import { z } from 'zod'
import { limits } from '../limits.ts'
import type { OpenUpstream } from './connect.ts'
import { UpstreamFault } from './upstream-fault.ts'

const page = z.looseObject({ tools: z.array(z.unknown()), nextCursor: z.string().nullish() })

/**
 * Every tool that a server lists, page by page, as it came.
 * @throws UpstreamFault where the list does not end, and whatever ends an exchange
 */
export async function listTools({ exchange }: OpenUpstream): Promise<unknown[]> {
  const signal = AbortSignal.timeout(limits.upstreamListMs)
  const found: unknown[] = []
  const cursors = new Set<string>()
  for (let cursor: string | undefined; ;) {
    const request = { method: 'tools/list', params: cursor === undefined ? {} : { cursor } } as const
    const answer = await exchange(request, { timeoutMs: limits.upstreamListMs, signal })
    const parsed = page.safeParse(answer)
    if (!parsed.success) throw fault('it answered with something that is not a list of tools')
    const { tools, nextCursor } = parsed.data
    if (found.length + tools.length > limits.upstreamToolsMax)
      throw fault(`it lists more than ${limits.upstreamToolsMax} tools`)
    found.push(...tools)
    cursor = nextCursor ?? undefined
    if (cursor === undefined) return found
    if (cursors.has(cursor)) throw fault('its list of tools begins again and again')
    cursors.add(cursor)
    if (cursors.size >= limits.upstreamPagesMax)
      throw fault(`its list of tools has more than ${limits.upstreamPagesMax} pages`)
  }
}

const fault = (sentence: string) => new UpstreamFault(sentence, { isNotDone: false })
