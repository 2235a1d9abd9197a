import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals'
import { Client as CurrentClient } from '@modelcontextprotocol/client'
import { CfWorkerJsonSchemaValidator } from '@modelcontextprotocol/client/validators/cf-worker'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js'
import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import { CallToolRequestSchema, ListToolsRequestSchema, type Tool } from '@modelcontextprotocol/sdk/types.js'
import fc from 'fast-check'
import { soundTool } from '../../src/upstreams/schemas/sound-schemas.ts'
import { bounded, seed } from '../fuzz/runs.ts'
import { type TestGate, startGate } from '../support/gate.ts'
import { runPython } from '../support/mcp-programs.ts'
import { type StandIn, startStandIn } from '../support/tools-behind-gate.ts'
import { pinnedBefore } from './pinned-schemas.ts'
import { anySchema } from './schemas/any-schema.ts'
import { throws } from './schemas/made.ts'
import { forArgumentsAlone } from './schemas/patterns.ts'

let gate: TestGate
let standIn: StandIn
let home: string
beforeAll(async () => {
  gate = await startGate({ workers: false })
  standIn = await startStandIn()
  standIn.answerBy(() => ({ content: [], structuredContent: { a: 'x' } }))
  home = mkdtempSync(join(tmpdir(), 'schemas-'))
})
afterAll(async () => {
  await gate.stop()
  await standIn.stop()
  rmSync(home, { recursive: true, force: true })
})

/** Calls every tool of the server, and says what it makes of each that does not end in a result. */
const callsAll = `
import asyncio, json, sys
import httpx2
from mcp.client.client import Client
from mcp.client.streamable_http import streamable_http_client
url, key, mode = sys.argv[1:]
async def main():
    called, wrong = [], []
    async with httpx2.AsyncClient(headers={"Authorization": "Bearer " + key}) as http:
        async with Client(streamable_http_client(url, http_client=http), mode=mode) as client:
            for tool in (await client.list_tools()).tools:
                if not tool.name.startswith("up__"):
                    continue
                called.append(tool.name)
                try:
                    await client.call_tool(tool.name, {})
                except BaseException as error:
                    # What the stand-in answers is not what every schema asks for.
                    if not str(error).startswith("Invalid structured content"):
                        wrong.append([tool.name, repr(error)])
    print(json.dumps({"called": called, "wrong": wrong}))
asyncio.run(main())
`

test.each([
  ['2.3.0', 'auto'],
  ['2.3.0', 'legacy'],
  ['2.2.0', 'auto'],
])('the client %s in Python (%s) reads the schemas of all tools that it is served', async (version, mode) => {
  const { key } = await pinnedBefore(gate, standIn.url)
  const { called, wrong } = JSON.parse(
    await runPython(version, callsAll, [`${gate.api.url}/api/mcp`, key, mode], home),
  )
  expect(wrong).toEqual([])
  expect(called.length).toBeGreaterThan(100)
})

/** Judges values by each schema as the client in Python does. Prints what was thrown, by the place of the schema. */
const judgesAll = `
import json, sys
from jsonschema.validators import validator_for
from referencing import Registry
given = json.load(open(sys.argv[1]))
thrown = {}
for at, schema in enumerate(given["schemas"]):
    try:
        found = validator_for(schema)
        found.check_schema(schema)
        for value in given["values"]:
            list(found(schema, registry=Registry()).iter_errors(value))
    except BaseException as error:
        thrown[at] = repr(error)[:300]
print(json.dumps(thrown))
`
async function thrownInPython(schemas: object[]): Promise<Record<string, string>> {
  const file = join(home, 'schemas.json')
  writeFileSync(file, JSON.stringify({ schemas, values }))
  return JSON.parse(await runPython('2.3.0', judgesAll, [file], home))
}

const values = [
  {},
  { a: {} },
  { a: { a: [{}] }, b: 'x', c: 5 },
  { a: [1, 'x', null], b: { c: { a: '2020-01-01' } } },
  { a: 'x', b: '2020-01-01', c: [] },
]

