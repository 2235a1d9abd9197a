import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { apiClient } from '../support/api-client.ts'
import { clickBody, interact } from '../support/consent.ts'
import { modernRpc } from '../support/mcp-tool.ts'
import { type Service, startService, until } from '../support/supervisor.ts'
import { ended, senderTo } from './broadcasts.ts'
import { expectInvariants } from './invariants.ts'

// A task of MCP is the action under its UUID: it outlives the process that made it, and is read by any other.

let service: Service
beforeAll(async () => {
  service = await startService({ processes: ['api', 'api2', 'worker'], isSandbox: true })
}, 300_000)
afterAll(() => service.stop(), 60_000)

const declares = {
  meta: {
    'io.modelcontextprotocol/clientCapabilities': { extensions: { 'io.modelcontextprotocol/tasks': {} } },
  },
}

/** A member who was asked in Slack, and the task that their agent got. */
async function awaited(n: number) {
  const { account } = await senderTo(service, 3)
  const slack = `U0TASK${n}`
  const actor = { email: `task${n}@example.com` }
  await account.addMember({ name: 'Ada', slack, ...actor, tier: 'guarded_write' })
  await account.setPolicy({ kinds: { broadcast: { tier: 'guarded_write', consent: 'chat' } } })
  const id = (await account.api.propose(actor, `Asked of ${account.account}.`)).body.id as number
  const call = { name: 'confirm_action', arguments: { id, actor } }
  const { body } = await modernRpc(account.api, 'tools/call', call, declares)
  expect(body.result).toMatchObject({ resultType: 'task', status: 'working' })
  const { taskId } = body.result as { taskId: string }
  const token = (): string | undefined => {
    const sent = service.sandbox.messages(1_000).find(({ to, blocks }) => to === slack && blocks)
    const buttons = (sent?.blocks as { elements?: { value: string }[] }[] | undefined)?.at(-1)
    return buttons?.elements?.[0]?.value
  }
  return {
    account,
    id,
    press: async () => {
      await until('the buttons arrive', 120_000, async () => token() !== undefined)
      await interact(service.urlOf('api2'), clickBody({ token: token()!, user: slack }))
    },
    poll: async (client = account.api) => (await modernRpc(client, 'tasks/get', { taskId }, declares)).body,
    pollBy: (key: string) =>
      modernRpc(apiClient(service.urlOf('api'), key), 'tasks/get', { taskId }, declares),
  }
}

test('API and worker killed between the task, the decision and the poll: the task ends as the action did', async () => {
  const one = await awaited(1)
  // Before anybody decides, and before the request to decide went out.
  await service.kill('api', 'worker')
  await service.start('worker')
  expect((await one.poll(one.account.api2)).result).toMatchObject({ status: 'working' })
  // After the decision, before it was executed.
  service.edges.temporal.hold()
  await one.press()
  await until('the member has decided', 60_000, async () => {
    const [row] = await service.sql(
      `select decision from gate.action where account_id = '${one.account.account}'`,
    )
    return row?.['decision'] === 'confirm'
  })
  await service.kill('api2', 'worker')
  service.edges.temporal.release()
  await service.start('api')
  expect((await one.poll()).result).toMatchObject({ status: 'working' })
  await service.start('worker')
  await ended(service, one.account.account, one.id, 120_000)
  expect((await one.poll()).result).toMatchObject({
    status: 'completed',
    result: { structuredContent: { id: one.id, status: 'executed', consent: { strength: 'chat' } } },
  })
  await service.start('api2')
  await expectInvariants(service, one.account.account)
}, 300_000)

test('a key that is revoked while its task waits gets 401 at the next poll, and another key of the account reads on', async () => {
  const one = await awaited(2)
  const other = await one.account.mintKey({ powers: ['read'] })
  expect((await one.pollBy(other.key)).body.result).toMatchObject({ status: 'working' })
  await one.account.revokeKey(one.account.keyId)
  expect((await one.pollBy(one.account.key)).status).toBe(401)
  await service.kill('api')
  await service.start('api')
  expect((await one.pollBy(one.account.key)).status).toBe(401)
  expect((await one.pollBy(other.key)).body.result).toMatchObject({ status: 'working' })
  const strange = await one.account.addMember({ email: 'strange@example.com' })
  const bound = await one.account.mintKey({ powers: ['read'], actors: [strange] })
  expect((await one.pollBy(bound.key)).body.error).toMatchObject({ code: -32_602 })
}, 300_000)
