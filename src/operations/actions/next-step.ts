import type { CallContext } from '../operation.ts'

/** Who is told what to do next. null: a person, in the console or on the command line. */
export type Reader = Pick<CallContext, 'deps' | 'powers' | 'source'> | null

const ways = {
  read: { tool: 'get_action', route: (id: number) => `GET /api/v1/actions/${id}` },
  wait: { tool: 'await_action', route: (id: number) => `GET /api/v1/actions/${id}?wait=50` },
  list: { tool: 'list_actions', route: () => 'GET /api/v1/actions' },
}

/**
 * The tool or route by which a caller reads an action, waits for its end or lists actions; undefined where its key, or the
 * service's choice of tools, has none. Every sentence that names one of these takes it from here. Pure.
 */
export function wayTo(does: keyof typeof ways, reader: Reader, id = 0): string | undefined {
  if (!reader?.powers.includes('read')) return undefined
  if (reader.source === 'api') return ways[does].route(id)
  return reader.source === 'mcp' && reader.deps.config.TOOLS.includes('gate') ? ways[does].tool : undefined
}

/** What an agent does while its member is asked. Pure. */
export function afterRequest(reader: Reader, { id, via }: { id: number; via: string }): string {
  const asks = `The gate asks the member ${via === 'slack' ? 'in Slack' : via === 'teams' ? 'in Teams' : 'by e-mail'}`
  const wait = wayTo('wait', reader, id)
  return [
    reader ? `${asks}: tell them.` : `${asks}.`,
    ...(reader?.powers.includes('confirm') ? ['Do not confirm again.'] : []),
    wait === undefined ? 'After their approval it executes by itself.' : `Wait with ${wait}.`,
  ].join(' ')
}

/** What an agent does while others must approve. Pure. */
export function afterConsent(reader: Reader, id: number): string {
  const wait = wayTo('wait', reader, id)
  return [
    reader
      ? 'The member consented, and the gate asks others to approve: tell them.'
      : 'The member consented, and others are asked to approve.',
    ...(reader?.powers.includes('confirm') ? ['Do not confirm again.'] : []),
    wait === undefined ? 'After the last approval it executes by itself.' : `Wait with ${wait}.`,
  ].join(' ')
}
