import type { z } from 'zod'
import { httpStatusOf } from '../errors.ts'
import type { Operation } from '../operations/operation.ts'
import {
  ActionRequest,
  Actor,
  Capability,
  ErrorBody,
  WorkspaceFilePage,
  WorkspaceFiles,
} from '../operations/schemas.ts'
import { jsonSchema } from './json-schema.ts'

type Json = Record<string, unknown>

const named: [string, z.ZodType][] = [
  ['ActionRequest', ActionRequest],
  ['Actor', Actor],
  ['Capability', Capability],
  ['Error', ErrorBody],
  ['WorkspaceFilePage', WorkspaceFilePage],
  ['WorkspaceFiles', WorkspaceFiles],
]

/**
 * The OpenAPI 3.1 description, generated from the operations.
 * @source docs/rest.md
 */
export function openapi(operations: Operation[]): Json {
  const paths: Record<string, Json> = {}
  for (const operation of operations) {
    if (!operation.http) continue
    const { path, method } = operation.http
    paths[path] = { ...paths[path], [method.toLowerCase()]: describe(operation) }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Qualification Gate',
      version: '1.0.0',
      description:
        'An AI agent acts for a member only if that member is qualified for the action, and only after the member consents.',
    },
    servers: [{ url: '/' }],
    security: [{ bearer: [] }],
    paths,
    components: {
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer', description: 'An API key of the account' },
      },
      schemas: Object.fromEntries(named.map(([name, schema]) => [name, jsonSchema(schema)])),
    },
  }
}

function describe(operation: Operation): Json {
  const { method, path, success } = operation.http!
  const properties = jsonSchema(operation.input)['properties'] as Record<string, Json>
  const required = (jsonSchema(operation.input)['required'] ?? []) as string[]
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]!)
  const rest = Object.entries(properties).filter(([name]) => !inPath.includes(name))
  return {
    operationId: operation.name,
    summary: operation.title,
    description: operation.summary,
    parameters: [
      ...inPath.map((name) => ({ name, in: 'path', required: true, schema: properties[name] })),
      ...(method === 'GET'
        ? rest.map(([name, schema]) => ({ name, in: 'query', required: required.includes(name), schema }))
        : []),
      ...(operation.isKeyed ? [idempotencyKey] : []),
    ],
    ...(method === 'POST' ? { requestBody: { required: true, content: json(body(rest, required)) } } : {}),
    responses: {
      ...Object.fromEntries(
        Object.entries(success).map(([status, description]) => [
          status,
          { description, content: json(reference(operation.output)) },
        ]),
      ),
      ...errorResponses(operation),
    },
  }
}

const idempotencyKey = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  schema: { type: 'string', minLength: 1, maxLength: 255 },
  description:
    'Makes retries safe: the same key with the same request within 24 hours returns the first answer.',
}

function body(rest: [string, Json][], required: string[]): Json {
  return {
    type: 'object',
    properties: Object.fromEntries(
      rest.map(([name, schema]) => [
        name,
        name === 'actor' ? { $ref: '#/components/schemas/Actor' } : schema,
      ]),
    ),
    required: required.filter((name) => rest.some(([n]) => n === name)),
    additionalProperties: false,
  }
}

function errorResponses(operation: Operation): Json {
  const always = ['malformed', 'unauthenticated', 'too_many', 'unavailable'] as const
  const statuses = [...new Set([...always, ...operation.errors].map((code) => httpStatusOf[code]))].toSorted(
    (a, b) => a - b,
  )
  return Object.fromEntries(
    statuses.map((status) => [
      status,
      {
        description: 'Error: what is wrong and what to do.',
        content: json({ $ref: '#/components/schemas/Error' }),
      },
    ]),
  )
}

function reference(schema: z.ZodType): Json {
  const name = named.find(([, known]) => known === schema)?.[0]
  return name ? { $ref: `#/components/schemas/${name}` } : jsonSchema(schema)
}

const json = (schema: Json) => ({ 'application/json': { schema } })
