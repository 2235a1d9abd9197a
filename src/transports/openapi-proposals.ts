import type { Operation } from '../operations/operation.ts'
import { type JsonObject, jsonSchema } from './json-schema.ts'
import { refer, schemaName } from './openapi-schemas.ts'

/** Whether an operation proposes an action of any kind. */
export const isProposal = ({ forCall }: Operation): boolean => forCall !== undefined

/** What a request to propose says: of each kind its payload and its body, then the union of the bodies. */
export function proposalSchemas(proposals: Operation[]): Record<string, JsonObject> {
  const kinds = proposals.map(({ input }) => {
    const { properties, required = [] } = jsonSchema(input) as { properties: Fields; required?: string[] }
    const { kind, payload } = properties
    const word = (kind!['const'] ?? (kind!['enum'] as string[])[0]) as string
    const named = { ...properties, payload: refer(schemaName(word, 'Input')) }
    return { word, payload: payload!, body: bodySchema(Object.entries(named), required) }
  })
  const refs = kinds.map(({ word }) => [word, refer(schemaName(word, 'Proposal'))] as const)
  return {
    ...Object.fromEntries(
      kinds.flatMap(({ word, payload, body }) => [
        [schemaName(word, 'Input'), payload],
        [schemaName(word, 'Proposal'), body],
      ]),
    ),
    Proposal: {
      oneOf: refs.map(([, ref]) => ref),
      discriminator: {
        propertyName: 'kind',
        mapping: Object.fromEntries(refs.map(([word, ref]) => [word, ref['$ref']])),
      },
    },
  }
}

type Fields = Record<string, JsonObject>

/** The body of a request from its fields. */
export function bodySchema(fields: [string, JsonObject][], required: string[]): JsonObject {
  return {
    type: 'object',
    properties: Object.fromEntries(
      fields.map(([name, given]) => [name, name === 'actor' ? refer('Actor') : given]),
    ),
    required: required.filter((name) => fields.some(([n]) => n === name)),
    additionalProperties: false,
  }
}
