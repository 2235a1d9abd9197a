import { z } from 'zod'
import { limits } from '../limits.ts'
import type { OpenUpstream } from './connect.ts'
import { InexactAnswer, UpstreamFault } from './upstream-fault.ts'

/** The most tools that are read from one server. */
const upstreamToolsMax = 256

const upstreamPagesMax = 20

const page = z.looseObject({ tools: z.array(z.unknown()), nextCursor: z.string().nullish() })

/** Every tool that a server lists, as it came. */
export interface Listed {
  tools: unknown[]
  /** Why a tool cannot be kept exactly, by its place in the list. */
  unkept: Map<number, string>
}

/**
 * Every tool that a server lists, page by page, as it came.
 * @throws UpstreamFault where the list does not end, and whatever ends an exchange
 */
export async function listTools({ exchange }: OpenUpstream): Promise<Listed> {
  const signal = AbortSignal.timeout(limits.upstreamListMs)
  const found: unknown[] = []
  const unkept: Listed['unkept'] = new Map()
  const cursors = new Set<string>()
  for (let cursor: string | undefined; ;) {
    const request = { method: 'tools/list', params: cursor === undefined ? {} : { cursor } } as const
    const { answer, inexact } = await exchange(request, { timeoutMs: limits.upstreamListMs, signal }).then(
      (exact) => ({ answer: exact as unknown, inexact: [] }),
      inexactTools,
    )
    const parsed = page.safeParse(answer)
    if (!parsed.success) throw fault('it answered with something that is not a list of tools')
    const { tools, nextCursor } = parsed.data
    if (found.length + tools.length > upstreamToolsMax)
      throw fault(`it lists more than ${upstreamToolsMax} tools`)
    for (const [n, why] of inexact) unkept.set(found.length + n, why)
    found.push(...tools)
    cursor = nextCursor ?? undefined
    if (cursor === undefined) return { tools: found, unkept }
    if (cursors.has(cursor)) throw fault('its list of tools begins again and again')
    cursors.add(cursor)
    if (cursors.size >= upstreamPagesMax)
      throw fault(`its list of tools has more than ${upstreamPagesMax} pages`)
  }
}

/** Refuses single tools that are not exact. Anything else that is not exact makes the whole list unreadable. */
function inexactTools(error: unknown): { answer: unknown; inexact: [number, string][] } {
  if (!(error instanceof InexactAnswer)) throw error
  const inexact = error.problems.map(({ path: [field, n], says }): [number, string] => {
    if (field !== 'tools' || typeof n !== 'number') throw error
    return [n, says]
  })
  return { answer: error.result, inexact }
}

const fault = (sentence: string) => new UpstreamFault(sentence, { isNotDone: false })