test('patterns are left out that Python does not compile, and no others', async () => {
  const schemas = forArgumentsAlone
    .filter(([, , says]) => says.source === 'Python')
    .map(([, schema]) => schema)
  expect(Object.keys(await thrownInPython(schemas))).toHaveLength(schemas.length)
})

describe(`any schema (seed ${seed})`, () => {
  /** The tools that the gate would serve, each with the schema of its results if that is served. */
  let all: { tool: Tool; leftOut?: string; schema: object }[]
  let served: Tool[]
  let warned: { mockRestore(): void }
  beforeAll(async () => {
    warned = jest.spyOn(console, 'warn').mockImplementation(() => undefined)
    const schemas = fc.sample(anySchema, bounded(4_000, null))
    all = await Promise.all(
      schemas.map(async (made, n) => {
        // Its own name is not served, and an anchor can clash without it that does not with it.
        const { $id: _name, ...unnamed } = JSON.parse(JSON.stringify(made))
        const schema = unnamed as NonNullable<Tool['outputSchema']>
        const definition: Tool = { name: `t${n}`, inputSchema: { type: 'object' }, outputSchema: schema }
        return { ...((await soundTool(JSON.stringify(definition))) as { tool: Tool }), schema }
      }),
    )
    served = all.map(({ tool }) => tool).filter(({ outputSchema }) => outputSchema !== undefined)
  }, 180_000)
  afterAll(() => warned.mockRestore())

  test('that is served lets the clients of both SDKs list and call, all in one list', async () => {
    expect(served.length).toBeGreaterThan(all.length / 5)
    await expect(listed(new Client({ name: 'c', version: '1' }), served)).resolves.toEqual([])
    await expect(listed(new CurrentClient({ name: 'c', version: '1' }), served)).resolves.toEqual([])
  }, 180_000)

  test('that does not compile ends a list, alone', async () => {
    // Clients drop a property of this name when they read a list.
    const whole = all.filter(({ schema }) => !JSON.stringify(schema).includes('__proto__'))
    const broken = whole.filter(({ leftOut }) => /does not compile/.test(leftOut ?? ''))
    expect(broken.length).toBeGreaterThan(50)
    for (const { tool, schema, leftOut } of broken) {
      const alone = [{ ...tool, outputSchema: schema } as Tool]
      const ends = await Promise.all([
        listed(new Client({ name: 'c', version: '1' }), alone).then(
          (wrong) => wrong.length > 0,
          () => true,
        ),
        listed(new CurrentClient({ name: 'c', version: '1' }), alone).then(
          (wrong) => wrong.length > 0,
          () => true,
        ),
        throws(() => new CfWorkerJsonSchemaValidator().getValidator(structuredClone(schema))),
      ])
      expect([schema, leftOut, ends]).toEqual([schema, leftOut, expect.arrayContaining([true])])
    }
  }, 180_000)

  test('that is served is one for clients in browsers and in Python', async () => {
    const schemas: object[] = served.map(({ outputSchema }) => outputSchema!)
    for (const schema of schemas) {
      const judge = new CfWorkerJsonSchemaValidator().getValidator(structuredClone(schema))
      for (const value of values) expect(judge(value)).toHaveProperty('valid')
    }
    expect(await thrownInPython(schemas)).toEqual({})
  }, 180_000)
})

/** Lists tools by a client, and calls each. @returns the names of those whose schema the client could not use */
async function listed(client: Client | CurrentClient, tools: Tool[]): Promise<string[]> {
  const server = new Server({ name: 's', version: '1' }, { capabilities: { tools: {} } })
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools }))
  server.setRequestHandler(CallToolRequestSchema, () => ({
    content: [],
    structuredContent: { a: { a: 'x' } },
  }))
  const [ours, theirs] = InMemoryTransport.createLinkedPair()
  await Promise.all([server.connect(theirs), client.connect(ours as never)])
  await client.listTools()
  const wrong: string[] = []
  for (const { name } of tools)
    await client.callTool({ name, arguments: {} }).catch((error: Error) => {
      if (!/Structured content does not match/.test(error.message)) wrong.push(`${name}: ${error.message}`)
    })
  await client.close()
  return wrong
}
