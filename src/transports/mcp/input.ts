import { z } from 'zod'
import { GateError } from '../../errors.ts'
import type { Operation } from '../../operations/operation.ts'
import { parseSent } from '../../operations/parse.ts'
import { Actor, actorFields } from '../../operations/schemas.ts'

/**
 * The arguments of a tool: the operation's input, the idempotency key that REST takes as a header, and `actor` where REST takes
 * its fields in the query.
 */
export function toolInput({ input, isKeyed, tool }: Operation): z.ZodObject {
  const omitted = Object.fromEntries((tool.omits ?? []).map((name) => [name, true]))
  return input.omit(omitted as Record<never, true>).extend({
    ...tool.arguments,
    ...(takesActorFields(input) ? { actor: Actor.optional() } : {}),
    ...(isKeyed ? { idempotency_key: idempotencyKey } : {}),
  })
}

// The format is validated together with the REST header.
const idempotencyKey = z.string().optional()

/** Parses the arguments of a tool into the operation's input. @throws GateError `invalid` */
export function parseArguments(
  operation: Operation,
  schema: z.ZodObject,
  given: unknown,
): { input: Record<string, unknown>; idempotencyKey: string | undefined } {
  const { idempotency_key: key, ...args } = parseSent(schema, given) as Record<string, unknown>
  const input = takesActorFields(operation.input) ? withActorFields(args) : args
  return { input, idempotencyKey: (key as string | undefined) || undefined }
}

const takesActorFields = (input: z.ZodObject): boolean => 'email' in input.shape

function withActorFields({ actor, ...args }: Record<string, unknown>): Record<string, unknown> {
  if (actor === undefined) return args
  if (Object.keys(actorFields).some((name) => args[name] !== undefined)) {
    throw new GateError(
      'invalid',
      'The member is named twice: by actor, and by email, provider or external_id. Send only actor.',
      { param: 'actor' },
    )
  }
  return { ...args, ...(actor as Actor) }
}
