import { z } from 'zod'
import { publishedCodes } from '../errors.ts'
import {
  ActionPage,
  ActionRequest,
  Actor,
  Capability,
  ClaimedAction,
  WorkspaceFilePage,
  WorkspaceFiles,
  growing,
} from '../operations/schemas.ts'
import type { ShownKinds } from '../operations/shown-kinds.ts'
import { type JsonObject, jsonSchema, namedJsonSchemas } from './json-schema.ts'

/** @source docs/rest.md#handle-an-error */
export const ErrorBody = z
  .object({
    error: z.string().meta({ description: 'What was wrong and what to do next, for people.' }),
    code: z.enum(publishedCodes).meta({ ...growing, description: 'For programs. Later versions have more.' }),
    param: z.string().optional().meta({
      description: 'The field, parameter or header that was wrong, such as `payload.message`.',
    }),
    request_id: z.string().meta({ description: 'The same as the header X-Request-Id.' }),
  })
  .meta({ description: 'Why a request was refused.' })

const named: Record<string, z.ZodType> = {
  ActionPage,
  ActionRequest,
  Capability,
  ClaimedAction,
  Error: ErrorBody,
  WorkspaceFilePage,
  WorkspaceFiles,
}

/** A reference to a schema of the document. */
export const refer = (name: string): JsonObject => ({ $ref: `#/components/schemas/${name}` })

/** The reference to an output. @throws Error for one that has no name in the document */
export function referToOutput(schema: z.ZodType): JsonObject {
  const found = Object.entries(named).find(([, known]) => known === schema)
  if (!found) throw new Error('an output has no name in the OpenAPI description')
  return refer(found[0])
}

/**
 * Every schema of the document by its name. An action is one object for every kind, because programs made by generators refuse or
 * lose what a union does not list, and an account can get kinds at any time. What its payload and result hold has a schema of its own. A schema stands below those that it
 * refers to: one generator reads them in this order.
 */
export function documentSchemas(kinds: ShownKinds): Record<string, JsonObject> {
  const schemas = namedJsonSchemas(named, (name) => refer(name)['$ref'] as string)
  return {
    ...actorSchemas,
    ...schemas,
    ClaimedAction: extended('ActionRequest', schemas['ClaimedAction']!, Object.keys(ActionRequest.shape)),
    ...Object.fromEntries(
      kinds.flatMap(([kind, { payload, result }]) => [
        // A payload that was erased is empty.
        [schemaName(kind, 'Payload'), jsonSchema(payload.partial())],
        [schemaName(kind, 'Result'), jsonSchema(result)],
      ]),
    ),
  }
}

/** A schema with more fields than another one, which it refers to. */
function extended(name: string, schema: JsonObject, known: string[]): JsonObject {
  const { properties, required, description } = schema as Record<string, JsonObject & string[]>
  const own = Object.entries(properties!).filter(([field]) => !known.includes(field))
  return {
    description: description!,
    allOf: [
      refer(name),
      {
        type: 'object',
        properties: Object.fromEntries(own),
        required: (required as string[]).filter((field) => !known.includes(field)),
      },
    ],
  }
}

/** `subscription_cancellation` → `SubscriptionCancellationPayload`. */
export const schemaName = (kind: string, suffix: 'Payload' | 'Result' | 'Input' | 'Proposal'): string =>
  `${kind.replaceAll(/(^|_)([a-z])/g, (_match, _before, letter: string) => letter.toUpperCase())}${suffix}`

// A generated client would take `{}` for an actor if this were an object with optional fields.
const actorSchemas: Record<string, JsonObject> = {
  MemberByEmail: jsonSchema(Actor.pick({ email: true }).required()),
  MemberAtProvider: jsonSchema(Actor.pick({ provider: true, external_id: true }).required()),
  Actor: {
    description: 'The member you act for: by e-mail address, or by the id at a provider.',
    oneOf: [refer('MemberByEmail'), refer('MemberAtProvider')],
  },
}
