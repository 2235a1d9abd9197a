import { createServer } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { launchBrowser } from '../support/browser.ts'
import { type TestGate, startGate } from '../support/gate.ts'
import { type PreviewScene, previewScene } from '../support/preview.ts'

let gate: TestGate
let browser: Browser
beforeAll(async () => {
  ;[gate, browser] = await Promise.all([startGate(), launchBrowser()])
}, 60_000)
afterAll(async () => {
  await browser?.close()
  await gate?.stop()
})

/** Whatever a page can do to reach an origin without its viewer's hand, each way by itself. */
const attack = (origin: string) => `
  const api = ${JSON.stringify(origin)}
  const quietly = (name, attempt) => Promise.resolve().then(attempt).catch(() => undefined)
  const element = (tag, attributes) => document.body.append(Object.assign(document.createElement(tag), attributes))
  await quietly('fetch', () => fetch(api + '/fetch', { credentials: 'include' }))
  await quietly('blind', () => fetch(api + '/blind', { method: 'POST', mode: 'no-cors', credentials: 'include', body: 'x' }))
  await quietly('beacon', () => navigator.sendBeacon(api + '/beacon', 'x'))
  await quietly('xhr', () => new Promise((done) => {
    const request = new XMLHttpRequest()
    request.onloadend = done
    request.open('POST', api + '/xhr')
    request.withCredentials = true
    request.send('x')
  }))
  for (const [tag, attributes] of [
    ['img', { src: api + '/img' }], ['script', { src: api + '/script' }], ['iframe', { src: api + '/frame' }],
    ['link', { rel: 'stylesheet', href: api + '/style' }], ['link', { rel: 'prefetch', href: api + '/prefetch' }],
    ['link', { rel: 'preload', as: 'image', href: api + '/preload' }], ['video', { src: api + '/video' }],
    ['object', { data: api + '/object' }], ['embed', { src: api + '/embed' }],
  ]) quietly(tag, () => element(tag, attributes))
  quietly('events', () => new EventSource(api + '/events', { withCredentials: true }))
  quietly('socket', () => new WebSocket(api.replace('http', 'ws') + '/socket'))
  quietly('worker', () => new Worker(URL.createObjectURL(new Blob(['fetch("' + api + '/worker", { credentials: "include" })'], { type: 'text/javascript' }))))
  quietly('import', () => import(api + '/module.js'))
  element('iframe', { name: 'target' })
  const form = Object.assign(document.createElement('form'), { method: 'post', action: api + '/form', target: 'target' })
  document.body.append(form)
  form.submit()
  const registered = await (navigator.serviceWorker?.register('/sw.js').then(() => 'registered', () => 'refused') ?? 'none')
  await new Promise((done) => setTimeout(done, 1_000))
  document.title = 'attacked, service worker ' + registered`

const page = (script: string) =>
  `<!doctype html><title>Site</title><h1>Built</h1><script type="module">${script}</script>`

async function opened(context: BrowserContext, url: string): Promise<Page> {
  const tab = await context.newPage()
  const answer = await tab.goto(url)
  expect(answer!.status()).toBe(200)
  return tab
}

