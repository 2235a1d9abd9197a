import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { receiptOf, jwks, payload } from '../vectors/make.js'

const read = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8')

test('the service in the docs refunds with a receipt of now, and refuses everything else', async () => {
  const keys = createServer((_request, response) => void response.end(JSON.stringify(jwks)))
  keys.listen(0, '127.0.0.1')
  await once(keys, 'listening')
  const address = `http://127.0.0.1:${(keys.address() as AddressInfo).port}/keys.json`
  const [, example] = /```js\n([^]*?createServer[^]*?)```/.exec(read('../../../docs/proof.md'))!
  const folder = mkdtempSync(join(tmpdir(), 'receipts-example-'))
  const file = join(folder, 'service.mjs')
  writeFileSync(
    file,
    example!
      .replace('qualification-gate-receipts', new URL('../lib/index.js', import.meta.url).href)
      .replace('https://gate.example.com/.well-known/gate-receipts.json', address)
      .replace('acct_4kD0x9TqLmW2aBcE', 'acct_0a1B2c3D4e5F6g7H')
      .replace(
        /listen\(3000, '127\.0\.0\.1'\)/,
        "listen(0, '127.0.0.1', function () { console.log(this.address().port) })",
      ),
  )
  const service = spawn(process.execPath, [file], { stdio: ['ignore', 'pipe', 'inherit'] })
  try {
    const [port] = await once(service.stdout, 'data')
    const send = async (body: object) => {
      const answer = await fetch(`http://127.0.0.1:${Number(port)}`, {
        method: 'POST',
        body: JSON.stringify(body),
      })
      return `${answer.status} ${(await answer.text()).trim()}`
    }
    const now = Math.floor(Date.now() / 1_000)
    const receipt = receiptOf({ iat: now, exp: now + 3_600 })
    expect(await send({ receipt, payload })).toMatch(/^200 Refunding 4500 cents: ada@example\.com consented/)
    expect(await send({ receipt, payload: { ...payload, amount_cents: 1 } })).toMatch(/^403 wrong_payload/)
    expect(await send({ receipt })).toMatch(/^403 wrong_payload/)
    expect(await send({ payload })).toMatch(/^403 malformed/)
    expect(await send({ receipt: receiptOf({ iat: now - 901, exp: now + 3_600 }), payload })).toMatch(
      /^403 too_old/,
    )
  } finally {
    service.kill()
    keys.close()
    rmSync(folder, { recursive: true })
  }
})
