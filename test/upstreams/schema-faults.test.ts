import { describe, expect, jest, test } from '@jest/globals'
import { AjvJsonSchemaValidator as CurrentValidator } from '@modelcontextprotocol/client/validators/ajv'
import { CfWorkerJsonSchemaValidator } from '@modelcontextprotocol/client/validators/cf-worker'
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/ajv'
import type { Tool } from '@modelcontextprotocol/sdk/types.js'
import { pinTools } from '../../src/upstreams/pin.ts'
import { schemaFault } from '../../src/upstreams/schemas/schema-faults.ts'
import type { Schema } from '../../src/upstreams/schemas/schema-parts.ts'
import { soundTool, unreadableSchema } from '../../src/upstreams/schemas/sound-schemas.ts'
import { testRows } from '../support/rows.ts'
import { costs, dialects, keywords } from './schemas/keywords.ts'
import { field, many, object, throws } from './schemas/made.ts'
import { patterns, forArgumentsAlone } from './schemas/patterns.ts'
import { references } from './schemas/references.ts'
import { soundSchemas } from './schemas/sound.ts'

const broken = [...references, ...dialects, ...keywords, ...patterns, ...costs, ...forArgumentsAlone]

/** The validators that official clients list tools and judge results with. */
const validators = [AjvJsonSchemaValidator, CurrentValidator, CfWorkerJsonSchemaValidator]
const readBy = (Validator: (typeof validators)[number], schema: Schema) =>
  new Validator().getValidator(structuredClone(schema))
describe('a schema of results', () => {
  testRows(broken)('that some client cannot read is left out, with the reason', (_, schema, says) => {
    expect(schemaFault(schema, 'output')).toMatch(says)
  })

  test('is left out in these rows for what official clients do: 60 of them end a list', () => {
    const ending = [...references, ...dialects, ...keywords, ...patterns].filter(([, schema]) =>
      validators.some((Validator) => throws(() => readBy(Validator, schema))),
    )
    expect(ending.length).toBeGreaterThanOrEqual(60)
  })

  test('with a format that nobody knows is served, and writes nothing into the log', () => {
    const warned = jest.spyOn(console, 'warn').mockImplementation(() => undefined)
    expect(schemaFault(field({ type: 'string', format: 'phone-of-mars' }), 'output')).toBeUndefined()
    expect(warned).not.toHaveBeenCalled()
    warned.mockRestore()
  })

  testRows(soundSchemas)('that every client reads is served', (_, schema) => {
    expect([schemaFault(schema, 'output'), schemaFault(schema, 'input')]).toEqual([undefined, undefined])
    for (const Validator of validators) expect(readBy(Validator, schema)({ a: {} })).toBeDefined()
  })
})

describe('a schema of arguments', () => {
  testRows([...references, ...dialects, ...patterns, ...costs])(
    'that some client cannot compile is refused',
    (_, schema, says) => expect(schemaFault(schema, 'input')).toMatch(says),
  )

  testRows(forArgumentsAlone)('is not given to Python', (_, schema) => {
    expect(schemaFault(schema, 'input')).toBeUndefined()
  })
})

const tool = (name: string, inputSchema: Schema, outputSchema?: unknown): Tool =>
  ({ name, inputSchema, ...(outputSchema === undefined ? {} : { outputSchema }) }) as unknown as Tool

const textOf = (...of: Parameters<typeof tool>): string => JSON.stringify(tool(...of))

describe('a tool', () => {
  test('is served without a broken schema of its results, and not at all with one of its arguments', async () => {
    const bad = field({ $ref: '#/nope' })
    expect(await soundTool(textOf('one', object({}), bad))).toEqual({
      tool: tool('one', object({})),
      leftOut: expect.stringMatching(/^clients cannot read its output schema.*leads to no part/),
    })
    expect(await soundTool(textOf('two', bad))).toEqual({
      why: expect.stringMatching(/^clients cannot read its input schema: its reference "#\/nope" leads/),
    })
    expect(await unreadableSchema(textOf('one', object({}), bad))).toMatch(/output schema/)
    expect(await unreadableSchema(textOf('one', object({}), object({})))).toBeUndefined()
  })

  testRows([['a list'], [['x']], [null], [{ type: 'array' }], [object({ properties: { a: true } })]])(
    'is served without a schema of results that MCP does not have',
    async (outputSchema) => {
      expect(await soundTool(textOf('one', object({}), outputSchema))).toMatchObject({
        tool: tool('one', object({})),
        leftOut: expect.stringMatching(/not one of MCP/),
      })
    },
  )

  test('has no name of its schemas: a client would judge the results of one by the schema of another', async () => {
    const named = (type: string) => ({ ...field({ type }), $id: 'https://example.com/result' })
    const client = new AjvJsonSchemaValidator()
    for (const [type, result] of [
      ['string', { a: 'x' }],
      ['number', { a: 1 }],
    ] as const) {
      const sound = await soundTool(textOf(type, named('null'), named(type)))
      expect(sound).toEqual({ tool: tool(type, field({ type: 'null' }), field({ type })) })
      const { outputSchema } = (sound as { tool: Tool }).tool
      expect(client.getValidator(outputSchema as never)(result)).toMatchObject({ valid: true })
    }
    // By its own name, too.
    const toItself = {
      ...field({ $ref: 'https://example.com/result#/$defs/a' }),
      $id: 'https://example.com/result',
      $defs: { a: {} },
    }
    expect(await soundTool(textOf('self', object({}), toItself))).toMatchObject({
      leftOut: expect.any(String),
    })
  })

  test('that is listed is pinned with its broken schema of results, so that a review shows it', async () => {
    const tools = [
      tool('good', object({})),
      tool('half', object({}), object({ $ref: '#' })),
      tool('bad', object({ $ref: '#' })),
    ]
    const pinned = await pinTools('up', { tools, unkept: new Map() })
    expect([...pinned.tools.keys()]).toEqual(['good', 'half'])
    expect(JSON.parse(pinned.tools.get('half')!)).toEqual(tools[1])
    expect(pinned.refused).toEqual([{ tool: 'bad', why: expect.stringMatching(/input schema/) }])
  })

  test('costs the gate nothing that is too large, and a server no more than so much in all', async () => {
    const large = (n: number) => object({ properties: many(n, () => ({ type: 'string' })) })
    const [huge, big] = [large(1_500), large(600)]
    const listed = [...Array.from({ length: 40 }, () => huge), ...Array.from({ length: 40 }, () => big)]
    const tools = listed.map((schema, n) => tool(`t${n}`, schema))
    const { tools: kept, refused } = await pinTools('up', { tools, unkept: new Map() })
    // 600 properties with their types are 1,203 values: those of 24 tools stay below 30,000.
    expect([...kept.keys()]).toEqual(tools.slice(40, 64).map(({ name }) => name))
    expect(refused[0]).toMatchObject({ tool: 't0', why: expect.stringMatching(/more than 2000 values/) })
  })
})
