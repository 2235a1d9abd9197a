import { beforeAll, describe, expect, test } from '@jest/globals'
import { operations } from '../../src/operations/registry.ts'
import { actionKinds } from '../../src/actions/registry.ts'
import { apiClient } from '../support/api-client.ts'
import { misfitOf, schemasOf } from '../support/described.ts'
import { schemaText } from '../support/schema-text.ts'
import { useGate } from '../support/use-gate.ts'
import { rpc } from '../support/mcp-tool.ts'
import { openapiText } from '../support/openapi-text.ts'
import { expectReviewed } from '../support/reviewed.ts'
import { toolsText } from '../support/tool-text.ts'

// What these files hold is the interface that others build on: a change of them is reviewed as a change of the interface.
// `npm run test:snapshots` writes them again.

const gate = useGate({ workers: false })

const get = async (path: string) => (await fetch(`${gate.api.url}${path}`)).text()

test('the addresses, parameters, answers and schemas of the OpenAPI description are the reviewed ones', async () => {
  expectReviewed('openapi.txt', openapiText(JSON.parse(await get('/api/openapi.json'))))
})

test('the tools, their schemas and their words are the reviewed ones', async () => {
  const { client } = await gate.account()
  const asked = {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'test', version: '1' },
  }
  const { instructions } = (await rpc(client, 'initialize', asked)).body.result
  const { tools } = (await rpc(client, 'tools/list')).body.result
  expectReviewed('mcp-tools.txt', toolsText(instructions, tools))
})

test('llms.txt is the reviewed one', async () => {
  expectReviewed('llms.txt', await get('/llms.txt'))
})

test('the database schema, its constraints, policies, functions and grants are the reviewed ones', async () => {
  expectReviewed('schema.sql', await schemaText(gate.database))
})

