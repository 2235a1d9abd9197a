import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import {
  appendFileSync,
  mkdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { type IncomingMessage, type ServerResponse, createServer } from 'node:http'
import { type AddressInfo, type Socket, connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import { pino } from 'pino'
import { type Gateway, type ServedPreview, startGateway } from '../../src/previews/gateway.ts'
import { newPreviewId, previewOrigin } from '../../src/previews/label.ts'
import { linkTo, signToken } from '../../src/previews/link.ts'
import { limits } from '../../src/limits.ts'
import { cachedBytes } from '../../src/previews/file-cache.ts'
import type { WorkspaceStore } from '../../src/workspaces/store.ts'
import { serveFile } from '../../src/previews/serve-files.ts'
import { safeHeaders } from '../../src/previews/safe-headers.ts'
import { staticDriver } from '../../src/previews/static-driver.ts'
import { type Viewer, openedBy, viewerOf } from '../support/preview.ts'
import { type TestWorkspace, freshWorkspace, secret as outsideSecret } from '../support/workspace-tree.ts'
import { testRows } from '../support/rows.ts'

const large = randomBytes(3 * 2 ** 20 + 17)

let tree: TestWorkspace
let gateway: Gateway
let viewer: Viewer
/** The files that the viewer looks at. */
let viewing: WorkspaceStore
const previews = new Map<string, ServedPreview & { over: AbortController }>()

beforeAll(async () => {
  tree = await freshWorkspace()
  tree.write({
    'index.html': '<h1>Home</h1>',
    'about/index.html': '<h1>About</h1>',
    'Case.txt': 'upper',
    'a b.txt': 'space',
    'ü.txt': 'umlaut',
    '100%.txt': 'percent',
    'app.mjs': 'export {}',
    'style.css': 'h1 {}',
    'data.json': '{}',
    'logo.svg': '<svg/>',
    'font.woff2': 'x',
    'what.strange': 'x',
    'large.bin': large,
    'empty.txt': '',
    '.env': 'KEY=1',
    '.git/config': 'x',
    'node_modules/pkg/index.js': 'of a package',
    '.gitignore': 'dist/',
    'dist/built.js': 'ignored, but built',
  })
  gateway = await startGateway({
    host: '127.0.0.1',
    port: 0,
    urlOf: (port) => `http://localhost:${port}`,
    find: (id) => {
      const found = previews.get(id)
      return found?.over.signal.aborted ? undefined : found
    },
    proxy: undefined,
    log: pino({ level: 'silent' }),
  })
  const shown = await show()
  viewing = (previews.get(shown)!.target as { files: WorkspaceStore }).files
  viewer = await openedBy(linkOf(shown))
}, 30_000)
afterAll(async () => {
  await gateway.stop()
  tree.remove()
})

/** Shows a preview as a host does once its driver found something to show. */
async function show(root?: string): Promise<string> {
  const id = newPreviewId()
  const over = new AbortController()
  const files = tree.open('built')
  const spec = { previewId: id, files, folder: tree.outside, log: pino({ level: 'silent' }) }
  const { target } = await staticDriver.start(spec, over.signal)
  previews.set(id, {
    secret: randomBytes(32),
    target: root === undefined ? target : { kind: 'files', files, root },
    endsAt: new Date(Date.now() + 60_000),
    accessedAt: new Date(0),
    signal: over.signal,
    over,
  })
  return id
}

const linkOf = (id: string, endsAt = new Date(Date.now() + 60_000)) =>
  linkTo(previewOrigin(gateway.url, id), signToken(previews.get(id)!.secret, 'link', id, endsAt))

describe('a link', () => {
  test('becomes a cookie and leaves the address; whatever else stands there stays', async () => {
    const id = await show()
    const link = new URL(linkOf(id))
    const fresh = viewerOf(link.href)
    const opened = await fresh.see(`/about/${link.search}&tab=2`)
    expect(opened).toMatchObject({ status: 303, headers: { location: `${link.origin}/about/?tab=2` } })
    expect(opened.headers['set-cookie']).toEqual([
      expect.stringMatching(/^gate-preview=[\w-]+; Path=\/; HttpOnly; SameSite=Lax$/),
    ])
    expect((await fresh.see('/about/')).text).toBe('<h1>About</h1>')
  })

  test('never redirects to another host, however its address is written', async () => {
    const link = new URL(linkOf(await show()))
    for (const path of ['//evil.example/', '/\\evil.example/', '/%2f/evil.example', '///evil.example']) {
      const { status, headers } = await viewerOf(link.href).see(path + link.search)
      if (status === 303) expect(new URL(headers.location!).origin).toBe(link.origin)
      else expect([path, status]).toEqual([path, 400])
    }
  })

  test('that has expired, is forged, or is of another preview opens nothing', async () => {
    const [id, other] = [await show(), await show()]
    const see = (link: string) => viewerOf(linkOf(id)).see(`/${new URL(link).search}`)
    const expired = await see(linkOf(id, new Date(Date.now() - 1)))
    expect([expired.status, expired.text]).toEqual([403, expect.stringContaining('expired')])
    expect((await see(linkOf(other))).status).toBe(403)
    const forged = signToken(randomBytes(32), 'link', id, new Date(Date.now() + 60_000))
    expect((await see(linkTo('http://x', forged))).status).toBe(403)
    expect((await see('http://x/?pt=')).status).toBe(403)
    for (const answer of [expired]) expect(answer.headers).not.toHaveProperty('set-cookie')
  })

  test('and its cookie are dead as soon as the preview has ended', async () => {
    const id = await show()
    const link = linkOf(id)
    const seeing = await openedBy(link)
    expect((await seeing.see('/')).status).toBe(200)
    previews.get(id)!.over.abort()
    expect((await seeing.see('/')).status).toBe(410)
    expect((await viewerOf(link).see(`/${new URL(link).search}`)).status).toBe(410)
  })
})

describe('without a cookie of this preview', () => {
  test('nothing is shown: none, forged, of another preview, or the link itself as one', async () => {
    const id = await show()
    const stranger = viewerOf(linkOf(id))
    const token = new URL(linkOf(id)).searchParams.get('pt')!
    const expired = signToken(previews.get(id)!.secret, 'cookie', id, new Date(Date.now() - 1))
    for (const cookie of [
      undefined,
      'gate-preview=x',
      viewer.cookie!,
      `gate-preview=${token}`,
      `gate-preview=${expired}`,
    ]) {
      const { status, text: said } = await stranger.see('/', cookie ? { headers: { cookie } } : {})
      expect([cookie, status]).toEqual([cookie, 401])
      expect(said).toContain('preview_status')
    }
  })

  test('nothing is learnt either: a file that is there and one that is not are answered alike', async () => {
    const stranger = viewerOf(viewer.url.href)
    const [there, absent] = [await stranger.see('/index.html'), await stranger.see('/no.html')]
    expect([there.status, there.text]).toEqual([absent.status, absent.text])
  })
})

test('a foreign Host is refused for every caller', async () => {
  const label = viewer.url.host.split('.')[0]
  for (const host of [
    'evil.example',
    '127.0.0.1',
    `localhost:${viewer.url.port}`,
    `${label}.evil.example:${viewer.url.port}`,
    `${label}.localhost`,
    `x.${viewer.url.host}`,
    '',
  ])
    expect([host, (await viewer.see('/', { headers: { host } })).status]).toEqual([host, 421])
  const unknown = { host: `${'0'.repeat(20)}.localhost:${viewer.url.port}` }
  expect((await viewer.see('/', { headers: unknown })).status).toBe(410)
})

describe('files', () => {
  testRows([
    ['/', '<h1>Home</h1>', 'text/html; charset=utf-8'],
    ['/index.html', '<h1>Home</h1>', 'text/html; charset=utf-8'],
    ['/about/', '<h1>About</h1>', 'text/html; charset=utf-8'],
    ['/index.html?v=1', '<h1>Home</h1>', 'text/html; charset=utf-8'],
    ['/app.mjs', 'export {}', 'text/javascript; charset=utf-8'],
    ['/style.css', 'h1 {}', 'text/css; charset=utf-8'],
    ['/data.json', '{}', 'application/json; charset=utf-8'],
    ['/logo.svg', '<svg/>', 'image/svg+xml; charset=utf-8'],
    ['/font.woff2', 'x', 'font/woff2'],
    ['/what.strange', 'x', 'application/octet-stream'],
    ['/a%20b.txt', 'space', 'text/plain; charset=utf-8'],
    ['/%C3%BC.txt', 'umlaut', 'text/plain; charset=utf-8'],
    ['/100%25.txt', 'percent', 'text/plain; charset=utf-8'],
    ['/%69ndex.html', '<h1>Home</h1>', 'text/html; charset=utf-8'],
    ['/empty.txt', '', 'text/plain; charset=utf-8'],
    ['/node_modules/pkg/index.js', 'of a package', 'text/javascript; charset=utf-8'],
    ['/dist/built.js', 'ignored, but built', 'text/javascript; charset=utf-8'],
  ])('a file is shown as what it is', async (path, content, type) => {
    const { status, headers, text: body } = await viewer.see(path)
    expect([status, body, headers['content-type']]).toEqual([200, content, type])
    const head = await viewer.see(path, { method: 'HEAD' })
    expect([head.status, head.headers['content-length'], head.body.length]).toEqual([
      200,
      String(Buffer.byteLength(content)),
      0,
    ])
  })

  testRows([
    '/../index.html',
    '/%2e%2e/index.html',
    '/about/../../index.html',
    '/..%2f..%2foutside/secret.txt',
    '/%2e%2e%2f%2e%2e%2foutside%2fsecret.txt',
    '/..%5c..%5coutside',
    '/..\\..\\outside\\secret.txt',
    '//etc/passwd',
    '/%2fetc/passwd',
    '/./index.html',
    '/about//index.html',
    '/index.html/',
    '/index.html%00',
    '/%00',
    '/index%2ehtml%00.js',
    '/%ff%fe',
    '/%',
    '/%zz',
    '/%c0%ae%c0%ae/index.html',
    '/INDEX.HTML',
    '/case.txt',
    '/ABOUT/',
    '/.env',
    '/.ENV',
    '/%2eenv',
    '/.git/config',
    `/${'a'.repeat(1_100)}`,
    `/${'d/'.repeat(70)}x.txt`,
    '/absent.html',
    '/index.html/more.txt',
  ])('an address that leads to no file shows none, also where a page is asked for', async (path) => {
    for (const headers of [{}, { accept: 'text/html' }] as Record<string, string>[]) {
      const { status, text: body } = await viewer.see(path, { headers })
      // A folder that is not there is, for who asks for a page, one that the application may draw.
      if (headers['accept'] && status === 200) expect([path, body]).toEqual(['/ABOUT/', '<h1>Home</h1>'])
      else expect([path, [400, 404].includes(status)]).toEqual([path, true])
      expect(body).not.toContain(outsideSecret)
    }
  })

  test.each(['http://evil.example/', '*', 'index.html', '?x'])('the target %s is refused', async (target) => {
    const socket = connect(Number(viewer.url.port), '127.0.0.1')
    socket.end(
      `GET ${target} HTTP/1.1\r\nhost: ${viewer.url.host}\r\ncookie: ${viewer.cookie}\r\nconnection: close\r\n\r\n`,
    )
    expect(await text(socket)).toMatch(/^HTTP\/1\.1 400 /)
  })

  test('a folder without its last slash leads to the one with it, and keeps what was asked', async () => {
    expect(await viewer.see('/about?tab=2')).toMatchObject({
      status: 308,
      headers: { location: '/about/?tab=2' },
    })
  })

  test('an address without a file is the application itself for who asks for a page, and absent for who asks for data', async () => {
    const page = { headers: { accept: 'text/html,*/*;q=0.8' } }
    expect(await viewer.see('/orders/17', page)).toMatchObject({ status: 200, text: '<h1>Home</h1>' })
    expect((await viewer.see('/orders/17')).status).toBe(404)
    expect((await viewer.see('/orders/17.js', page)).status).toBe(404)
  })

  test('only GET and HEAD are taken, and no service worker', async () => {
    for (const method of ['POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'TRACE', 'PROPFIND']) {
      const { status, headers } = await viewer.see('/', { method })
      expect([method, status, headers.allow]).toEqual([method, 405, 'GET, HEAD'])
    }
    expect((await viewer.see('/app.mjs', { headers: { 'service-worker': 'script' } })).status).toBe(403)
  })
})

describe('a client that asks to upgrade', () => {
  let socket: Socket
  afterEach(() => void socket.destroy())
  const ask = () => {
    socket = connect({ port: Number(viewer.url.port), host: '127.0.0.1', allowHalfOpen: true })
    socket.on('error', () => {})
    const head = `host: ${viewer.url.host}\r\nconnection: upgrade\r\nupgrade: websocket`
    socket.write(`GET / HTTP/1.1\r\n${head}\r\n\r\n`)
  }

  test('is refused in one answer, with the headers of all', async () => {
    ask()
    const words = await text(socket)
    expect(words).toMatch(/^HTTP\/1\.1 501 Not Implemented\r\n/)
    expect(words).toContain(`\r\ncontent-security-policy: ${safeHeaders['content-security-policy']}\r\n`)
    expect(words).toMatch(/\r\n\r\nPreviews do not support WebSockets\.\n$/)
  })

  test('and keeps its side open holds no connection here', async () => {
    ask()
    await once(socket.resume(), 'end')
    // A write is answered by a reset only where the other side is wholly gone.
    const gone = new Promise((resolve) => socket.once('close', resolve))
    const writing = setInterval(() => socket.write('x'), 20)
    await gone
    clearInterval(writing)
    expect(socket.destroyed).toBe(true)
  })

  test('and breaks off harms nobody', async () => {
    for (let n = 0; n < 50; n++) {
      ask()
      // The request was already taken for what it is.
      await once(socket, 'data')
      socket.resetAndDestroy()
    }
    expect((await viewer.see('/')).status).toBe(200)
  })
})

test('a viewer who left while a file was being read is not waited for', async () => {
  const server = createServer()
  const asked = once(server, 'request') as Promise<[IncomingMessage, ServerResponse]>
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const socket = connect(port, '127.0.0.1')
  socket.write('GET /large.bin HTTP/1.1\r\nhost: x\r\n\r\n')
  const [request, response] = await asked
  const files: WorkspaceStore = {
    ...viewing,
    async readRange(path, range) {
      const left = once(response, 'close')
      socket.destroy()
      await left
      return viewing.readRange(path, range)
    },
  }
  expect(await serveFile(request, response, { files, root: '', url: new URL('http://x/large.bin') })).toBe(
    true,
  )
  expect(response.headersSent && !response.writableEnded).toBe(true)
  server.close()
})

test('a small file that changes is shown as it is now, at every look', async () => {
  const write = (content: string) => writeFileSync(tree.path('changes.txt'), content)
  for (let n = 0; n < 50; n++) {
    // All versions have one length, and some are written within one millisecond.
    write(`version ${String(n).padStart(3, '0')}`)
    expect((await viewer.see('/changes.txt')).text).toBe(`version ${String(n).padStart(3, '0')}`)
    expect((await viewer.see('/changes.txt')).text).toBe(`version ${String(n).padStart(3, '0')}`)
  }
  unlinkSync(tree.path('changes.txt'))
  expect((await viewer.see('/changes.txt')).status).toBe(404)
  symlinkSync(`${tree.outside}/secret.txt`, tree.path('changes.txt'))
  expect((await viewer.see('/changes.txt')).status).toBe(404)
  unlinkSync(tree.path('changes.txt'))
})

test('the memory for small files is bounded, whatever is looked at', async () => {
  const files = Object.fromEntries(
    Array.from({ length: 60 }, (_, n) => [`many/${n}.bin`, randomBytes(limits.previewCachedFileBytesMax)]),
  )
  tree.write(files)
  for (let round = 0; round < 2; round++)
    for (const [path, content] of Object.entries(files))
      expect((await viewer.see(`/${path}`)).body.equals(content)).toBe(true)
  expect(cachedBytes(viewing)).toBeLessThanOrEqual(limits.previewCachedBytesMax)
  expect(cachedBytes(viewing)).toBeGreaterThan(limits.previewCachedBytesMax / 2)
})

test('every answer has the strict headers, refusals too', async () => {
  const stranger = viewerOf(viewer.url.href)
  const answers = [
    await viewer.see('/'),
    await viewer.see('/about'),
    await viewer.see('/no.html'),
    await viewer.see('/', { method: 'POST' }),
    await viewer.see('/', { headers: { host: 'evil.example' } }),
    await viewer.see('/%'),
    await stranger.see('/'),
    await stranger.see('/?pt=x'),
    await stranger.see(linkOf(await show()).replace(/^.*(?=\/\?)/, '')),
  ]
  for (const { headers } of answers) expect(headers).toMatchObject(safeHeaders)
  for (const forbidden of ['server', 'x-powered-by', 'access-control-allow-origin'])
    for (const { headers } of answers) expect(headers).not.toHaveProperty(forbidden)
})

describe('a large file', () => {
  const writeLarge = () => {
    rmSync(tree.path('changing.bin'), { force: true })
    writeFileSync(tree.path('changing.bin'), Buffer.alloc(40 * 2 ** 20, 'a'))
  }

  test('comes whole, in pieces', async () => {
    const { body, headers } = await viewer.see('/large.bin')
    expect(headers['content-length']).toBe(String(large.length))
    expect(body.equals(large)).toBe(true)
  })

  testRows([
    ['is replaced', () => renameSync(tree.path('next.bin'), tree.path('changing.bin'))],
    ['is written to', () => appendFileSync(tree.path('changing.bin'), 'more')],
    ['is cut', () => truncateSync(tree.path('changing.bin'), 1_000)],
    ['is removed', () => unlinkSync(tree.path('changing.bin'))],
    [
      'becomes a link',
      () => {
        unlinkSync(tree.path('changing.bin'))
        symlinkSync(tree.path('next.bin'), tree.path('changing.bin'))
      },
    ],
  ])('that changes while it is sent is cut, never mixed', async (_what, change) => {
    writeLarge()
    writeFileSync(tree.path('next.bin'), Buffer.alloc(40 * 2 ** 20, 'b'))
    const { bytes, isWhole } = await readSlowly('/changing.bin', change)
    expect(isWhole).toBe(false)
    expect(bytes.indexOf('b', bytes.indexOf('\r\n\r\n'))).toBe(-1)
  })

  test('is cut at once when its preview ends', async () => {
    const id = await show()
    const seeing = await openedBy(linkOf(id))
    writeLarge()
    const { isWhole } = await readSlowly('/changing.bin', () => previews.get(id)!.over.abort(), seeing)
    expect(isWhole).toBe(false)
  })
})

test('links that are swapped in while files are served never show what is outside', async () => {
  mkdirSync(tree.path('swap'), { recursive: true })
  writeFileSync(tree.path('swap/secret.txt'), 'inside')
  renameSync(tree.path('swap'), tree.path('kept'))
  const over = new AbortController()
  const swapping = (async () => {
    for (let n = 0; !over.signal.aborted; n++) {
      rmSync(tree.path('swap'), { recursive: true, force: true })
      if (n % 3 === 0) symlinkSync(tree.outside, tree.path('swap'))
      else {
        mkdirSync(tree.path('swap'))
        if (n % 3 === 1) writeFileSync(tree.path('swap/secret.txt'), 'inside')
        else symlinkSync(`${tree.outside}/secret.txt`, tree.path('swap/secret.txt'))
      }
      await new Promise((resolve) => setImmediate(resolve))
    }
  })()
  const said = new Set<string>()
  for (let n = 0; n < 400; n++) {
    const answers = await Promise.all([viewer.see('/swap/secret.txt'), viewer.see('/swap/secret.txt')])
    for (const { status, text: body } of answers) said.add(status === 200 ? body : String(status))
  }
  over.abort()
  await swapping
  expect([...said].sort()).not.toContain(outsideSecret)
  expect([...said].filter((one) => !['inside', '404', ''].includes(one))).toEqual([])
})

/** Reads the beginning of an answer, lets something happen, and reads the rest. */
async function readSlowly(path: string, change: () => void, by = viewer) {
  const socket = connect({ port: Number(by.url.port), host: '127.0.0.1' })
  socket.write(
    `GET ${path} HTTP/1.1\r\nhost: ${by.url.host}\r\ncookie: ${by.cookie}\r\nconnection: close\r\n\r\n`,
  )
  await once(socket, 'readable')
  change()
  const parts: Buffer[] = []
  socket.on('data', (part) => void parts.push(part))
  socket.on('error', () => undefined)
  await once(socket, 'close')
  const bytes = Buffer.concat(parts)
  const length = Number(/content-length: (\d+)/.exec(bytes.toString('latin1', 0, 4_096))![1])
  return { bytes, isWhole: bytes.length >= length }
}
