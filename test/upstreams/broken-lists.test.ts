import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { listTools, readReview } from '../../src/operations/upstreams/review.ts'
import { readUpstream } from '../../src/operations/upstreams/servers.ts'
import { refreshUpstream } from '../../src/upstreams/refresh.ts'
import { type TestGate, startGate } from '../support/gate.ts'
import { connectAgent, mcpClients } from '../support/mcp-clients.ts'
import { type StandIn, addUpstream, startStandIn } from '../support/tools-behind-gate.ts'
import { type TestUpstream, echoTool, startUpstream } from '../support/upstream.ts'
import { definitions, ofArguments, ofResults, pinnedBefore } from './pinned-schemas.ts'

let gate: TestGate
let standIn: StandIn
let upstream: TestUpstream
beforeAll(async () => {
  gate = await startGate({ workers: false })
  standIn = await startStandIn()
  upstream = await startUpstream([])
  standIn.answerBy(() => ({ content: [], structuredContent: { a: 'x' } }))
}, 60_000)
afterAll(async () => {
  await gate.stop()
  await standIn.stop()
  await upstream.close()
})

describe('tools that were pinned before anybody looked at their schemas', () => {
  let scene: Awaited<ReturnType<typeof pinnedBefore>>
  beforeAll(async () => {
    scene = await pinnedBefore(gate, standIn.url)
  }, 60_000)

  test.each(mcpClients)('%s lists and calls the good ones', async (_, make) => {
    const agent = await connectAgent(make, gate.api.url, scene.key)
    const { tools } = await agent.listTools()
    const served = new Map(tools.map((tool) => [tool.name, tool]))
    expect(tools.filter(({ name }) => name.startsWith('up__')).map(({ name }) => name)).toEqual(
      definitions
        .map(({ name }) => `up__${name}`)
        .filter((name) => !name.startsWith('up__in-'))
        .toSorted(),
    )
    for (const [name, { outputSchema }] of served)
      if (name.startsWith('up__'))
        expect([name, outputSchema !== undefined]).toEqual([name, !name.includes('__out')])
    for (const name of ['good', 'out-0', 'sound-0'])
      expect(await agent.callTool({ name: `up__${name}`, arguments: {} })).toMatchObject({
        structuredContent: { a: 'x' },
      })
    await agent.close()
  })

  test('are shown with the reason', async () => {
    const tools = await listTools(scene.admin, 'up')
    const reasons = (begin: string) =>
      tools.filter(({ tool }) => tool.startsWith(begin)).map(({ unreadable }) => unreadable)
    expect(reasons('in-')).toEqual(
      ofArguments.map(() => expect.stringMatching(/^clients cannot read its input schema: ./)),
    )
    expect(reasons('out-')).toEqual(
      ofResults.map(() =>
        expect.stringMatching(/^clients cannot read its output schema, so it is served without one: ./),
      ),
    )
    expect([...reasons('good'), ...reasons('sound')].filter(Boolean)).toEqual([])
  })
})

test('a server that lists them has the good ones reviewed, and the others refused with the reason', async () => {
  const { account } = await gate.account()
  const admin = { db: gate.deps.db, account, session: null }
  const listed = definitions.filter(({ name }) => !String(name).startsWith('sound'))
  upstream.tools = listed.map((definition) => echoTool(String(definition['name']), definition))
  await addUpstream(gate.database, { account }, { name: 'up', url: upstream.url })
  const good = listed.filter(({ name }) => !String(name).startsWith('in-'))
  expect(await refreshUpstream(gate.deps, { account, upstream: 'up' })).toEqual({
    state: 'read',
    tools: good.length,
    quarantined: [],
  })
  const { refused } = await readUpstream(admin, 'up')
  expect(refused).toHaveLength(20)
  expect(refused[0]).toEqual({ tool: 'in-0', why: expect.stringMatching(/input schema: .*leads to no part/) })
  const { tools } = await readReview(admin, 'up')
  expect(tools.find(({ tool }) => tool === 'out-0')).toMatchObject({
    unreadable: expect.stringMatching(/output schema, .*leads to no part/),
    lines: expect.arrayContaining([expect.objectContaining({ at: '/outputSchema/properties/a/$ref' })]),
  })
})
