import { INVALID_PARAMS, METHOD_NOT_FOUND, SERVER_INFO_META_KEY } from '@modelcontextprotocol/server'
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js'
import type { FastifyReply } from 'fastify'
import { GateError } from '../../errors.ts'
import type { CallContext } from '../../operations/operation.ts'
import { mayFollow } from '../../operations/proposals/awaited-action.ts'
import { note } from '../../web/request-log.ts'
import { inexactBody } from '../json-body.ts'
import { type Called, type ToolCall, answerResult, fieldsOf, resultMessage } from './call.ts'
import { askingCall } from './client-questions.ts'
import { callForm, errorData } from './errors.ts'
import { answerError, isWrite } from './gate-tools.ts'
import type { Asked } from './legacy.ts'
import { withoutMirrors } from './mirrored-arguments.ts'
import { type ModernMessage, type ModernRequest, type Refusal, modernVersion } from './modern-message.ts'
import { progressOf } from './progress.ts'
import { answerTask, taskMethods, taskOfAction, takesTasks, tasksCapability } from './tasks.ts'
import { type ToolTable, gateInfo } from './tool-table.ts'

type AnswerModern = (message: ModernMessage, asked: Asked, reply: FastifyReply) => Promise<FastifyReply>

/**
 * Answers a message of the revision 2026-07-28.
 * @source MCP 2026-07-28, Streamable HTTP; server/discover; tools
 */
export function modernAnswers(tools: ToolTable): AnswerModern {
  // A task is read as get_action reads.
  const hasTasks = tools.ofGate('get_action') !== undefined

  return async (message, asked, reply) => {
    if ('notification' in message) return reply.code(202).send()
    if ('refusal' in message) return refuse(reply, message.refusal)
    const { id, method } = message
    const call = toolCallOf(message)
    if (call) return answerCall(message, call, asked, reply)
    if (asked.request.inexact)
      return refuse(reply, {
        status: 400,
        id,
        code: INVALID_PARAMS,
        message: inexactBody(asked.request.inexact).message,
      })
    if (hasTasks && taskMethods.includes(method)) {
      const answered = await answerTask(tools, message, asked)
      return 'result' in answered ? answer(reply, id, answered.result) : refuse(reply, { id, ...answered })
    }
    switch (method) {
      case 'server/discover':
        return answer(reply, id, {
          ...cached,
          supportedVersions: [modernVersion],
          capabilities: { tools: {}, ...(hasTasks ? tasksCapability : {}) },
          instructions: tools.instructionsFor(asked.context),
        })
      case 'tools/list':
        return answer(reply, id, {
          ...cached,
          tools: (await tools.list(asked.context, asked.request)).map(withoutMirrors),
        })
      case 'tools/call':
        return refuse(reply, invalid(id, callForm))
      default:
        return refuse(reply, {
          status: 404,
          id,
          code: METHOD_NOT_FOUND,
          message: `Method ${method.slice(0, 100)} was not found.`,
        })
    }
  }

  async function answerCall(
    message: ModernRequest,
    call: ToolCall,
    { context, request, isStreamed }: Asked,
    reply: FastifyReply,
  ): Promise<FastifyReply> {
    const { id, params } = message
    const stream = isStreamed ? streamTo(reply, params) : undefined
    const how = { hasTasks, progress: stream?.progress }
    const result = await resultOf(tools, { message, call }, { context, request }, how)
    if (result === undefined) return refuse(reply, invalid(id, `Unknown tool ${call.name}`))
    if (!stream) return answerResult(reply, id, result)
    stream.end(resultMessage(id, result))
    return reply
  }
}

/** What a call is answered with, as its `fieldsOf`: its result, a task or a question. Undefined where there is no such tool. */
async function resultOf(
  tools: ToolTable,
  { message, call }: { message: ModernRequest; call: ToolCall },
  { context, request }: Pick<Asked, 'context' | 'request'>,
  { hasTasks, progress }: { hasTasks: boolean; progress: CallContext['progress'] },
): Promise<string | undefined> {
  const asksAgain = hasTasks && takesTasks(message) && mayFollow(context)
  const asking = await askingCall(message, call, { context, tools, isAskable: hasTasks && !asksAgain })
  if (asking instanceof GateError) {
    const refusal = answerError(isWrite, asking, { request, absent: new Set() })
    return completeFields({ fields: fieldsOf(refusal) })
  }
  // The context is of this call alone: a copy of it takes 4 µs.
  Object.assign(context, { progress, asksAgain, client: asking.client })
  const called = await tools.call(asking.call, context, request)
  if (called === undefined) return undefined
  const { awaits } = called
  const task = asksAgain && awaits !== undefined ? await taskOfAction(context, awaits) : undefined
  const instead = task ?? (await asking.questionAfter(called))
  return instead ? fieldsOf({ ...instead, _meta: stamp }) : completeFields(called)
}

/** The call of a tool in a request, where it is one. */
export function toolCallOf({ method, params }: ModernRequest): ToolCall | undefined {
  const { name, arguments: args = {} } = params
  if (method !== 'tools/call' || typeof name !== 'string') return undefined
  if (typeof args !== 'object' || args === null || Array.isArray(args)) return undefined
  return { name, args: args as Record<string, unknown> }
}

/** Lists and instructions are those of one key: nobody else may be shown a copy. */
const cached = { ttlMs: 300_000, cacheScope: 'private' }

const stamp = { [SERVER_INFO_META_KEY]: gateInfo }
const stampFields = `"resultType":"complete","_meta":${JSON.stringify(stamp)}`

const complete = (result: object) => ({
  ...result,
  resultType: 'complete',
  _meta: { ...(result as { _meta?: object })._meta, ...stamp },
})

const completeFields = ({ fields, isForeign }: Called): string =>
  isForeign
    ? fieldsOf(complete(withoutQuestions(JSON.parse(`{${fields}}`) as CallToolResult)))
    : `${stampFields},${fields}`

/** A server behind the gate cannot ask the member through their client. */
const withoutQuestions = ({ inputRequests: _asked, requestState: _state, ...result }: CallToolResult) =>
  result

const answer = (reply: FastifyReply, id: ModernRequest['id'], result: object): FastifyReply =>
  answerResult(reply, id, fieldsOf(complete(result)))

const invalid = (id: ModernRequest['id'], message: string): Refusal => ({
  status: 200,
  id,
  code: INVALID_PARAMS,
  message,
})

function refuse(reply: FastifyReply, { status, id, code, message, data }: Refusal): FastifyReply {
  const said = errorData(code, reply.request.id)
  note(reply.request, { code: said.code })
  return reply.code(status).send({ jsonrpc: '2.0', id, error: { code, message, data: { ...said, ...data } } })
}

interface Stream {
  progress: CallContext['progress']
  /** Sends the last message. */
  end(message: string): void
}

/** Answers as a stream of events: how far the call is, then its result. */
function streamTo(reply: FastifyReply, params: ModernRequest['params']): Stream {
  const { raw, request } = reply
  reply.hijack()
  raw.writeHead(200, {
    'content-type': 'text/event-stream',
    'cache-control': 'no-cache, no-transform',
    'x-request-id': request.id,
    // A proxy that buffers would hold back what a stream tells.
    'x-accel-buffering': 'no',
  })
  const event = (message: string) => `event: message\ndata: ${message}\n\n`
  const { progressToken } = (params as { _meta: { progressToken: string | number } })._meta
  return {
    progress: progressOf(progressToken, async (notification) => {
      raw.write(event(JSON.stringify({ jsonrpc: '2.0', ...notification })))
    }),
    end: (message) => raw.end(event(message)),
  }
}
