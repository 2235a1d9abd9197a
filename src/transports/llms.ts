import type { ToolGroup } from '../config.ts'
import type { ActionKind } from '../operations/proposals/propose-declared.ts'
import type { Operation } from '../operations/operation.ts'
import { outcomesPath, toolCallsPath } from './runner/runner-query.ts'

/**
 * `/llms.txt`: the interface on one page, for a language model.
 * @param groups  the tools that are served
 * @param declared  the kinds that the caller's account declared
 * @source docs/rest.md
 */
export function llmsTxt(operations: Operation[], groups: ToolGroup[], declared: ActionKind[] = []): string {
  const tools = operations.filter((operation) => groups.includes(operation.tool.group))
  return `# Qualification Gate

> An AI agent acts for a member only if that member is qualified for the action, and only after the member consents.

Steps, in order:

1. Check the member's tier: read_only, guarded_write or write.
2. Propose the action for that member; an optional \`rationale\` tells them why. Nothing executes yet. The answer is an
   action, \`proposed\` or \`denied\`. A denial is final: tell the member \`denial_reason\`, do not retry.
3. Read \`consent_required\` of the proposal:
   - \`agent_attested\`: show the member the \`card\` of money, the \`payload\` of anything else, of a broadcast also its
     \`blast_radius\` (amounts are in cents). After an explicit yes, confirm. After a no, cancel.
   - anything else: do not ask yourself. Confirm: the gate asks the member.
   A key without the power \`confirm\` skips step 4: the gate asks the member about each of its proposals at once
   (\`consent_request\`), and executes it after their approval. \`ask: true\` does the same for any key. If nobody could be
   asked, \`consent_request_problem\` says why.
4. Confirm with the same actor. The answer is the action: \`executed\` with \`result\`, or HTTP 202 while it runs
   (\`execution\`) or while the member decides (\`consent_request\`). Both end by themselves: wait with await_action or
   \`GET /api/v1/actions/{id}?wait=50\`, do not confirm again.

Every request except the descriptions needs \`Authorization: Bearer <API_KEY>\`. The key identifies the account; \`actor\`
identifies the member: \`{"email": "…"}\`, or \`{"provider": "slack", "external_id": "U…"}\`. To retry propose, confirm and
cancel safely, send an \`Idempotency-Key\` header (\`idempotency_key\` over MCP).

An error is \`{"error": "what is wrong and what to do", "code": "…", "param": "…", "request_id": "…"}\`. \`code\` is for
programs; \`param\` names the field that was wrong.

## HTTP

${operations.flatMap(httpLine).join('\n')}

## Agent runners

For the hooks of Claude Code, Codex, Gemini CLI, Cursor, Copilot and OpenCode, with a runner key. The body and the answer have
the form of the runner. They are no tools: an agent does not decide about itself.

- POST ${toolCallsPath}?runner=claude: Decide a tool call before it runs
- POST ${outcomesPath}?runner=claude: Report whether it ran

## MCP

Streamable HTTP, stateless, JSON answers: POST /api/mcp with the same key. Tools:

${tools.map((operation) => `- ${operation.name}: ${operation.title}`).join('\n')}
${declaredPart(declared, groups)}
## More

- [OpenAPI](/api/openapi.json): every field, with examples
- Administration by program: \`/api/v1/admin/…\`, in OpenAPI, for keys with powers \`admin:…\`. Not for agents
`
}

function declaredPart(declared: ActionKind[], groups: ToolGroup[]): string {
  if (declared.length === 0) return ''
  const lines = declared.map(({ kind, tool }) => {
    const byTool = groups.includes('kinds') ? `, tool ${tool!.name}` : ''
    return `- ${kind}${byTool}: ${tool!.description.replaceAll(/\s+/g, ' ')}`
  })
  return `
## Kinds of this account

Declared by an administrator. Propose them with POST /api/v1/actions or request_action, or by their tool. OpenAPI, read with the
same key, has their fields.

${lines.join('\n')}
`
}

function httpLine(operation: Operation): string[] {
  return operation.http ? [`- ${operation.http.method} ${operation.http.path}: ${operation.title}`] : []
}
