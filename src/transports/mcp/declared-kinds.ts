import type { CallToolResult, Tool } from '@modelcontextprotocol/sdk/types.js'
import type { CallContext } from '../../operations/operation.ts'
import { type ActionKind, kindsInForce, toolOfKind } from '../../operations/proposals/propose-declared.ts'
import { kindsOfCaller } from '../../operations/kinds/kinds-of-caller.ts'
import { maySee } from '../../operations/key-powers.ts'
import { runOperation } from '../../operations/run-operation.ts'
import type { AccountTools } from './account-tools.ts'
import { describeTool, toolResult } from './gate-tools.ts'
import { parseArguments, toolInput } from './input.ts'

/** A tool `propose_<kind>` for each kind that the account declared, with the payload's fields as its arguments. */
export const declaredKindTools: AccountTools = {
  // A tool of an MCP server that is called `propose` has two underscores.
  mayHave: (name) => /^propose_[a-z]/.test(name),
  checksKey: false,
  list: async (context) => (await toolsOf(context)).map(({ toolFor }) => toolFor(context)),
  async call(context, name, given) {
    const found = (await toolsOf(context)).find(({ operation }) => operation.name === name)
    return found && { result: await found.call(context, given) }
  },
}

async function toolsOf(context: CallContext): Promise<KindTool[]> {
  if (!context.deps.config.TOOLS.includes('kinds')) return []
  return kindsInForce(await kindsOfCaller(context))
    .map(made)
    .filter(({ operation }) => maySee(context, operation))
}

interface KindTool {
  operation: ReturnType<typeof toolOfKind>
  toolFor(context: CallContext): Tool
  call(context: CallContext, given: unknown): Promise<CallToolResult>
}

// Kinds are kept by version: so are their tools.
const kept = new WeakMap<ActionKind, KindTool>()

function made(kind: ActionKind): KindTool {
  const found = kept.get(kind)
  const tool = found ?? make(kind)
  if (!found) kept.set(kind, tool)
  return tool
}

function make(kind: ActionKind): KindTool {
  const operation = toolOfKind(kind)
  const input = toolInput(operation)
  const toolFor = describeTool({ operation, input })
  return {
    operation,
    toolFor(context) {
      const tool = toolFor(context, new Set())
      return { ...tool, inputSchema: withPayload(kind, tool.inputSchema) }
    },
    async call(context, given) {
      const { body } = await runOperation(operation, context, given, (unparsed) =>
        parseArguments(operation, input, unparsed),
      )
      return toolResult(body as Record<string, unknown>)
    },
  }
}

/** The arguments, where those of the payload are described as the administrator wrote them. */
function withPayload({ declared }: ActionKind, schema: Tool['inputSchema']): Tool['inputSchema'] {
  const { properties } = declared!.document.payload
  return {
    ...schema,
    properties: { ...schema.properties, ...(properties as Tool['inputSchema']['properties']) },
  }
}
