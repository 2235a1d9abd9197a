import { CLIENT_CAPABILITIES_META_KEY } from '@modelcontextprotocol/server'
import { z } from 'zod'
import { GateError } from '../../errors.ts'
import type { Json } from '../../gate/canonical.ts'
import {
  type AskedCall,
  openQuestion,
  pageOfDecision,
  questionAbout,
  sealQuestion,
} from '../../operations/consent/client-question.ts'
import type { CallContext, ClientAnswer, ClientQuestion } from '../../operations/operation.ts'
import { confirmAction } from '../../operations/decisions/confirm-action.ts'
import { awaitAction } from '../../operations/proposals/await-action.ts'
import { getAction } from '../../operations/proposals/get-action.ts'
import { mayFollow, readAwaited } from '../../operations/proposals/awaited-action.ts'
import type { Called, ToolCall } from './call.ts'
import type { ModernRequest } from './modern-message.ts'
import type { ToolTable } from './tool-table.ts'

// A client that can ask its user (elicitation): the call is answered with a question, and repeated with the user's answer.
// Source: MCP 2026-07-28, multi round-trip requests; elicitation.

/** A call of a tool by such a client. */
export interface AskingCall {
  /** What is called: after a question about the page of a decision, what reads the action. */
  call: ToolCall
  client?: CallContext['client']
  /** The question that answers the call in place of its result; undefined where there is none. */
  questionAfter(called: Called): Promise<object | undefined>
}

/** Whether a call brings the answer to a question. */
export const isAnswer = ({ params }: ModernRequest): boolean =>
  params['requestState'] !== undefined || params['inputResponses'] !== undefined

/**
 * Reads how the client of a call can ask its user, and what they answered.
 * @param isAskable  its actions can be awaited, and it gets no task instead
 * @returns an error for an answer that decides nothing: `invalid`, `conflict`, `forbidden`
 */
export async function askingCall(
  message: ModernRequest,
  call: ToolCall,
  { context, tools, isAskable }: { context: CallContext; tools: ToolTable; isAskable: boolean },
): Promise<AskingCall | GateError> {
  const { secretsKeys: keys } = context.deps
  const asked = { context, call: call as unknown as Json }
  if (isAnswer(message))
    return answeredCall(message, asked, call).catch((error: unknown) => {
      if (error instanceof GateError) return error
      throw error
    })
  // About what is read nobody is asked.
  const isRead = tools.ofGate(call.name)?.tool.readOnly === true
  const mode = isAskable && !isRead ? modeOf(message) : undefined
  if (mode === undefined || !keys) return { call, questionAfter: none }
  const questionOf = async (question: ClientQuestion, params: object) => ({
    resultType: 'input_required',
    inputRequests: { [questionName]: { method: 'elicitation/create', params } },
    requestState: await sealQuestion(keys, asked, question),
  })
  if (mode === 'form') {
    let shown: Parameters<NonNullable<CallContext['client']>['ask']> | undefined
    return {
      call,
      client: { ask: (...question) => void (shown = question) },
      questionAfter: async () => shown && questionOf(shown[0], { mode, message: shown[1], requestedSchema }),
    }
  }
  return {
    call,
    async questionAfter({ awaits }) {
      if (awaits === undefined || !mayFollow(context)) return undefined
      const action = await readAwaited(context, { id: awaits })
      const url = pageOfDecision(context.deps, awaits)
      return (
        action &&
        questionOf(questionAbout({ uuid: action.uuid, digest: null }, new Date()), {
          mode,
          message: onPage(awaits),
          url,
        })
      )
    },
  }
}

/** @throws GateError for an answer that decides nothing */
async function answeredCall(
  { params: { requestState: state, inputResponses } }: ModernRequest,
  asked: AskedCall & { context: CallContext },
  call: ToolCall,
): Promise<AskingCall> {
  const { secretsKeys: keys } = asked.context.deps
  const of = keys && typeof state === 'string' ? await openQuestion(keys, asked, state) : undefined
  if (of?.card.length === 0)
    return { call: await readAfter(asked.context, of, inputResponses), questionAfter: none }
  // Of no other tool a client is asked for the decision itself.
  if (call.name !== confirmAction.name) throw new GateError('conflict', otherCall)
  return { call, client: { answer: answerOf(inputResponses, of), ask: neverTwice }, questionAfter: none }
}

const questionName = 'consent'

const otherCall =
  'inputResponses and requestState are of no question that this key was asked in this call. Nothing was done. Call without them.'

/** Two choices and no default, so that an empty form is no answer. */
const requestedSchema = {
  type: 'object',
  properties: {
    decision: {
      type: 'string',
      title: 'Your decision',
      enum: ['approve', 'decline'],
      enumNames: ['Approve', 'Decline'],
    },
  },
  required: ['decision'],
}

const onPage = (id: number): string =>
  `Approve or decline action ${id} on its page. If you are not signed in there, you get a link by e-mail.`

/** How a client can ask its user: a page that it opens is worth more than its own form. */
function modeOf({ params }: ModernRequest): 'url' | 'form' | undefined {
  const { [CLIENT_CAPABILITIES_META_KEY]: declared } = params['_meta'] as Record<string, unknown>
  const { elicitation } = declared as { elicitation?: unknown }
  if (typeof elicitation !== 'object' || elicitation === null) return undefined
  if (Object.hasOwn(elicitation, 'url')) return 'url'
  return Object.keys(elicitation).length === 0 || Object.hasOwn(elicitation, 'form') ? 'form' : undefined
}

const Responses = z.strictObject({
  [questionName]: z.discriminatedUnion('action', [
    z.strictObject({
      action: z.literal('accept'),
      content: z.strictObject({ decision: z.enum(['approve', 'decline']) }),
    }),
    z.strictObject({ action: z.literal('decline'), content: z.strictObject({}).optional() }),
    z.strictObject({ action: z.literal('cancel'), content: z.strictObject({}).optional() }),
  ]),
})

function answerOf(responses: unknown, of: ClientQuestion | undefined): ClientAnswer {
  const { data } = Responses.safeParse(responses)
  if (!data)
    throw new GateError(
      'invalid',
      'inputResponses is not an answer to the question: approve or decline, and nothing else. Nothing was decided.',
      { param: 'inputResponses' },
    )
  const answer = data[questionName]!
  return { choice: answer.action === 'accept' ? answer.content.decision : choiceOf[answer.action], of }
}

const choiceOf = { decline: 'decline', cancel: 'none' } as const

/** Whatever was answered, the action says what was decided. Only a user who opened the page is waited for. */
async function readAfter(
  context: CallContext,
  { uuid, until }: ClientQuestion,
  responses: unknown,
): Promise<ToolCall> {
  const isOpened = Opened.safeParse(responses).success
  const action = until > new Date() ? await readAwaited(context, { uuid }) : undefined
  if (!action)
    throw new GateError(
      'conflict',
      'This question was asked more than ten minutes ago. Read the action with get_action.',
    )
  return { name: (isOpened ? awaitAction : getAction).name, args: { id: action.id } }
}

const Opened = z.object({ [questionName]: z.object({ action: z.literal('accept') }) })

const none = async (): Promise<undefined> => undefined
const neverTwice = (): void => undefined
