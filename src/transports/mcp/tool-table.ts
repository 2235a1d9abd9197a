import type { Tool } from '@modelcontextprotocol/sdk/types.js'
import type { FastifyRequest } from 'fastify'
import type { CallContext, Operation } from '../../operations/operation.ts'
import { maySee } from '../../operations/key-powers.ts'
import { ActionRequest } from '../../operations/schemas.ts'
import { gateHeader } from '../../upstreams/gate-header.ts'
import { productVersion } from '../../process/version.ts'
import { actionOf, note } from '../../web/request-log.ts'
import { type Authenticator, mustAuthenticate } from '../auth.ts'
import { inexactBody } from '../json-body.ts'
import { type AccountTools, accountTools, accountToolsWith } from './account-tools.ts'
import { type Called, type ToolCall, fieldsOf } from './call.ts'
import {
  type ToolEntry,
  answerError,
  describeTool,
  isWrite,
  runTool,
  toolResultFields,
} from './gate-tools.ts'
import { toolInput } from './input.ts'
import { instructionsFor } from './instructions.ts'

/** What clients of every revision list and call. */
export interface ToolTable {
  /** The gate's tool with this name. */
  ofGate(name: unknown): Operation | undefined
  /** Whether everything that a call returns comes from a statement that checks the key. */
  checksKey(call: ToolCall, request: FastifyRequest): boolean
  /** The tools that a key can call, in the same order each time: those of the gate, then those of the account. */
  list(context: CallContext, request: FastifyRequest): Promise<Tool[]>
  /** Calls one. @returns undefined where there is no tool with this name */
  call(call: ToolCall, context: CallContext, request: FastifyRequest): Promise<Called | undefined>
  /** How an agent uses those that its key has. */
  instructionsFor(context: CallContext): string
}

/** How the gate names itself to clients. */
export const gateInfo = { name: 'qualification-gate', version: productVersion }

/**
 * The operations as tools, and the tools that accounts have.
 * @param operations  those of all tools, also of such as are not served
 * @param authenticate  for a caller who was kept, before the refusal of a call
 */
export function toolTable(
  operations: Operation[],
  { groups, authenticate }: { groups: readonly string[]; authenticate: Authenticator },
): ToolTable {
  const tools: ToolEntry[] = operations
    .filter((operation) => groups.includes(operation.tool.group))
    .map((operation) => ({ operation, input: toolInput(operation) }))
  const served = tools.map(({ operation }) => operation)
  const described = tools.map((tool) => ({ operation: tool.operation, toolFor: describeTool(tool) }))
  const byName = new Map<unknown, ToolEntry>(tools.map((tool) => [tool.operation.name, tool]))

  /** The gate's tools that a key does not have: no description and no refusal names them. */
  const absentFor = (caller: Pick<CallContext, 'powers' | 'kinds'>): ReadonlySet<string> =>
    new Set(
      operations
        .filter(({ name, ...operation }) => !byName.has(name) || !maySee(caller, operation))
        .map(({ name }) => name),
    )

  return {
    ofGate: (name) => byName.get(name)?.operation,

    checksKey: ({ name }, request) =>
      (byName.get(name)?.operation ?? sourceOf(name, request))?.checksKey === true,

    async list(context, request) {
      const seen = described.filter(({ operation }) => maySee(context, operation))
      const isListed = await Promise.all(
        seen.map(async ({ operation: { tool } }) => tool.isListed?.(context)),
      )
      const absent = absentFor(context)
      const ours = seen
        .filter((_tool, n) => isListed[n] !== false)
        .map(({ toolFor }) => toolFor(context, absent))
      return isOfGate(request) ? ours : [...ours, ...(await accountTools(context))]
    },

    async call({ name, args }, context, request) {
      const tool = byName.get(name)
      const source = tool ? undefined : sourceOf(name, request)
      if (!tool && !source) return undefined
      try {
        if (request.inexact) throw inexactBody(request.inexact, ['params', 'arguments'])
        if (tool) {
          const body = await runTool(tool, args, context, request)
          return { fields: toolResultFields(body), awaits: awaitedIn(body, tool.operation.output) }
        }
        const called = await callAccountTool(source!, { name, args }, context, request)
        if (called) return called
      } catch (error) {
        if (mustAuthenticate(request.caller, error)) await authenticate(request)
        const refusal = answerError(tool ?? isWrite, error, { request, absent: absentFor(context) })
        return { fields: fieldsOf(refusal) }
      }
      if (request.caller!.isKept) await authenticate(request)
      return undefined
    },

    instructionsFor: (context) => instructionsFor(context, served),
  }
}

/** Whether another gate asks, or this one: to them no server behind this gate is shown or called, so that nothing loops. */
const isOfGate = ({ headers }: FastifyRequest): boolean => headers[gateHeader] !== undefined

const sourceOf = (name: string, request: FastifyRequest) =>
  isOfGate(request) ? undefined : accountToolsWith(name)

/** Undefined where the account has no such tool. */
async function callAccountTool(
  source: AccountTools,
  { name, args }: ToolCall,
  context: CallContext,
  request: FastifyRequest,
): Promise<Called | undefined> {
  note(request, { tool: name, isOfAccount: true })
  const called = await source.call(context, name, args)
  note(request, {
    action: called?.action ?? actionOf(source.checksKey ? undefined : called?.result.structuredContent),
  })
  if (!called) return undefined
  const { result, isForeign = false } = called
  const awaits = isForeign ? undefined : awaitedIn(result.structuredContent, ActionRequest)
  return { fields: fieldsOf(result), isForeign, awaits }
}

/** The id of an answered action whose member is asked; undefined for every other answer. Pure. */
function awaitedIn(body: Record<string, unknown> | undefined, output: unknown): number | undefined {
  const { id, status, consent_request: asked } = (body ?? {}) as Partial<ActionRequest>
  return output === ActionRequest && status === 'proposed' && asked !== undefined ? id : undefined
}
