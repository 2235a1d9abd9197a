import type { z } from 'zod'
import { runnerDialects } from '../../runner-hooks/registry.ts'
import { type JsonObject, jsonSchema } from '../json-schema.ts'
import { describedAside } from '../openapi-parameters.ts'
import { errorResponses, headersOf, valuesOf } from '../openapi-responses.ts'
import { outcomeExamples, toolCallExamples } from './openapi-runner-examples.ts'
import { refer } from '../openapi-schemas.ts'
import { callQuery, outcomeQuery, outcomesPath, toolCallsPath } from './runner-query.ts'

export const runnerTag = {
  name: 'Runners',
  description: 'Tool calls of agent runners, asked by their hooks.',
}

const text = { type: 'string' }
const object = (properties: JsonObject): JsonObject => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
})
const decision = (...values: string[]): JsonObject => ({ type: 'string', enum: values })

const claudeAnswer = object({
  hookSpecificOutput: object({
    hookEventName: { type: 'string', const: 'PreToolUse' },
    permissionDecision: decision('allow', 'deny', 'defer'),
    permissionDecisionReason: text,
  }),
})

/** The schemas of the two addresses, by name. */
export const runnerSchemas: Record<string, JsonObject> = {
  RunnerHookBody: {
    type: 'object',
    description:
      'What the hook of the runner gets, unchanged. Fields that the gate does not know are ignored.',
  },
  ClaudeAnswer: { description: 'Of Claude Code, Codex and Copilot.', ...claudeAnswer },
  GeminiAnswer: {
    description: 'Of Gemini CLI and OpenCode.',
    ...object({ decision: decision('allow', 'deny'), reason: text }),
  },
  CursorAnswer: object({ permission: decision('allow', 'deny'), user_message: text, agent_message: text }),
  ToolCallAnswer: {
    description: 'The decision in the form of the runner. A call may run only if it says allow.',
    anyOf: ['ClaudeAnswer', 'GeminiAnswer', 'CursorAnswer'].map(refer),
  },
  OutcomeAnswer: object({
    recorded: {
      type: 'boolean',
      description: 'false: no call that was allowed waits for this report.',
    },
  }),
}

/** The addresses that hooks of agent runners call. They are no operations, because each runner has a form of its own. Pure. */
export const runnerPaths = (): Record<string, JsonObject> => ({
  [toolCallsPath]: {
    post: {
      operationId: 'decide_tool_call',
      tags: [runnerTag.name],
      summary: 'Decide a tool call',
      description:
        'Before a tool call of an agent runner: allows it, denies it, or has its member asked. Needs a runner key. A call that cannot be read is denied with 200. No error permits a call.' +
        signedSentence,
      parameters: parametersOf(callQuery, { runner: 'claude', wait: '50' }),
      requestBody: bodyOf(toolCallExamples),
      responses: {
        200: {
          description: 'Decided. While the member is asked: deny, or defer, with the number of the action.',
          headers: headersOf('X-Request-Id'),
          content: {
            'application/json': { schema: refer('ToolCallAnswer'), examples: answerExamples() },
            'text/plain': { schema: text, examples: valuesOf(textExamples) },
          },
        },
        ...errorResponses('POST', ['forbidden', 'invalid']),
      },
    },
  },
  [outcomesPath]: {
    post: {
      operationId: 'report_tool_outcome',
      tags: [runnerTag.name],
      summary: 'Report an outcome',
      description:
        'After a tool call that was allowed: whether it ran or failed. It decides nothing.' + signedSentence,
      parameters: parametersOf(outcomeQuery, { runner: 'claude' }),
      requestBody: bodyOf(outcomeExamples),
      responses: {
        200: {
          description: 'Taken.',
          headers: headersOf('X-Request-Id'),
          content: {
            'application/json': {
              schema: refer('OutcomeAnswer'),
              examples: valuesOf({ recorded: { recorded: true } }),
            },
            'text/plain': { schema: text, examples: valuesOf({ taken: 'ok' }) },
          },
        },
        ...errorResponses('POST', ['forbidden', 'invalid']),
      },
    },
  },
})

const signedSentence =
  ' Hooks sign their requests in place of sending the key: `Authorization: Gate-Hook-1 key=…, time=…, nonce=…, digest=…, mac=…`, see docs/runner-protocol.md. Then every answer, errors included, is text/plain, and its last line is the MAC of the gate.'

function parametersOf(query: z.ZodObject, examples: Record<string, string>): JsonObject[] {
  const schema = jsonSchema(query)
  const required = (schema['required'] ?? []) as string[]
  return Object.entries(schema['properties'] as Record<string, JsonObject>).map(([name, given]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    ...describedAside(given),
    ...(examples[name] === undefined ? {} : { example: examples[name] }),
  }))
}

const bodyOf = (examples: JsonObject): JsonObject => ({
  required: true,
  content: { 'application/json': { schema: refer('RunnerHookBody'), examples: valuesOf(examples) } },
})

const denial = {
  decision: 'deny',
  reason: 'Waiting for the consent of grace@example.com, action 15: call again unchanged.',
} as const

/** What each runner is told while the member is asked. */
const answerExamples = (): JsonObject =>
  valuesOf(
    Object.fromEntries(
      Object.entries(runnerDialects).map(([runner, dialect]) => [runner, dialect.writeAnswer(denial)]),
    ),
  )

const textExamples = { allowed: 'allow', denied: denial.reason, deferred: 'defer 15' }
