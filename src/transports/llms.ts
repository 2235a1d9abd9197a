import type { ToolGroup } from '../config.ts'
import type { Operation } from '../operations/operation.ts'

/**
 * `/llms.txt`: the interface on one page, for a language model.
 * @param groups  the tools that are served
 * @source docs/rest.md
 */
export function llmsTxt(operations: Operation[], groups: ToolGroup[]): string {
  const tools = operations.filter((operation) => groups.includes(operation.tool.group))
  return `# Qualification Gate

> An AI agent acts for a member only if that member is qualified for the action, and only after the member consents.

Steps, in order:

1. Check the member's tier: read_only, guarded_write or write.
2. Propose the action for that member. Nothing executes yet. The answer is an action: \`proposed\` with its \`blast_radius\`
   (recipients per channel), or \`denied\` with \`denial_reason\`. A denial is a final answer: tell the member, do not retry.
3. Show the member what will be done (\`payload\`; amounts are in cents) and its blast radius, and ask for consent.
4. After an explicit yes, confirm with the same actor. The answer is the \`executed\` action with \`result\`, or HTTP 202
   with \`execution\` while it still runs: read the action again. HTTP 202 with \`consent_request\` means that the member
   was sent a consent request in Slack or by e-mail: tell them, and read the action again later. After a no, cancel.

Every request except the descriptions needs \`Authorization: Bearer <API_KEY>\`. The key identifies the account; \`actor\`
identifies the member: \`{"email": "…"}\`, or \`{"provider": "slack", "external_id": "U…"}\`. Errors are
\`{"error": "what is wrong and what to do"}\`. To retry propose, confirm and cancel safely, send an \`Idempotency-Key\`
header (\`idempotency_key\` over MCP).

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
