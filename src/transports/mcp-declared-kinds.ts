import type { Tool } from '@modelcontextprotocol/sdk/types.js'
import type { CallContext } from '../operations/operation.ts'
import { type ActionKind, kindsInForce, toolOfKind } from '../operations/proposals/propose-declared.ts'
import { maySee, runOperation } from '../operations/run-operation.ts'
import type { AccountTool } from './mcp-account-tools.ts'
import { parseArguments, toolInput } from './mcp-input.ts'
import { toolInputSchema, toolOutputSchema } from './tool-schema.ts'

/** A tool `propose_<kind>` for each kind that the account declared, with the payload's fields as its arguments. */
export async function declaredKindTools(context: CallContext): Promise<AccountTool[]> {
  const { deps, account } = context
  if (!deps.config.TOOLS.includes('kinds')) return []
  return kindsInForce(await deps.kinds.now(account))
    .map(made)
    .filter(({ operation }) => maySee(context, operation))
}

type KindTool = AccountTool & { operation: ReturnType<typeof toolOfKind> }

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
      return {
        content: [{ type: 'text', text: JSON.stringify(body) }],
        structuredContent: body as Record<string, unknown>,
      }
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
