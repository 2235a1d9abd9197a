import type { CallToolResult, Tool } from '@modelcontextprotocol/sdk/types.js'
import type { FastifyRequest } from 'fastify'
import type { z } from 'zod'
import { GateError } from '../../errors.ts'
import type { CallContext, Operation } from '../../operations/operation.ts'
import { namesActor } from '../../operations/members/actor.ts'
import { runOperation } from '../../operations/run-operation.ts'
import { errorAnswer, internalErrorSentence } from '../../web/answer-errors.ts'
import { actionOf, note, noteError } from '../../web/request-log.ts'
import { toolInputSchema, toolOutputSchema } from '../tool-schema.ts'
import { parseArguments, toolInput } from './input.ts'

/** An operation as a tool. */
export interface ToolEntry {
  operation: Operation
  input: z.ZodObject
}

/**
 * The tool as tools/list shows it to a key.
 * @param absent  the names of the gate's tools that the key does not have
 */
export type ToolFor = (context: Pick<CallContext, 'powers' | 'actors'>, absent: ReadonlySet<string>) => Tool

/** Describes a tool once for all keys: they differ only in a few sentences. */
export function describeTool({ operation, input }: ToolEntry): ToolFor {
  const { readOnly, destructive, idempotent, openWorld } = operation.tool
  const tool: Tool = {
    name: operation.name,
    title: operation.title,
    description: operation.summary,
    inputSchema: toolInputSchema(input) as Tool['inputSchema'],
    outputSchema: toolOutputSchema(operation.output) as Tool['outputSchema'],
    annotations: {
      readOnlyHint: readOnly,
      destructiveHint: destructive,
      idempotentHint: idempotent,
      openWorldHint: openWorld,
    },
  }
  const { required = [] } = tool.inputSchema
  const ofOwn = { ...tool.inputSchema, required: required.filter((name) => name !== 'actor') }
  const unconfirmed = operation.summaryUnconfirmed ?? operation.summary
  return (context, absent) => ({
    ...tool,
    description: withoutNaming(absent, context.powers.includes('confirm') ? operation.summary : unconfirmed),
    ...(namesActor(context) ? {} : { inputSchema: ofOwn }),
  })
}

/** A text without the sentences that name one of these tools; all of it where no other sentence is left. Pure. */
function withoutNaming(absent: ReadonlySet<string>, text: string): string {
  const left = text
    .split(/(?<=\.) /)
    .filter((sentence) => !(sentence.match(/[a-z_]+/g) ?? []).some((word) => absent.has(word)))
  return left.length === 0 ? text : left.join(' ')
}

/** Runs the operation of a tool. @returns the body of its answer. @throws what the operation throws */
export async function runTool(
  { operation, input }: ToolEntry,
  given: unknown,
  context: CallContext,
  request: FastifyRequest,
): Promise<Record<string, unknown>> {
  note(request, { tool: operation.name, action: actionOf(given) })
  const answer = await runOperation(operation, context, given, (unparsed, called) =>
    parseArguments(called, called === operation ? input : toolInput(called), unparsed),
  )
  note(request, { action: actionOf(given, answer.body) })
  return answer.body as Record<string, unknown>
}

/** A body as the result of a tool: as text, and as structured content. */
export const toolResult = (body: Record<string, unknown>): CallToolResult => ({
  content: [{ type: 'text', text: JSON.stringify(body) }],
  structuredContent: body,
})

/** The same as its `fieldsOf`. The body is written once, though it stands there twice: a page of a list is long. */
export function toolResultFields(body: Record<string, unknown>): string {
  const text = JSON.stringify(body)
  return `"content":[{"type":"text","text":${JSON.stringify(text)}}],"structuredContent":${text}`
}

/** The mark of an operation that writes. */
export const isWrite = { operation: { tool: { readOnly: false } } }

/**
 * An error as the result of a tool.
 * @param absent  the names of the gate's tools that the caller's key does not have
 */
export function answerError(
  { operation }: { operation: { tool: { readOnly: boolean } } },
  error: unknown,
  { request, absent }: { request: FastifyRequest; absent: ReadonlySet<string> },
): CallToolResult {
  noteError(request, error)
  const known = error instanceof GateError ? error : undefined
  const answer = errorAnswer(known, request.id, internalErrorSentence(operation.tool.readOnly))
  const body = { ...answer, error: withoutNaming(absent, answer.error) }
  // Text only: clients reject structured content of an error that is not in the form of the output.
  return { content: [{ type: 'text', text: JSON.stringify(body) }], isError: true }
}
