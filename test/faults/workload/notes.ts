import type { ApiClient } from '../../support/api-client.ts'
import { rpc } from '../../support/mcp-tool.ts'
import { answered } from './answered.ts'
import { type Reply, readToolAnswer, replyAfterWait, replyOf } from './answers.ts'
import type { Lane } from './load.ts'
import { upstreamName } from './own-kinds.ts'

/** A turn of an agent that calls a tool of the MCP server whose rule asks nobody: one is passed on, the other is denied. */
export async function passedCallTurn(lane: Lane): Promise<void> {
  const { chance, journal } = lane
  const scene = chance.pick(lane.scenes)
  const tool = chance.isTrue(0.75) ? 'list_notes' : 'wipe_notes'
  // Beside the numbers of intents, and of the calls of runners.
  const marker = `mark-${500_000 + journal.passed.length}-end`
  const actor = { email: chance.pick(scene.members).email! }
  const made = { account: scene.account, tool, marker, reply: { outcome: 'unknown', status: 0 } as Reply }
  journal.passed.push(made)
  const key = chance.pick(scene.keys)
  made.reply = await replyAfterWait(key, () =>
    callOfTool(lane.clientOf(key.key), `${upstreamName}__${tool}`, { actor, text: marker }),
  )
  answered(lane, { pass: tool, marker, reply: made.reply })
}

/** Calls one tool of the endpoint. A call that became an action is one that was answered, also where the action is denied. */
export async function callOfTool(client: ApiClient, tool: string, args: object): Promise<Reply> {
  let read: Reply | undefined
  const sent = await replyOf(async () => {
    const answer = await rpc(client, 'tools/call', { name: tool, arguments: args })
    read = readToolAnswer(answer)
    return answer
  })
  const reply = read ?? sent
  return reply.body?.status === 'denied' ? { ...reply, outcome: 'ok' } : reply
}
