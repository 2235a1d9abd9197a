import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { connect } from 'node:net'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { limits } from '../../src/limits.ts'
import { apiClient } from '../support/api-client.ts'
import { entriesOf } from '../support/ledger-entries.ts'
import { type OpenBroadcast, type TestGate, startGate } from '../support/gate.ts'
import { until } from '../support/until.ts'

let gate: TestGate
let open: OpenBroadcast
beforeAll(async () => {
  gate = await startGate()
})
afterAll(() => gate.stop())
beforeEach(async () => {
  open = await gate.openBroadcast()
})

const entries = () => entriesOf(gate.database, open.account.account)

/** Sends the head of a request and half of its body; the rest when it is told to. @returns the status that is answered */
async function slowly(
  key: string,
  path: string,
  body: unknown,
  meanwhile: () => Promise<void>,
): Promise<number> {
  const { hostname, port } = new URL(gate.api.url)
  const text = JSON.stringify(body)
  const socket = connect(Number(port), hostname)
  await once(socket, 'connect')
  socket.write(
    `POST ${path} HTTP/1.1\r\nhost: ${hostname}\r\nauthorization: Bearer ${key}\r\ncontent-type: application/json\r\n` +
      `content-length: ${Buffer.byteLength(text)}\r\nconnection: close\r\n\r\n${text.slice(0, 5)}`,
  )
  // The key is read when the head is there: its first use shows in its last use.
  await until('the key was read', async () => (await lastUse(key)) !== null)
  await meanwhile()
  socket.write(text.slice(5))
  const chunks: Buffer[] = []
  for await (const chunk of socket) chunks.push(chunk as Buffer)
  return Number(/^HTTP\/1\.1 (\d+)/.exec(Buffer.concat(chunks).toString())?.[1])
}

async function lastUse(key: string): Promise<Date | null> {
  const rows = await gate.database.asSuperuser(
    `select last_used_at from gate_private.api_key_hash where hash = sha256('${key}')`,
  )
  return (rows[0]?.['last_used_at'] as Date | undefined) ?? null
}

test('a confirm whose key is revoked before its body has come is refused, and told of in the ledger', async () => {
  const { key, keyId } = await open.account.mintKey()
  const path = `/api/v1/actions/${open.id}/confirm`
  const status = await slowly(key, path, { actor: open.actor }, () => open.account.revokeKey(keyId))
  expect(status).toBe(401)
  expect((await open.client.get(open.id)).body.status).toBe('proposed')
  expect((await entries()).at(-1)).toMatchObject({
    kind: 'write_refused',
    entry: { key: keyId, data: { reason: 'key_revoked' } },
  })
})

test('a read over MCP whose key is revoked before its body has come is refused', async () => {
  const { key, keyId } = await open.account.mintKey()
  const call = {
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: 'list_actions', arguments: {} },
  }
  const status = await slowly(key, '/api/mcp', call, async () => {
    await open.account.revokeKey(keyId)
    // A body that came at once would not be worth a second look.
    await sleep(2 * limits.authenticationFreshMs)
  })
  expect(status).toBe(401)
})

test('no confirm stands behind a revocation that raced with it', async () => {
  for (let n = 0; n < 50; n++) {
    const { key, keyId } = await open.account.mintKey()
    const client = apiClient(gate.api.url, key)
    const { body } = await open.client.propose(open.actor, `Message ${n}`)
    const [answer] = await Promise.all([client.confirm(body.id, open.actor), open.account.revokeKey(keyId)])
    const told = (await entries()).filter(({ entry }) => entry.key === keyId || entry.data['key'] === keyId)
    const revoked = told.findIndex(({ kind }) => kind === 'key_revoked')
    const confirmed = told.findIndex(({ kind }) => kind === 'confirmed')
    expect([200, 202, 401]).toContain(answer.status)
    expect(confirmed === -1).toBe(answer.status === 401)
    if (confirmed !== -1) expect(confirmed).toBeLessThan(revoked)
  }
}, 300_000)

test('a revoked key that goes on trying leaves one entry a minute', async () => {
  const { key, keyId } = await open.account.mintKey()
  await open.account.revokeKey(keyId)
  const client = apiClient(gate.api.url, key)
  for (let n = 0; n < 5; n++) expect((await client.confirm(open.id, open.actor)).status).toBe(401)
  await gate.deps.background.idle()
  const refused = (await entries()).filter(({ kind }) => kind === 'write_refused')
  expect(refused).toHaveLength(1)
})
