import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { Browser, Page } from 'playwright-core'
import {
  append,
  exportLines,
  exportText,
  newAccount,
  newGate,
  policyOf,
  sealer,
} from '../../packages/verify/test/log.ts'
import { card, digest, holder, member } from '../../packages/verify/test/passkey.ts'
import { newReceipts } from '../../packages/verify/test/receipt.ts'
import { verifyFile } from '../../packages/verify/lib/verify.mjs'
import { faultsOf } from '../support/axe.ts'
import { launchBrowser } from '../support/browser.ts'
import { type Visitor, signedInAdmin, startConsole } from '../support/console.ts'
import type { TestGate } from '../support/gate.ts'
import { testRows } from '../support/rows.ts'

let gate: TestGate
let tenant: Awaited<ReturnType<TestGate['account']>>
let root: Visitor
let chromium: Browser
let page: Page
const problems: string[] = []
const requested: string[] = []
beforeAll(async () => {
  gate = await startConsole()
  tenant = await gate.account()
  root = await signedInAdmin(gate, tenant.account)
  chromium = await launchBrowser()
  const context = await chromium.newContext()
  await context.addCookies([...root.cookies].map(([name, value]) => ({ name, value, url: gate.api.url })))
  page = await context.newPage()
  page.on('console', (message) => void problems.push(message.text()))
  page.on('pageerror', (error) => void problems.push(error.message))
  page.on('request', (request) => void requested.push(`${request.method()} ${request.url()}`))
  await page.goto(`${gate.api.url}/console/ledger/check`)
}, 60_000)
afterAll(async () => {
  await chromium?.close()
  await gate.stop()
})

const log = newGate('gate.example.com', 2)
const policy = policyOf(log)
const account = newAccount(70)
const { seal, proof } = sealer(log)
const sealed = exportText(exportLines(account, [seal(account)]))

async function* bytesOf(text: string) {
  yield Buffer.from(text)
}

/** What the page says of a file, one sentence a line. */
async function verdictOf(name: string, text: string, trusted: string, payload?: string): Promise<string[]> {
  const fileOf = (fileName: string, content: string) => ({
    name: fileName,
    mimeType: 'application/octet-stream',
    buffer: Buffer.from(content),
  })
  await page.getByLabel('File').setInputFiles(fileOf(name, text))
  await page.getByLabel('Keys that you trust').fill(trusted)
  await page
    .getByLabel('Payload')
    .setInputFiles(payload === undefined ? [] : [fileOf('payload.json', payload)])
  await page.getByRole('button', { name: 'Check file' }).click()
  return told()
}

async function told(): Promise<string[]> {
  await page.locator('#check:enabled').waitFor()
  return page.locator('#verdict p').allInnerTexts()
}