test("a page that tries every way to call the API with its viewer's cookies reaches nothing", async () => {
  const asked: string[] = []
  const api = createServer((request, response) => {
    asked.push(`${request.method} ${request.url} ${request.headers.cookie ?? ''}`)
    response.setHeader('access-control-allow-origin', request.headers.origin ?? '*')
    response.setHeader('access-control-allow-credentials', 'true')
    response.setHeader('content-type', 'text/html')
    // Else the browser asks for an icon by itself, whenever it likes.
    response.end('<link rel="icon" href="data:,">')
  })
  api.listen(0, '127.0.0.1')
  await once(api, 'listening')
  const { port } = api.address() as AddressInfo
  const context = await browser.newContext()
  for (const origin of [`http://127.0.0.1:${port}`, `http://localhost:${port}`]) {
    await context.addCookies([{ name: 'session', value: 'of-the-viewer', url: origin }])
    // The cookie is there to be taken: the API's own pages get it.
    const own = await context.newPage()
    await own.goto(`${origin}/own`)
    expect(asked.splice(0)[0]).toBe('GET /own session=of-the-viewer')
    await own.close()
    asked.length = 0

    const scene = await previewScene(gate, { 'index.html': page(attack(origin)), 'sw.js': 'self.x = 1' })
    const { url, preview_id } = await scene.start()
    const tab = await opened(context, url)
    await tab.waitForFunction(`document.title.startsWith('attacked')`)
    expect(await tab.title()).toBe('attacked, service worker refused')
    expect(asked).toEqual([])
    await tab.close()
    await scene.stop(preview_id)
  }
  await context.close()
  api.closeAllConnections()
  api.close()
}, 60_000)

test('a page sees its own files and scripts, and not the cookie that opened it; its link is gone from the address', async () => {
  const scene = await previewScene(gate, {
    'index.html': `${page('')}<link rel="stylesheet" href="site.css"><script src="app.js"></script>`,
    'site.css': 'h1 { color: rgb(1, 2, 3) }',
    'app.js': `document.title = document.cookie + '|' + (1 + eval('1'))`,
  })
  const { url, preview_id } = await scene.start()
  const context = await browser.newContext()
  const said: string[] = []
  const tab = await context.newPage()
  tab.on('console', (message) => said.push(message.text()))
  tab.on('pageerror', (error) => said.push(error.message))
  await tab.goto(url)
  await tab.waitForFunction(`document.title.includes('|')`)
  expect(await tab.title()).toBe('|2')
  expect(new URL(tab.url()).search).toBe('')
  expect(await tab.evaluate(`getComputedStyle(document.querySelector('h1')).color`)).toBe('rgb(1, 2, 3)')
  const cookies = await context.cookies()
  expect(cookies).toMatchObject([
    { name: 'gate-preview', httpOnly: true, sameSite: 'Lax', domain: new URL(url).hostname },
  ])
  // The browser knows all of the policy.
  expect(said.filter((line) => !line.includes('favicon') && !line.includes('404'))).toEqual([])
  await scene.stop(preview_id)
  expect((await tab.reload())!.status()).toBe(410)
  await context.close()
}, 60_000)

test('pages of two previews share nothing: no storage, no cookie, no answer', async () => {
  const scenes: PreviewScene[] = [await previewScene(gate), await previewScene(gate)]
  const [one, two] = await Promise.all(scenes.map((scene) => scene.start()))
  const context = await browser.newContext()
  const [tab, other] = [await opened(context, one.url), await opened(context, two.url)]
  await tab.evaluate(`
    localStorage.setItem('secret', 'of one')
    document.cookie = 'secret=of-one; Domain=localhost; Path=/'`)
  expect(await other.evaluate(`[localStorage.getItem('secret'), document.cookie]`)).toEqual([null, ''])
  const there = JSON.stringify(new URL(two.url).origin)
  const read = await tab.evaluate(
    `fetch(${there}, { credentials: 'include' }).then((answer) => answer.text(), () => 'refused')`,
  )
  expect(read).toBe('refused')
  await context.close()
  await Promise.all([scenes[0]!.stop(one.preview_id), scenes[1]!.stop(two.preview_id)])
}, 60_000)

test('without the link a browser is shown no page, but how to get one', async () => {
  const scene = await previewScene(gate)
  const { url, preview_id } = await scene.start()
  const context = await browser.newContext()
  const tab = await context.newPage()
  const answer = await tab.goto(new URL(url).origin)
  expect([answer!.status(), await tab.textContent('body')]).toEqual([
    401,
    expect.stringContaining('Get a new link from preview_status.'),
  ])
  await context.close()
  await scene.stop(preview_id)
}, 60_000)
