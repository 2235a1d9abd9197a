import { mkdtempSync, chmodSync, readdirSync, existsSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, test } from '@jest/globals'
import { launchBrowser } from '../support/browser.ts'
import { apiClient } from '../support/api-client.ts'
import { callTool } from '../support/mcp-tool.ts'
import { type Started, start } from './started.ts'

let running: Started | undefined
afterEach(async () => {
  await running?.end('SIGTERM')
}, 60_000)

test('on the demo an agent reads the files of its conversation and shows the page to a browser; another conversation is a 404', async () => {
  const dataDir = mkdtempSync(join(process.env['TEST_RUN_DIR']!, 'start-'))
  chmodSync(dataDir, 0o711)
  running = await start(dataDir)
  const { demo, baseUrl, output } = running
  expect(output()).toMatch(/Previews +http:\/\/<name>\.localhost:\d+/)
  const client = apiClient(baseUrl, demo.api_key)
  const grace = { email: 'grace@example.com' }
  const call = (name: string, args: object) => callTool(client, name, args)

  const conversation_id = 'moon-bakery'
  const listed = await call('list_workspace_files', { conversation_id, ...grace })
  expect(listed.body.files.map((file: { path: string }) => file.path)).toContain('index.html')
  let read = ''
  for (let offset: number | null = 0; offset !== null;) {
    const args = { conversation_id, ...grace, path: 'index.html', offset }
    const { body } = await call('read_workspace_file', args)
    read += body.content
    offset = body.next_offset
  }
  expect(read).toContain('<h1>Moon Bakery</h1>')

  const { body: started } = await call('start_preview', { conversation_id, actor: grace })
  expect(started).toMatchObject({ status: 'running', mode: 'static' })
  const browser = await launchBrowser()
  try {
    const tab = await browser.newPage()
    await tab.goto(started.url)
    expect(await tab.textContent('h1')).toBe('Moon Bakery')
    const asked = { preview_id: started.preview_id, actor: grace }
    expect((await call('preview_status', asked)).body).toMatchObject({ status: 'running' })
    expect((await call('stop_preview', asked)).body).toMatchObject({ status: 'stopped' })
    expect((await tab.reload())!.status()).toBe(410)
  } finally {
    await browser.close()
  }

  const elsewhere = await call('start_preview', { conversation_id: 'tide-table', actor: grace })
  expect([elsewhere.isError, elsewhere.body.error]).toEqual([
    true,
    expect.stringMatching(/The conversation or file was not found/),
  ])
  const files = await client.request('GET', '/api/v1/conversations/tide-table/files?email=grace@example.com')
  expect(files.status).toBe(404)

  expect(await running.end('SIGINT')).toBe(0)
  running = undefined
  const left = join(dataDir, 'previews')
  expect(existsSync(left) ? readdirSync(left) : []).toEqual([])
}, 120_000)
