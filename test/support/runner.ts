import { randomUUID } from 'node:crypto'
import type { TestAccount, TestMember } from './account.ts'
import { type ApiAnswer, apiClient } from './api-client.ts'
import type { TestGate } from './gate.ts'

/** The answer of the gate to a tool call. */
export interface HookAnswer {
  status: number
  /** allow, deny or defer; undefined where it is an error. */
  decision: string | undefined
  reason: string
  /** The number of its row, the last in the reason: one before it is of the request that it was about. */
  action: number | undefined
  body: ApiAnswer['body']
}

export interface TestHook {
  key: string
  keyId: string
  session: string
  /** Asks about a call of Claude Code's Bash, or of another tool with an input of its own. */
  ask(input: string | Record<string, unknown>, given?: Asked): Promise<HookAnswer>
  /** What the runner says of it before the call. */
  bodyOf(input: string | Record<string, unknown>, given: Asked): Record<string, unknown>
  report(input: string | Record<string, unknown>, given: Asked & { event?: string }): Promise<ApiAnswer>
}

export interface Asked {
  tool?: string
  callId?: string | null
  session?: string
  cwd?: string
  /** Seconds that the hook waits for the member. */
  wait?: number
  /** The subagent that makes the call. */
  agent?: string
  query?: Record<string, string>
  headers?: Record<string, string>
}

/** A hook of Claude Code, with a key of its own for one member. */
export async function testHook(
  gate: { api: Pick<TestGate['api'], 'url'> },
  account: TestAccount,
  member: TestMember,
): Promise<TestHook> {
  const minted = await account.mintKey({ powers: ['runner'], actors: [member] })
  const { request } = apiClient(gate.api.url, minted.key)
  const session = randomUUID()
  const bodyOf = (input: string | Record<string, unknown>, given: Asked, event: string) => ({
    session_id: given.session ?? session,
    transcript_path: '/tmp/transcript.jsonl',
    cwd: given.cwd ?? '/work/project',
    permission_mode: 'default',
    hook_event_name: event,
    ...(given.agent === undefined ? {} : { agent_id: given.agent }),
    tool_name: given.tool ?? 'Bash',
    tool_input: typeof input === 'string' ? { command: input } : input,
    ...(given.callId === null ? {} : { tool_use_id: given.callId ?? `toolu_${randomUUID()}` }),
  })
  return {
    ...minted,
    session,
    bodyOf: (input, given) => bodyOf(input, given, 'PreToolUse'),
    async ask(input, given = {}) {
      const query = new URLSearchParams({ runner: 'claude', wait: String(given.wait ?? 0), ...given.query })
      const { status, body } = await request('POST', `/api/v1/runner/tool-calls?${query}`, {
        body: bodyOf(input, given, 'PreToolUse'),
        ...(given.headers ? { headers: given.headers } : {}),
      })
      const { permissionDecision: decision, permissionDecisionReason } = body?.hookSpecificOutput ?? {}
      const reason = String(permissionDecisionReason ?? body?.error ?? body)
      const action = [...reason.matchAll(/\baction (\d+)/g)].at(-1)?.[1]
      return { status, decision, reason, action: action === undefined ? undefined : Number(action), body }
    },
    report: (input, given) =>
      request('POST', '/api/v1/runner/outcomes?runner=claude', {
        body: { ...bodyOf(input, given, given.event ?? 'PostToolUse'), tool_response: {} },
      }),
  }
}
