import { CLIENT_CAPABILITIES_META_KEY, INVALID_PARAMS, ProtocolErrorCode } from '@modelcontextprotocol/server'
import type { FastifyRequest } from 'fastify'
import { type ErrorCode, GateError } from '../../errors.ts'
import type { CallContext } from '../../operations/operation.ts'
import { cancelAction } from '../../operations/decisions/cancel-action.ts'
import { namesActor } from '../../operations/members/actor.ts'
import { type AwaitedAction, readAwaited } from '../../operations/proposals/awaited-action.ts'
import { runOperation } from '../../operations/run-operation.ts'
import { note } from '../../web/request-log.ts'
import type { ModernRequest } from './modern-message.ts'
import type { ToolTable } from './tool-table.ts'

// A member who decides is waited for by nobody: the client asks for the task, which is the action under its UUID.
// Source: the extension io.modelcontextprotocol/tasks of MCP 2026-07-28.

const extension = 'io.modelcontextprotocol/tasks'

export const tasksCapability = { extensions: { [extension]: {} } }

export const taskMethods = ['tasks/get', 'tasks/update', 'tasks/cancel']

/** The result of a method of tasks, or the JSON-RPC error that answers it. */
export type TaskAnswer = { result: object } | { status: number; code: number; message: string; data?: object }

/** Whether the client of a request takes a task as its answer. */
export function takesTasks({ params }: ModernRequest): boolean {
  const { [CLIENT_CAPABILITIES_META_KEY]: declared } = params['_meta'] as Record<string, unknown>
  const { extensions } = declared as { extensions?: unknown }
  return typeof extensions === 'object' && extensions !== null && Object.hasOwn(extensions, extension)
}

/** The task that answers a call in place of its result; undefined where the key may not see the action. */
export async function taskOfAction(context: CallContext, id: number): Promise<object | undefined> {
  const awaited = await readAwaited(context, { id })
  return awaited && { resultType: 'task', ...taskFields(awaited), status: 'working' }
}

/** Answers a method of tasks. */
export async function answerTask(
  tools: ToolTable,
  message: ModernRequest,
  { context, request }: { context: CallContext; request: FastifyRequest },
): Promise<TaskAnswer> {
  if (!takesTasks(message))
    return {
      status: 400,
      code: ProtocolErrorCode.MissingRequiredClientCapability,
      message: `${message.method} needs a client that declares ${extension} in this request.`,
      data: { requiredCapabilities: tasksCapability },
    }
  const { taskId } = message.params
  if (typeof taskId !== 'string') return invalid('params.taskId must be the text of a task.')
  try {
    const result = uuidForm.test(taskId) ? await answerKnown(taskId) : undefined
    return result ? { result } : invalid(`Task ${taskId.slice(0, 100)} was not found.`)
  } catch (error) {
    if (error instanceof GateError && refusals.has(error.code)) return invalid(error.message)
    throw error
  }

  async function answerKnown(uuid: string): Promise<object | undefined> {
    const awaited = await readAwaited(context, { uuid })
    note(request, { action: awaited?.id })
    if (awaited && message.method === 'tasks/cancel') await withdraw(context, awaited)
    if (awaited && message.method === 'tasks/get')
      return { ...taskFields(awaited), ...(await endOf(awaited)) }
    // A task asks its client nothing, so every update answers an unknown question.
    return awaited && {}
  }

  /** What an action ended with is what get_action answers. */
  async function endOf({ id, state }: AwaitedAction): Promise<object> {
    if (state !== 'ended') return {}
    const called = await tools.call({ name: 'get_action', args: { id } }, context, request)
    return { result: { resultType: 'complete', ...JSON.parse(`{${called!.fields}}`) } }
  }
}

/** What is wrong with the caller or the task, not with the gate. */
const refusals = new Set<ErrorCode>(['forbidden', 'not_proposer', 'not_found', 'invalid'])

const uuidForm = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

const invalid = (message: string): TaskAnswer => ({ status: 200, code: INVALID_PARAMS, message })

/** The agent's cancel. What was decided meanwhile stays decided: the client reads how. */
async function withdraw(context: CallContext, { id, actor }: AwaitedAction): Promise<void> {
  try {
    await runOperation(cancelAction, context, { id, ...(namesActor(context) ? { actor } : {}) })
  } catch (error) {
    if (!(error instanceof GateError && error.code === 'conflict')) throw error
  }
}

const statusOf = { awaited: 'working', ended: 'completed', withdrawn: 'cancelled' } as const

const taskFields = ({ uuid, state, message, createdAt, changedAt, ...awaited }: AwaitedAction) => ({
  taskId: uuid,
  status: statusOf[state],
  ...(message === undefined ? {} : { statusMessage: message }),
  createdAt: createdAt.toISOString(),
  lastUpdatedAt: changedAt.toISOString(),
  ttlMs: awaited.expiresAfterMs,
  ...(state === 'awaited' ? { pollIntervalMs: awaited.lookAfterMs } : {}),
})