describe('the OpenAPI description', () => {
  let document: any
  beforeAll(async () => {
    document = JSON.parse(await get('/api/openapi.json'))
  })

  test('shows an example of every answer, also of those that are no JSON', () => {
    const bare = operationsOf(document).flatMap(({ operationId, responses }) =>
      Object.entries<any>(responses).flatMap(([status, { content = {} }]) =>
        Object.entries<any>(content)
          .filter(
            ([, { examples, example }]) => example === undefined && Object.keys(examples ?? {}).length === 0,
          )
          .map(([type]) => `${operationId} ${status} ${type}`),
      ),
    )
    expect(bare).toEqual([])
  })

  test('is OpenAPI 3.1.0 of version 1.0.0, with a key for every operation', () => {
    expect(document).toMatchObject({
      openapi: '3.1.0',
      info: { title: expect.any(String), version: '1.0.0' },
      security: [{ bearer: [] }, { apiKey: [] }],
      components: {
        securitySchemes: {
          bearer: { type: 'http', scheme: 'bearer' },
          apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key' },
        },
      },
    })
  })

  test('has exactly the addresses of the interface, each once', () => {
    const addresses = Object.entries(document.paths as Record<string, object>).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    )
    expect(addresses.sort()).toEqual([
      'GET /api/v1/actions',
      'GET /api/v1/actions/{id}',
      'GET /api/v1/capability',
      'GET /api/v1/conversations/{conversation_id}/files',
      'GET /api/v1/conversations/{conversation_id}/files/read',
      'GET /api/v1/ledger/checkpoint',
      'GET /api/v1/ledger/consistency',
      'GET /api/v1/ledger/epochs/consistency',
      'GET /api/v1/ledger/tile/{tile}',
      'GET /api/v1/ledger/{seq}/proof',
      'POST /api/v1/actions',
      'POST /api/v1/actions/{id}/cancel',
      'POST /api/v1/actions/{id}/claim',
      'POST /api/v1/actions/{id}/confirm',
      'POST /api/v1/actions/{id}/outcome',
      'POST /api/v1/runner/outcomes',
      'POST /api/v1/runner/tool-calls',
    ])
  })

  test('is well formed: unique operation ids, path parameters declared, responses described, references that lead somewhere', () => {
    const all = operationsOf(document)
    expect(new Set(all.map((o) => o.operationId)).size).toBe(all.length)
    for (const { path, parameters, responses, summary } of all) {
      expect(summary).toEqual(expect.any(String))
      const declared = parameters.filter((p: any) => p.in === 'path').map((p: any) => `{${p.name}}`)
      expect(path.match(/\{\w+\}/g) ?? []).toEqual(declared)
      for (const parameter of parameters) {
        expect(parameter).toMatchObject({ name: expect.any(String), schema: expect.any(Object) })
        expect(['path', 'query', 'header']).toContain(parameter.in)
        if (parameter.in === 'path') expect(parameter.required).toBe(true)
      }
      for (const [status, response] of Object.entries<any>(responses)) {
        expect(status).toMatch(/^[2-5]\d\d$/)
        expect(response.description).toEqual(expect.any(String))
      }
      expect(Object.keys(responses)).toEqual(expect.arrayContaining(['400', '401', '429', '503']))
    }
    for (const reference of JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g)) {
      const found = reference[1]!
        .replace('#/', '')
        .split('/')
        .reduce<any>((node, part) => node?.[part], document)
      expect([reference[1], typeof found]).toEqual([reference[1], 'object'])
    }
  })

  test('has schemas that are JSON Schema 2020-12, every one', () => {
    const { compile } = schemasOf(document)
    const schemas = [...schemasIn(document)]
    expect(schemas.length).toBeGreaterThan(20)
    for (const schema of schemas) expect(() => compile(schema)).not.toThrow()
  })

  test('has an example of every request and answer, and each fits its schema', () => {
    const { compile } = schemasOf(document)
    const expectFit = (schema: object, value: unknown) => {
      const fits = compile(schema)
      expect([value, fits(value), fits.errors]).toEqual([value, true, null])
    }
    for (const { parameters, requestBody, responses } of operationsOf(document)) {
      for (const { schema, example, required } of parameters)
        if (required || example !== undefined) expectFit(schema, example)
      const body = requestBody?.content['application/json']
      const sent = body && (body.examples ? Object.values<any>(body.examples) : [{ value: body.example }])
      for (const { value } of sent ?? []) expectFit(body.schema, value)
      for (const [type, { schema, examples }] of Object.values<any>(responses).flatMap(({ content }) =>
        Object.entries<any>(content),
      )) {
        // Raw bytes have neither schema nor example.
        if (type === 'application/octet-stream' && schema === undefined) continue
        const shown = Object.values<any>(examples).map((one) => one.value ?? exampleAt(document, one.$ref))
        expect(shown.length).toBeGreaterThan(0)
        for (const value of shown) expectFit(schema, value)
      }
    }
  })

  test('puts each operation under a tag, and names the headers of its answers', () => {
    const tags = document.tags.map(({ name }: { name: string }) => name)
    for (const { tags: own, parameters, responses } of operationsOf(document)) {
      expect(tags).toEqual(expect.arrayContaining(own))
      const isKeyed = parameters.some(({ name }: { name: string }) => name === 'Idempotency-Key')
      for (const [status, { headers }] of Object.entries<any>(responses)) {
        const named = [
          'X-Request-Id',
          ...(isKeyed && ['200', '201'].includes(status) ? ['Idempotent-Replayed'] : []),
          ...(status === '202' ? ['Location'] : []),
          ...(status === '401' ? ['WWW-Authenticate'] : []),
          ...(['429', '503'].includes(status) ? ['Retry-After'] : []),
        ]
        expect([status, Object.keys(headers)]).toEqual([status, named])
      }
    }
  })

  test('describes answers as they are given, and requests as they are taken', async () => {
    const account = await gate.account()
    await account.addMember({ email: 'ada@example.com', tier: 'write' })
    const { compile, fits } = schemasOf(document)
    const client = apiClient(gate.api.url, account.key)
    const actor = { email: 'ada@example.com' }
    expect(fits('Capability', (await client.capability(actor)).body)).toBe(true)
    expect(fits('ActionRequest', (await client.propose(actor, 'Hi.')).body)).toBe(true)
    expect(fits('ActionRequest', (await client.cancel(2, actor)).body)).toBe(true)
    expect(fits('Error', (await client.get(99)).body)).toBe(true)
    expect(fits('ActionRequest', { id: 'x' })).toBe(false)
    const files = { path: 'a', size: 1, modified_at: '2026-11-21T10:00:00.000Z' }
    expect(fits('WorkspaceFiles', { conversation_id: 'c', files: [files], truncated: false })).toBe(true)
    expect(fits('WorkspaceFiles', { conversation_id: 'c', files: [{ ...files, size: '1' }] })).toBe(false)
    const { schema } = document.paths['/api/v1/actions'].post.requestBody.content['application/json']
    const taken = compile(schema)
    expect(taken({ kind: 'broadcast', actor, payload: { message: 'Hi.' } })).toBe(true)
    expect(taken({ kind: 'refund', actor, payload: { message: 'Hi.' } })).toBe(false)
    expect(taken({ kind: 'broadcast', actor, payload: { message: 'x'.repeat(4_001) } })).toBe(false)
  })

  test('proposes `broadcast` alone; an action is one object for every kind, and of a known one payload and result are described', async () => {
    const { Proposal, BroadcastProposal, ActionRequest } = document.components.schemas
    expect(Proposal.discriminator.mapping).toEqual({ broadcast: '#/components/schemas/BroadcastProposal' })
    expect(BroadcastProposal.properties.kind).toEqual({ type: 'string', const: 'broadcast' })
    expect(ActionRequest.properties).toMatchObject({
      kind: { type: 'string' },
      payload: { type: 'object', additionalProperties: true },
    })
    const described = schemasOf(document)
    const { client, actor } = await gate.openBroadcast()
    const action = (await client.propose(actor, 'Hi.')).body
    const misfit = (changes: object) => misfitOf(described, { ...action, ...changes })
    expect(misfit({})).toBeUndefined()
    expect(misfit({ payload: { message: 1 } })).toContain('message')
    expect(misfit({ kind: 'refund', result: { outcome: 'perhaps', provider: 'stripe' } })).toContain(
      'outcome',
    )
    expect(misfit({ kind: 'coffee', payload: { message: 1 } })).toBeUndefined()
    // An erased payload is empty.
    expect(misfit({ payload: {} })).toBeUndefined()
  })

  test('holds nothing that generators of clients read in different ways', () => {
    for (const schema of schemasIn(document)) {
      for (const part of partsOf(schema)) {
        expect(part).not.toMatchObject({ format: expect.anything(), pattern: expect.anything() })
        expect(part).not.toMatchObject({ oneOf: expect.anything(), properties: expect.anything() })
        expect(part).not.toMatchObject({ anyOf: expect.arrayContaining([{ type: 'null' }]) })
        if (part.type === 'integer' && !part.enum) expect(part).toMatchObject({ format: 'int64' })
        if (part.type === 'object')
          expect(part.properties ?? part.additionalProperties ?? part.description).toBeDefined()
      }
    }
  })

  test('has no action written out twice: what contains one refers to it', () => {
    const { ActionPage } = document.components.schemas
    expect(ActionPage.properties.actions.items).toEqual({ $ref: '#/components/schemas/ActionRequest' })
    expect(JSON.stringify(document).match(/"tier_at_request":\{"type"/g)).toHaveLength(1)
  })
})