describe('the page that checks a file', () => {
  test.each([
    ['an export', 'ledger.jsonl', sealed],
    ['a proof', 'entry.tlog-proof', proof(account, 3)],
  ])('says of %s what the command line says', async (_, name, text) => {
    const verdict = await verifyFile(bytesOf(text), { policy })
    expect(verdict.ok).toBe(true)
    expect(await verdictOf(name, text, policy)).toEqual((verdict as { words: string[] }).words)
    expect(await page.locator('#verdict').getAttribute('class')).toBe('flash')
    expect(await faultsOf(page)).toEqual([])
  })

  test('says of a receipt who consented, and whether the payload is the one', async () => {
    const { receipt, jwks, payload } = newReceipts(new Date())
    expect(await verdictOf('receipt.jws', receipt(), jwks, JSON.stringify(payload))).toEqual([
      expect.stringMatching(/^consented by grace@example.com at .* \(chat, slack\), signed by https:/),
      expect.stringMatching(/^Action 5 of acct_/),
      'The payload is the one that was consented to.',
    ])
    expect(await verdictOf('receipt.jws', receipt(), jwks, '{}')).toEqual([
      'receipt: the payload is not the one that was consented to.',
    ])
  })

  testRows(['ES256', 'Ed25519', 'RS256'] as const)(
    'says of a consent by passkey what the command line says',
    async (algorithm) => {
      const { known, evidence } = holder(algorithm)
      // Signatures of one key differ in length.
      const actions = [1, 2, 3, 4, 5, 6, 7, 8]
      const one: typeof account = { account: account.account, entries: [] }
      append(one, 'account_created', null)
      append(one, 'passkey_added', null, { member, ...known })
      for (const action of actions) append(one, 'proposed', action, { digest })
      for (const action of actions)
        append(one, 'confirmed', action, { strength: 'passkey', card, passkey: evidence() })
      const text = exportText(exportLines(one, [seal(one)]))
      const verdict = await verifyFile(bytesOf(text), { policy })
      expect(verdict.ok).toBe(true)
      expect(await verdictOf('ledger.jsonl', text, policy)).toEqual((verdict as { words: string[] }).words)
      append(one, 'proposed', 9, { digest })
      const forged = { ...evidence(), signature: evidence().signature }
      append(one, 'confirmed', 9, { strength: 'passkey', card, passkey: forged })
      const changed = exportText(exportLines(one, [seal(one)]))
      expect(await verdictOf('ledger.jsonl', changed, policy)).toEqual([
        'seq 20: its passkey does not prove it: its signature does not match.',
      ])
    },
  )

  test('names the first bad entry of a changed file, as text', async () => {
    const changed = sealed.replace('"seq":17,', '"seq":16,')
    expect(await verdictOf('ledger.jsonl', changed, policy)).toEqual(['seq 17: seq 16 is in its place.'])
    expect(await page.locator('#verdict').getAttribute('class')).toBe('problem')
    const markup = '<img src=x onerror=alert(1)>'
    const marked = policy.replace('log ', `${markup} `)
    expect((await verdictOf('ledger.jsonl', sealed, marked))[0]).toContain(
      'line 1 of the policy: <img is not log',
    )
    expect(await page.locator('#verdict img').count()).toBe(0)
  })

  test('says what is missing', async () => {
    expect(await verdictOf('ledger.jsonl', sealed, '')).toEqual([
      'exports, proofs and checkpoints need the keys that you trust.',
    ])
    const { receipt, jwks } = newReceipts(new Date())
    expect(await verdictOf('receipt.jws', receipt(), policy)).toEqual([
      'receipts need the keys that you trust.',
    ])
    expect(await verdictOf('ledger.jsonl', sealed, jwks)).toEqual([
      'exports, proofs and checkpoints need the keys that you trust.',
    ])
    expect(await verdictOf('ledger.jsonl', sealed, policy, '{}')).toEqual([
      'A payload is for receipts, and this file is an export.',
    ])
    expect(await verdictOf('ledger.jsonl', sealed, 'log x')).toEqual([
      'line 1 of the policy: it must be: log VKEY [URL].',
    ])
  })

  test('takes a file that is dropped on it', async () => {
    await page.getByLabel('Keys that you trust').fill(policy)
    await page.evaluate(`{
      const dataTransfer = new DataTransfer()
      dataTransfer.items.add(new File([${JSON.stringify(proof(account, 6))}], 'entry.tlog-proof'))
      document.body.dispatchEvent(new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true }))
    }`)
    expect((await told())[1]).toBe('Action 2, seq 6 of acct_0123456789ABCDEF.')
  })

  test('sends nothing, loads its own two scripts alone, and runs no other', async () => {
    const own = requested.map((request) => request.replace(gate.api.url, ''))
    expect(new Set(own)).toEqual(
      new Set([
        'GET /console/ledger/check',
        expect.stringMatching(/^GET \/console\/style-\w+\.css$/),
        expect.stringMatching(/^GET \/console\/check-\w+\/page\.mjs$/),
        expect.stringMatching(/^GET \/console\/check-\w+\/verify\.mjs$/),
      ]),
    )
    expect(problems).toEqual([])
    await page.evaluate(`{
      const script = document.createElement('script')
      script.textContent = 'document.title = "run"'
      document.head.append(script)
    }`)
    expect(await page.title()).toContain('Check a file')
    expect(problems.join()).toContain('Content Security Policy')
  })

  test('is linked from the ledger and from an action, and not from the overview', async () => {
    const { client, addMember } = tenant
    await addMember({ name: 'Ada', email: 'ada@example.com', tier: 'write' })
    const { body } = await client.propose({ email: 'ada@example.com' }, 'Lunch')
    const linked = async (path: string) =>
      (await root.open(path)).html.includes('href="/console/ledger/check"')
    expect(await linked('/console/ledger')).toBe(true)
    expect(await linked(`/console/ledger/${body.id}`)).toBe(true)
    expect(await linked('/console')).toBe(false)
  })
})

test('the verifier is served to everybody, as its package has it, under a name that changes with it', async () => {
  const { html } = await root.open('/console/ledger/check')
  const [, path] = /href="([^"]+)" download="verify.mjs"/.exec(html)!
  const answer = await fetch(`${gate.api.url}${path}`)
  expect([answer.status, answer.headers.get('content-type'), answer.headers.get('cache-control')]).toEqual([
    200,
    'text/javascript; charset=utf-8',
    'public, max-age=31536000, immutable',
  ])
  const { readFileSync } = await import('node:fs')
  expect(await answer.text()).toBe(readFileSync('packages/verify/lib/verify.mjs', 'utf8'))
})
