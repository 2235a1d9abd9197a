import type { ToolGroup } from '../config.ts'
import type { Operation } from '../operations/operation.ts'

/**
 * The interface in one page for a language model.
 * @param groups  the tools that are served
 * @source docs/rest.md
 */
export function llmsTxt(operations: Operation[], groups: ToolGroup[]): string {
  const tools = operations.filter((operation) => groups.includes(operation.tool.group))
  return `# Qualification Gate

> Lets an AI agent act for a member only as far as that member is qualified, and only after the member consented.

How to act, in order:

1. Check the member's tier: read_only, guarded_write or write.
2. Propose the action for that member. Nothing executes. The answer is a row: \`proposed\` with its \`blast_radius\`
   (recipients per channel), or \`denied\` with \`denial_reason\`. A denial is an answer: tell the member, do not retry.
3. Show the member what would be done (\`payload\`; amounts are in cents) and its blast radius, and ask.
4. Only after an explicit yes, confirm with the same actor. The row comes back \`executed\` with \`result\`, or with HTTP
   202 and \`execution\` while it still runs: read it again. With HTTP 202 and \`consent_request\` the member is asked
   themselves, in their own Slack or mailbox: tell them, and read the row again later. Otherwise cancel.

Every request but the descriptions carries \`Authorization: Bearer <API_KEY>\`. The key names the account; \`actor\` names
the member: \`{"email": "…"}\`, or \`{"provider": "slack", "external_id": "U…"}\`. Errors are \`{"error": "what to do"}\`.
Send an \`Idempotency-Key\` header (over MCP \`idempotency_key\`) with propose, confirm and cancel to repeat them safely.

## HTTP

${operations.flatMap(httpLine).join('\n')}

## MCP

Streamable HTTP, stateless, JSON answers: POST /api/mcp with the same key. Tools:

${tools.map((operation) => `- ${operation.name}: ${operation.summary}`).join('\n')}

## More

- [OpenAPI](/api/openapi.json): every field
`
}

function httpLine(operation: Operation): string[] {
  return operation.http ? [`- ${operation.http.method} ${operation.http.path}: ${operation.summary}`] : []
}
