import type { CallToolResult, Tool } from '@modelcontextprotocol/sdk/types.js'
import { z } from 'zod'
import { parseInput } from '../../operations/parse.ts'
import { type ActionRequest, Actor } from '../../operations/schemas.ts'
import type { CallContext } from '../../operations/operation.ts'
import { namesActor } from '../../operations/members/actor.ts'
import { actorArgument } from '../../operations/upstreams/actor-argument.ts'
import { callServedTool, mayCallTools, shownTools } from '../../operations/upstreams/call-served-tool.ts'
import { toolInput } from '../../runner-hooks/input.ts'
import type { ServedTool } from '../../upstreams/served-tool.ts'
import type { AccountTools } from './account-tools.ts'
import { toolInputSchema } from '../tool-schema.ts'

/** The tools of the MCP servers that an account has behind the gate. */
export const upstreamTools: AccountTools = {
  mayHave: (name) => /^[a-z][a-z0-9-]{0,19}__[A-Za-z0-9_-]{1,61}$/.test(name),
  checksKey: true,

  async list(context) {
    const shown = await shownTools(context)
    return shown.map((served) => describe(served, context))
  },

  async call(context, name, given) {
    if (!mayCallTools(context)) return undefined
    const answer = await callServedTool(context, { name, given: parseInput(toolInput, given) })
    if (!answer) return undefined
    return 'passed' in answer
      ? { result: answer.passed, action: answer.id, isForeign: true }
      : { result: actionResult(answer.action), action: answer.action.id }
  },
}

/** The action that a call became: a proposal is an answer, a denial an error, because the tool was not called. */
function actionResult(action: ActionRequest): CallToolResult {
  const content: CallToolResult['content'] = [{ type: 'text', text: JSON.stringify(action) }]
  return action.status === 'denied' ? { content, isError: true } : { content, structuredContent: action }
}

/**
 * A tool as agents see it. What its server says of it is marked as the server's. Its hints are not repeated as hints, because
 * clients would take them for the gate's.
 */
function describe(served: ServedTool, context: CallContext): Tool {
  const { upstream, name, definition, rule, isIdempotent } = served
  const { title, description = 'no description', inputSchema, outputSchema, annotations } = definition
  const isPassed = rule.rule === 'allow'
  const says = claimsOf(annotations)
  const afterwards = isPassed ? '' : `\nCalling it only proposes the call, as an action. ${makesIt(context)}`
  return {
    name,
    title: `${upstream}: ${title ?? annotations?.title ?? definition.name}`,
    description: `From the MCP server ${upstream}, not from the gate: ${description}${says}${afterwards}`,
    inputSchema: namesActor(context) ? schemaWithActor(served) : inputSchema,
    // The answer to a proposal is the action.
    ...(isPassed && outputSchema ? { outputSchema } : {}),
    annotations: {
      readOnlyHint: false,
      destructiveHint: isPassed,
      idempotentHint: isPassed && isIdempotent,
      openWorldHint: isPassed,
    },
  }
}

const makesIt = ({ powers }: CallContext): string =>
  powers.includes('confirm')
    ? 'After consent confirm_action makes it, and returns `result.tool_result`.'
    : 'The gate asks the member at once and makes the call after their approval: `result.tool_result` of the action.'

/** What the server claims of its tool, in words. */
function claimsOf({ readOnlyHint, destructiveHint }: Tool['annotations'] = {}): string {
  const claims = [
    ...(readOnlyHint === undefined ? [] : [readOnlyHint ? 'only reads' : 'does not only read']),
    ...(destructiveHint === undefined ? [] : [destructiveHint ? 'can destroy' : 'destroys nothing']),
  ]
  return claims.length === 0 ? '' : `\nThe server claims that it ${claims.join(' and ')}.`
}

const actorSchema = toolInputSchema(z.strictObject({ actor: Actor })) as {
  properties: { actor: object }
}

function schemaWithActor(served: ServedTool): Tool['inputSchema'] {
  const { inputSchema } = served.definition
  const name = actorArgument(served)
  return {
    ...inputSchema,
    properties: { ...inputSchema.properties, [name]: actorSchema.properties.actor },
    required: [name, ...(inputSchema.required ?? [])],
  }
}
