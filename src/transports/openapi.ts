import { apiVersion, productVersion } from '../process/version.ts'
import { adminSubjects } from '../keys/admin-powers.ts'
import { limits } from '../limits.ts'
import type { RestOperation } from '../operations/operation.ts'
import type { ShownKinds } from '../operations/shown-kinds.ts'
import { type JsonObject, jsonSchema } from './json-schema.ts'
import { operationExamples } from './openapi-examples.ts'
import { examples, headers, refusals, responses } from './openapi-responses.ts'
import { describedAside } from './openapi-parameters.ts'
import { ledgerPaths, ledgerTag } from './openapi-ledger.ts'
import { runnerPaths, runnerSchemas, runnerTag } from './runner/openapi-runner.ts'
import { eventSchemas, webhooks } from './openapi-events.ts'
import { forGenerators } from './openapi-generators.ts'
import { bodySchema, isProposal, proposalSchemas } from './openapi-proposals.ts'
import { documentSchemas, refer } from './openapi-schemas.ts'

/** By the first segment of the path. */
const tags: Record<string, { name: string; description: string }> = {
  capability: { name: 'Members', description: 'What a member may do.' },
  actions: { name: 'Actions', description: 'Propose, confirm, cancel and read actions.' },
  conversations: { name: 'Workspaces', description: 'Files that were built in a conversation.' },
}

const adminTagOf = (subject: string): string => `Administration: ${subject}`

/** By the second segment of the path of administration. */
const adminTags = Object.keys(adminSubjects).map((subject) => ({
  name: adminTagOf(subject),
  description: `Powers: ${adminSubjects[subject as keyof typeof adminSubjects].map((verb) => `\`admin:${subject}.${verb}\``).join(', ')}.`,
}))

/** @param path  such as `/api/v1/actions/{id}` or `/api/v1/admin/members` */
function tagOf(path: string): string {
  const [, , , segment = '', subject = ''] = path.split('/')
  return segment === 'admin' ? adminTagOf(subject) : tags[segment]!.name
}

/**
 * The OpenAPI 3.1 description, generated from the operations.
 * @param kinds  the kinds of action whose payload and result are typed
 * @param proposals  the forms of the operation that proposes, for kinds that an account declared
 * @source docs/rest.md
 */
export function openapi(
  operations: RestOperation[],
  kinds: ShownKinds,
  proposals: RestOperation[] = [],
): JsonObject {
  const paths: Record<string, JsonObject> = {}
  for (const operation of operations) {
    if (!operation.http) continue
    const { path, method } = operation.http
    paths[path] = { ...paths[path], [method.toLowerCase()]: describe(operation) }
  }
  const all = { ...paths, ...ledgerPaths(), ...runnerPaths() }
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
    tags: [...Object.values(tags), ledgerTag, runnerTag, ...adminTags],
    paths: all,
    webhooks,
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
      responses: refusals(all),
      examples,
      schemas: {
        ...documentSchemas(kinds),
        ...proposalSchemas([...operations.filter(isProposal), ...proposals]),
        ...runnerSchemas,
        ...eventSchemas,
      },
    },
  })
}

function describe(operation: RestOperation): JsonObject {
  const { method, path } = operation.http!
  const input = jsonSchema(operation.input)
  const properties = input['properties'] as Record<string, JsonObject>
  const required = (input['required'] ?? []) as string[]
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]!)
  const rest = Object.entries(properties).filter(([name]) => !inPath.includes(name))
  const examples = operation.examples ?? operationExamples[operation.name]
  const parameter = (place: string) => (name: string) => ({
    name,
    in: place,
    required: place === 'path' || required.includes(name),
    ...describedAside(properties[name]!),
    ...(examples?.parameters?.[name] === undefined ? {} : { example: examples.parameters[name] }),
  })
  return {
    operationId: operation.name,
    tags: [tagOf(path)],
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
    'Makes retries safe: the same key with the same request returns the first answer, for at least 24 hours.',
  example: 'lunch-2026-11-22',
}
