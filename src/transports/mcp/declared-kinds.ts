import type { CallToolResult, Tool } from '@modelcontextprotocol/sdk/types.js'
import type { CallContext } from '../../operations/operation.ts'
import { type ActionKind, kindsInForce, toolOfKind } from '../../operations/proposals/propose-declared.ts'
import { kindsOfCaller } from '../../operations/kinds/kinds-of-caller.ts'
import { maySee, runOperation } from '../../operations/run-operation.ts'
import { toolInputSchema, toolOutputSchema } from '../tool-schema.ts'
import type { AccountTools } from './account-tools.ts'
import { toolResult } from './gate-tools.ts'
import { parseArguments, toolInput } from './input.ts'

/** A tool `propose_<kind>` for each kind that the account declared, with the payload's fields as its arguments. */
export const declaredKindTools: AccountTools = {
  // A tool of an MCP server that is called `propose` has two underscores.
  mayHave: (name) => /^propose_[a-z]/.test(name),
  checksKey: false,
  list: async (context) => (await toolsOf(context)).map(({ tool }) => tool),
  async call(context, name, given) {
    const found = (await toolsOf(context)).find(({ tool }) => tool.name === name)
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
  tool: Tool
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
  return {
    operation,
    tool: {
      name: operation.name,
      title: operation.title,
      description: operation.summary,
      inputSchema: withPayload(kind, toolInputSchema(input) as Tool['inputSchema']),
      outputSchema: toolOutputSchema(operation.output) as Tool['outputSchema'],
      annotations: {
        readOnlyHint: false,
        destructiveHint: false,
        idempotentHint: false,
        openWorldHint: false,
      },
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
