import { once } from 'node:events'
import { type AddressInfo, type Server, createServer } from 'node:net'
import { afterEach, expect, test } from '@jest/globals'
import { pino } from 'pino'
import { readConfig } from '../../src/config.ts'
import type { Gateway } from '../../src/previews/gateway.ts'
import { defaultPreviewPort, openGateway } from '../../src/previews/open-gateway.ts'
import { testRows } from '../support/rows.ts'

const log = pino({ level: 'silent' })
const open = (env: Record<string, string>) =>
  openGateway(readConfig(env), log, { find: () => undefined, proxy: undefined })

let gateway: Gateway | undefined
let other: Server | undefined
afterEach(async () => {
  await gateway?.stop()
  other?.close()
  gateway = other = undefined
})

/** Takes a port; one that somebody else has is taken, too. */
async function take(port: number): Promise<number> {
  other = createServer()
  const failed = once(other, 'error').then(() => port)
  other.listen(port, '127.0.0.1')
  return Promise.race([once(other, 'listening').then(() => (other!.address() as AddressInfo).port), failed])
}

test('a port that was chosen and is taken is refused by its name', async () => {
  const port = await take(0)
  await expect(open({ PREVIEW_PORT: String(port) })).rejects.toThrow(
    `PREVIEW_PORT ${port} on 127.0.0.1 is in use. Stop the process that uses it, or set PREVIEW_PORT.`,
  )
})

test('where none was chosen and the usual one is taken, as by another worker of the machine, any free one does', async () => {
  await take(defaultPreviewPort)
  gateway = await open({})
  const { port } = new URL(gateway.url)
  expect(Number(port)).not.toBe(defaultPreviewPort)
  expect((await fetch(`http://127.0.0.1:${port}/`)).status).toBe(421)
})

test('behind a proxy the port is the one that it knows, taken or not', async () => {
  await take(defaultPreviewPort)
  await expect(open({ PREVIEW_URL: 'https://preview.example' })).rejects.toThrow('PREVIEW_PORT 8789')
  gateway = await open({ PREVIEW_URL: 'https://preview.example/', PREVIEW_PORT: '0' })
  expect(gateway.url).toBe('https://preview.example')
})

testRows([
  [{ PREVIEW_HOST: '127.0.0.1' }, 'PREVIEW_HOST must be a host name, not an IP address'],
  [{ PREVIEW_HOST: 'a/b' }, 'PREVIEW_HOST must be a host name'],
  [{ PREVIEW_URL: 'ftp://x' }, 'PREVIEW_URL must be an absolute URL'],
  [{ PREVIEWS_PER_ACCOUNT: '0' }, 'PREVIEWS_PER_ACCOUNT'],
  [{ PREVIEW_HARD_MS: '999999999999' }, 'PREVIEW_HARD_MS'],
])('a malformed setting stops the start', (env, sentence) => {
  expect(() => readConfig(env as Record<string, string>)).toThrow(sentence)
})
