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
} from '../operations/schemas.ts'
import type { ShownKinds } from '../operations/shown-kinds.ts'
import { type JsonObject, jsonSchema, namedJsonSchemas } from './json-schema.ts'

/** @source docs/rest.md#handle-an-error */
export const ErrorBody = z
  .object({
    error: z.string().meta({ description: 'What was wrong and what to do next, for people.' }),
    code: z.enum(publishedCodes).meta({ description: 'For programs.' }),
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

/** The reference to an output that has a name in the document; the schema of any other. */
export function referToOutput(schema: z.ZodType): JsonObject {
  const found = Object.entries(named).find(([, known]) => known === schema)
  return found ? refer(found[0]) : jsonSchema(schema)
}

/** Every schema of the document by its name. An action is a union of the kinds; the last one is open, because accounts get more. */
export function documentSchemas(kinds: ShownKinds): Record<string, JsonObject> {
  const schemas = namedJsonSchemas(named, (name) => refer(name)['$ref'] as string)
  const names = kinds.map(([kind]) => kind)
  return {
    ...schemas,
    ActionRequest: actionUnion(schemas['ActionRequest']!, names),
    ...Object.fromEntries(kinds.map(([kind, fields]) => [schemaName(kind), kindSchema(kind, fields)])),
    OtherAction: openKind(names),
    ClaimedAction: extended('ActionRequest', schemas['ClaimedAction']!, Object.keys(ActionRequest.shape)),
    Actor: actorSchema,
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

function actionUnion(schema: JsonObject, kinds: string[]): JsonObject {
  const { payload: _payload, result: _result, ...properties } = schema['properties'] as JsonObject
  return {
    ...schema,
    // The schema of the kind types these two.
    properties: { ...properties, payload: {}, result: {} },
    oneOf: [...kinds.map(schemaName), 'OtherAction'].map(refer),
  }
}

function kindSchema(kind: string, { payload, result }: ShownKinds[number][1]): JsonObject {
  return {
    type: 'object',
    properties: {
      kind: { const: kind },
      // A payload that was erased is empty.
      payload: jsonSchema(payload.partial()),
      result: jsonSchema(result),
    },
    required: ['kind', 'payload'],
  }
}

const openKind = (known: string[]): JsonObject => ({
  type: 'object',
  description: 'Any other kind: an account can have more than are listed here.',
  properties: {
    kind: { type: 'string', not: { enum: known } },
    payload: { type: 'object' },
    result: { type: 'object' },
  },
  required: ['kind', 'payload'],
})

/** `subscription_cancellation` → `SubscriptionCancellationAction`. */
const schemaName = (kind: string): string =>
  `${kind.replaceAll(/(^|_)([a-z])/g, (_match, _before, letter: string) => letter.toUpperCase())}Action`

// A generated client would take `{}` for an actor if this were an object with optional fields.
const actorSchema: JsonObject = {
  description: 'The member you act for: by e-mail address, or by the id at a provider.',
  ...jsonSchema(
    z.xor([
      Actor.pick({ email: true }).required(),
      Actor.pick({ provider: true, external_id: true }).required(),
    ]),
  ),
}
