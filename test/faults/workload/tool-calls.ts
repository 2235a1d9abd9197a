import { randomUUID } from 'node:crypto'
import type { Lane } from './load.ts'
import { answered } from './answered.ts'
import { replyOf } from './answers.ts'

/** A turn of a runner's hook: asks about a call that the rules allow, or one that its member must approve. */
export async function hookTurn(lane: Lane): Promise<void> {
  const { chance, journal } = lane
  const scene = chance.pick(lane.scenes)
  const needsConsent = chance.isTrue(0.6)
  const callId = `toolu_${randomUUID()}`
  // Few commands: an approval is then met by the same call again.
  const marker = `mark-${chance.int(900_000, 900_004)}-end`
  const input = needsConsent
    ? { tool_name: 'Bash', tool_input: { command: `rm -rf ${marker}` } }
    : { tool_name: 'Read', tool_input: { file_path: '/work/project/README.md' } }
  const body = {
    session_id: 'faults',
    transcript_path: '/tmp/transcript.jsonl',
    cwd: '/work/project',
    permission_mode: 'default',
    hook_event_name: 'PreToolUse',
    tool_use_id: callId,
    ...input,
  }
  const client = lane.clientOf(scene.hookKey.key)
  const reply = await replyOf(() =>
    client.request('POST', `/api/v1/runner/tool-calls?runner=claude&wait=${chance.pick([0, 0, 2])}`, {
      body,
    }),
  )
  const said = reply.body?.hookSpecificOutput ?? {}
  const action = /\baction (\d+)/.exec(String(said.permissionDecisionReason ?? ''))?.[1]
  journal.tools.push({
    account: scene.account,
    keyId: scene.hookKey.keyId,
    callId,
    needsConsent,
    outcome: reply.outcome,
    decision: said.permissionDecision,
    action: action === undefined ? undefined : Number(action),
  })
  answered(lane, { tool: needsConsent, callId, reply })
}