test('llms.txt names every tool and every address', async () => {
  const text = await get('/llms.txt')
  for (const { name, http } of operations(actionKinds)) {
    expect(text).toContain(name)
    if (http) expect(text).toContain(`${http.method} ${http.path}`)
  }
})

/** A schema and those in it. */
function* partsOf(schema: any): Generator<any> {
  if (typeof schema !== 'object' || schema === null) return
  if (!Array.isArray(schema)) yield schema
  for (const part of Object.values(schema)) yield* partsOf(part)
}

const exampleAt = (document: any, ref: string): unknown =>
  document.components.examples[ref.replace('#/components/examples/', '')]?.value

function operationsOf(document: any): any[] {
  return Object.entries<Record<string, any>>(document.paths).flatMap(([path, methods]) =>
    Object.values(methods).map((operation) => ({ path, ...operation })),
  )
}

/** Every schema of the document, wherever one may stand. */
function* schemasIn(document: any): Generator<object> {
  yield* Object.values<object>(document.components.schemas)
  for (const { parameters, requestBody, responses } of operationsOf(document)) {
    for (const parameter of parameters) yield parameter.schema
    for (const part of [requestBody, ...Object.values<any>(responses)]) {
      for (const { schema } of Object.values<any>(part?.content ?? {})) if (schema) yield schema
    }
  }
}
