import { type Fault, fail } from '../../support/fault-provider.ts'
import { type UpstreamTestTool, startUpstream } from '../../support/upstream.ts'

/** A call that was carried out. */
export interface NotesCall {
  tool: string
  text: string
}

/** An MCP server of the run: its tools keep notes, and fail on demand. */
export interface NotesServer {
  /** `host:port`. */
  address: string
  calls: NotesCall[]
  faultFor(): Fault | undefined
  /** Awaited before a call is carried out. */
  arriving?: ((call: NotesCall) => Promise<void>) | undefined
  stop(): Promise<void>
}

const notesTools = ['list_notes', 'add_note', 'share_note', 'wipe_notes'] as const
export type NotesTool = (typeof notesTools)[number]

export async function startNotesServer(): Promise<NotesServer> {
  const upstream = await startUpstream(notesTools.map(toolOf))
  const server: NotesServer = {
    address: new URL(upstream.url).host,
    calls: [],
    faultFor: () => undefined,
    stop: () => upstream.close(),
  }
  upstream.instead = ({ body }, response) => {
    if (body?.method !== 'tools/call') return false
    const fault = server.faultFor()
    if (!fault) return false
    const { name, arguments: args } = body.params
    if (fault.work)
      void carryOut({ tool: name, text: args.text }).then(() => fail(fault, undefined, response))
    else fail(fault, undefined, response)
    return true
  }
  return server

  function toolOf(tool: NotesTool): UpstreamTestTool {
    return {
      definition: {
        name: tool,
        description: `Does ${tool}.`,
        inputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
      },
      async call(args) {
        await carryOut({ tool, text: String(args['text']) })
        return { content: [{ type: 'text', text: JSON.stringify({ noted: args['text'] }) }] }
      },
    }
  }

  async function carryOut(call: NotesCall): Promise<void> {
    await server.arriving?.(call)
    server.calls.push(call)
  }
}
