import { randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import type { z } from 'zod'
import { beginAdminCall } from '../../db/queries/accounts/admin-calls.ts'
import type { Deps } from '../../deps.ts'
import { type ErrorCode, GateError } from '../../errors.ts'
import type { AdminPower } from '../../keys/admin-powers.ts'
import type { AdminContext } from '../admin-context.ts'
import type { CallContext, RestOperation } from '../operation.ts'
import { toRefusal } from '../refusal-of-error.ts'
import { noteBeyondLimit } from '../refused-write.ts'

/** What a verb of administration works with: the session is the hash of the API key. */
export interface AdminCall extends AdminContext {
  deps: Deps
  idempotencyKey: string | undefined
}

/**
 * An administrator's verb, as a program calls it: by the operation that console and command line call. It is no tool over MCP: agents
 * do not administrate.
 */
export interface AdminOperation<
  Input extends z.ZodObject = z.ZodObject,
  Output extends z.ZodType = z.ZodType,
> {
  /** Its `operationId`, and its name in the ledger. */
  name: string
  title: string
  summary: string
  http: { method: 'GET' | 'POST'; path: string; integers?: string[] }
  power: AdminPower
  /** One flat object: path, query and body. */
  input: Input
  output: Output
  errors: ErrorCode[]
  /** As how many calls it counts towards the daily limit of the key. Absent: one. */
  count?(input: z.output<Input>): number
  /** For the OpenAPI description. */
  example: { input: Record<string, unknown>; output: z.input<Output> }
  /** Whether it takes an Idempotency-Key. */
  isKeyed?: true
  /** The content type of an answer that is no JSON: then it is a stream of texts. */
  streams?: string
  run(context: AdminCall, input: z.output<Input>): Promise<unknown>
}

export const defineAdmin = <Input extends z.ZodObject, Output extends z.ZodType>(
  operation: AdminOperation<Input, Output>,
): AdminOperation<Input, Output> => operation

/** The verb as REST serves it, for an API key with its power. */
export function overRest(operation: AdminOperation): RestOperation {
  const { http, power, example, ...same } = operation
  const inPath = [...http.path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]!)
  const entries = Object.entries(example.input)
  const given = (isParameter: boolean) =>
    Object.fromEntries(
      entries.filter(([name]) => (http.method === 'GET' || inPath.includes(name)) === isParameter),
    )
  return {
    ...same,
    http: { ...http, success: { 200: operation.title } },
    powers: [power],
    isKeyed: operation.isKeyed ?? false,
    examples: {
      parameters: given(true),
      ...(http.method === 'POST' ? { body: given(false) } : {}),
      answers: { 200: { example: example.output as Record<string, unknown> } },
    },
    async run(context, input) {
      await begin(context, operation, input)
      const { deps, account, keyHash } = context
      try {
        const call = { db: deps.db, account, session: keyHash, deps, idempotencyKey: context.idempotencyKey }
        const body = await operation.run(call, input)
        if (operation.streams === undefined) return { status: 200, body }
        return { status: 200, body: Readable.from(body as AsyncIterable<string>), type: operation.streams }
      } catch (error) {
        throw toRefusal(error) ?? error
      }
    },
  }
}

/** Each call is an entry that names the key, whatever comes of it; of those beyond the daily limit the first of a day. */
async function begin(
  context: CallContext,
  { name, power, count }: AdminOperation,
  input: Record<string, unknown>,
): Promise<void> {
  const { deps, account, keyHash } = context
  try {
    await beginAdminCall(deps.db, {
      account,
      keyHash,
      eventId: randomUUID(),
      power: power.replace('admin:', ''),
      operation: name,
      count: count?.(input) ?? 1,
    })
  } catch (error) {
    if (error instanceof GateError && error.code === 'too_many') await noteBeyondLimit(context, name)
    throw error
  }
}
