import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { createConversation } from '../../src/db/queries/previews/conversations.ts'
import { adminWrite } from '../../src/db/admin-write.ts'
import { verifyLedger } from '../../src/ledger/verify.ts'
import { previewWorkflowId } from '../../src/temporal/names.ts'
import { callTool } from '../support/mcp-tool.ts'
import { openedBy } from '../support/preview.ts'
import { type Service, type ServiceAccount, startService, until } from '../support/supervisor.ts'

let service: Service

const actor = { email: 'ada@example.com' }

/** A conversation `site` with a page, and what may be done with its preview. */
async function built(): Promise<{
  account: ServiceAccount
  call(name: string, args?: object): Promise<any>
}> {
  const account = await service.account()
  const ada = await account.addMember({ ...actor, tier: 'guarded_write' })
  const conversationId = 'site'
  await createConversation(service.db, {
    ...adminWrite(account.account),
    conversationId,
    title: 'Test',
    memberIds: [ada.memberId],
  })
  const folder = join(service.dataDir, 'workspaces', account.account, conversationId)
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'index.html'), '<h1>Built</h1>')
  return {
    account,
    call: async (name, args = { conversation_id: 'site' }) => {
      const { body } = await callTool(account.api, name, { ...args, actor })
      return body
    },
  }
}

const hostFolders = () => {
  const root = join(service.dataDir, 'previews')
  return existsSync(root) ? readdirSync(root) : []
}

describe('with a short host timeout', () => {
  beforeAll(async () => {
    service = await startService({
      isSandbox: true,
      bounds: { previewHostDeadMs: 8_000, previewHeartbeatLostMs: 6_000 },
    })
  }, 300_000)
  afterAll(() => service.stop(), 60_000)

  test('a worker killed while it runs a preview: nobody says that it runs, and nothing of it is left', async () => {
    const { account, call } = await built()
    const started = await call('start_preview')
    const viewer = await openedBy(started.url)
    expect((await viewer.see('/')).text).toBe('<h1>Built</h1>')
    const [killedHost] = hostFolders()
    expect(readdirSync(join(service.dataDir, 'previews', killedHost!))).toContain(started.preview_id)
    await service.kill('worker')
    await expect(viewer.see('/')).rejects.toMatchObject({ code: 'ECONNREFUSED' })

    // With no worker at all: its host is known to be dead by its silence.
    const asked = { preview_id: started.preview_id }
    await until('its end is told', 60_000, async () => {
      const { status, error } = await call('preview_status', asked)
      return status === 'failed' && error === 'host_lost'
    })
    expect(await call('stop_preview', asked)).toMatchObject({ status: 'failed' })

    await service.start('worker')
    expect(hostFolders()).not.toContain(killedHost)
    const workflowId = previewWorkflowId({ account: account.account, previewId: started.preview_id })
    const handle = (await service.temporal()).workflow.getHandle(workflowId)
    expect(await handle.result()).toEqual({ state: 'failed' })
    const next = await call('start_preview')
    expect(next).toMatchObject({ status: 'running' })
    expect((await (await openedBy(next.url)).see('/')).text).toBe('<h1>Built</h1>')
    await call('stop_preview', { preview_id: next.preview_id })
    expect(await verifyLedger(service.db, account.account)).toMatchObject({ ok: true })
    expect(await service.sql('select 1 from gate_private.open_preview')).toEqual([])
  }, 300_000)
})

describe('with the bounds of the service', () => {
  beforeAll(async () => {
    service = await startService({ isSandbox: true, hasOwnTemporal: true })
  }, 300_000)
  afterAll(() => service.stop(), 60_000)

  test('a worker killed and started again at once knows its dead self by its process, and the conversation can be shown again', async () => {
    const { call } = await built()
    const started = await call('start_preview')
    const [killedHost] = hostFolders()
    await service.kill('worker')
    await service.start('worker')
    expect(hostFolders()).not.toContain(killedHost)
    const next = await call('start_preview')
    expect(next).toMatchObject({ status: 'running' })
    expect(next.preview_id).not.toBe(started.preview_id)
    expect(await call('preview_status', { preview_id: started.preview_id })).toMatchObject({
      status: 'failed',
      error: 'host_lost',
    })
  }, 300_000)

  test('an API killed while a preview runs changes nothing for who looks at it, nor does a Temporal that is away for a while', async () => {
    const { call } = await built()
    const started = await call('start_preview')
    const viewer = await openedBy(started.url)
    await service.kill('api', 'temporal')
    expect((await viewer.see('/')).status).toBe(200)
    await service.start('temporal')
    await service.start('api')
    const { preview_id } = started
    expect(await call('preview_status', { preview_id })).toMatchObject({
      status: 'running',
      url: expect.any(String),
    })
    expect((await viewer.see('/')).status).toBe(200)
    expect(await call('stop_preview', { preview_id })).toMatchObject({ status: 'stopped' })
    expect((await viewer.see('/')).status).toBe(410)
  }, 300_000)
})
