import { apiVersion, productVersion } from '../process/version.ts'
import { limits } from '../limits.ts'
import type { Operation } from '../operations/operation.ts'
import type { ShownKinds } from '../operations/shown-kinds.ts'
import { type JsonObject, jsonSchema } from './json-schema.ts'
import { operationExamples } from './openapi-examples.ts'
import { examples, headers, responses } from './openapi-responses.ts'
import { describedAside } from './openapi-parameters.ts'
import { ledgerPaths, ledgerTag } from './openapi-ledger.ts'
import { runnerPaths, runnerSchemas, runnerTag } from './runner/openapi-runner.ts'
import { forGenerators } from './openapi-generators.ts'
import { bodySchema, isProposal, proposalSchemas } from './openapi-proposals.ts'
import { documentSchemas, refer } from './openapi-schemas.ts'

/** By the first segment of the path. */
const tags: Record<string, { name: string; description: string }> = {
  capability: { name: 'Members', description: 'What a member may do.' },
  actions: { name: 'Actions', description: 'Propose, confirm, cancel and read actions.' },
  conversations: { name: 'Workspaces', description: 'Files that were built in a conversation.' },
}

/**
 * The OpenAPI 3.1 description, generated from the operations.
 * @param kinds  the kinds of action whose payload and result are typed
 * @param proposals  the forms of the operation that proposes, for kinds that an account declared
 * @source docs/rest.md
 */
export function openapi(operations: Operation[], kinds: ShownKinds, proposals: Operation[] = []): JsonObject {
  const paths: Record<string, JsonObject> = {}
  for (const operation of operations) {
    if (!operation.http) continue
    const { path, method } = operation.http
    paths[path] = { ...paths[path], [method.toLowerCase()]: describe(operation) }
  }
  return forGenerators({
    openapi: '3.1.0',
    info: {
      title: 'Qualification Gate',
      version: apiVersion,
      description: `An AI agent acts for a member only if that member is qualified for the action, and only after the member consents. The version above is that of the API; the gate that serves it has version ${productVersion}.`,
      license: { name: 'Apache 2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    security: [{ bearer: [] }, { apiKey: [] }],
    tags: [...Object.values(tags), ledgerTag, runnerTag],
    paths: { ...paths, ...ledgerPaths(), ...runnerPaths() },
    components: {
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer', description: 'An API key of the account' },
        apiKey: {
          type: 'apiKey',
          in: 'header',
          name: 'X-API-Key',
          description: 'The same key, for clients that cannot send Authorization',
        },
      },
      headers,
      examples,
      schemas: {
        ...documentSchemas(kinds),
        ...proposalSchemas([...operations.filter(isProposal), ...proposals]),
        ...runnerSchemas,
      },
    },
  })
}

function describe(operation: Operation): JsonObject {
  const { method, path } = operation.http!
  const input = jsonSchema(operation.input)
  const properties = input['properties'] as Record<string, JsonObject>
  const required = (input['required'] ?? []) as string[]
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]!)
  const rest = Object.entries(properties).filter(([name]) => !inPath.includes(name))
  const examples = operationExamples[operation.name]
  const parameter = (place: string) => (name: string) => ({
    name,
    in: place,
    required: place === 'path' || required.includes(name),
    ...describedAside(properties[name]!),
    ...(examples?.parameters?.[name] === undefined ? {} : { example: examples.parameters[name] }),
  })
  return {
    operationId: operation.name,
    tags: [tags[path.split('/')[3]!]!.name],
    summary: operation.title,
    description: operation.summary,
    parameters: [
      ...inPath.map(parameter('path')),
      ...(method === 'GET' ? rest.map(([name]) => name).map(parameter('query')) : []),
      ...(operation.isKeyed ? [idempotencyKey] : []),
    ],
    ...(method === 'POST' && rest.length > 0
      ? {
          requestBody: {
            required: true,
            content: {
              'application/json': {
                schema: isProposal(operation) ? refer('Proposal') : bodySchema(rest, required),
                example: examples?.body,
              },
            },
          },
        }
      : {}),
    responses: responses(operation),
  }
}

const idempotencyKey = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  schema: { type: 'string', minLength: 1, maxLength: limits.idempotencyKeyCharsMax },
  description:
    'Makes retries safe: the same key with the same request within 24 hours returns the first answer.',
  example: 'lunch-2026-11-22',
}
