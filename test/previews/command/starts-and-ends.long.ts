import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { type ChildProcess, type StdioOptions, execFile, spawn } from 'node:child_process'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { existsSync, openSync, readdirSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { limits } from '../../../src/limits.ts'
import { commandDriver } from '../../../src/previews/command/driver.ts'
import { PreviewFailure } from '../../../src/previews/driver.ts'
import { projectRoot } from '../../../src/process/root.ts'
import { commandOf } from '../../../src/process/system-process.ts'
import { until } from '../../support/until.ts'
import { type Scene, describeBehindWalls, scene, willing } from './scene.ts'

test('is not to be had where the service keeps its files among the programs that previews read', async () => {
  const keeping = (folder: string) =>
    commandDriver({ memoryMiB: 512, cpuSeconds: 600, keptFrom: [folder] }).probe()
  for (const folder of ['/usr/src/app/.data', '/usr', '/lib/x'])
    expect(await keeping(folder)).toEqual({ isAvailable: false, reason: expect.stringContaining(folder) })
})

async function failureOf(attempt: Promise<unknown>): Promise<PreviewFailure> {
  const outcome = await attempt.catch((error: unknown) => error)
  if (outcome instanceof PreviewFailure) return outcome
  throw outcome instanceof Error ? outcome : new Error('It started.')
}

describeBehindWalls('how a preview starts and ends', () => {
  let there: Scene
  beforeEach(async () => {
    there = await scene()
  })
  afterEach(() => there.end())

  test('an app that is not ready at once is waited for, and so is one that fails at first', async () => {
    const preview = await there.start({
      'server.js': `let asked = 0
        setTimeout(() => require('http').createServer((q, s) => { s.statusCode = asked++ < 2 ? 503 : 404; s.end('here') })
          .listen(process.env.PORT, 'localhost'), 600)`,
    })
    expect(await preview.get('/')).toEqual({ status: 404, body: 'here' })
  })

  test.each([
    ['127.0.0.1', `'127.0.0.1'`],
    ['localhost', `'localhost'`],
    ['every address', `undefined`],
    ['its IPv6 loopback alone', `'::1'`],
  ])('an app that listens on %s is reached', async (_, host) => {
    const server = `require('http').createServer((q, s) => s.end('here')).listen(3000, ${host})`
    const preview = await there.start({ 'server.js': server })
    expect((await preview.get('/')).body).toBe('here')
  })

  test('an app that exits before it answered fails with its code and its last words', async () => {
    const failure = await failureOf(
      there.start({ 'server.js': `console.error('no such thing: ü'); process.exit(3)` }),
    )
    expect(failure).toMatchObject({ code: 'exited', exitCode: 3, logTail: 'no such thing: ü\n' })
    expect(readdirSync(there.folder)).toEqual([])
  })

  test('an app that a signal ends before it answered has no exit code', async () => {
    const failure = await failureOf(there.start({ 'server.js': `process.kill(process.pid, 'SIGKILL')` }))
    expect(failure).toMatchObject({ code: 'exited', exitCode: null })
  })

  test.each([
    ['never listens', 'setInterval(() => {}, 1000); console.log("waiting")'],
    ['listens elsewhere', `require('http').createServer().listen(8080); console.log("waiting")`],
    ['never answers', `require('net').createServer(() => {}).listen(3000); console.log("waiting")`],
    [
      'answers no HTTP',
      `require('net').createServer((s) => s.end('garbage')).listen(3000); console.log("waiting")`,
    ],
    [
      'closes at once',
      `require('net').createServer((s) => s.destroy()).listen(3000); console.log("waiting")`,
    ],
  ])('an app that %s is given up when its time is over, and nothing is left', async (_, server) => {
    const over = new AbortController()
    const isSeen = "process.title = process.argv[2] + ' waits'"
    const failure = failureOf(there.start({ 'server.js': `${server}; ${isSeen}` }, { signal: over.signal }))
    const waits = async () => there.left().some((pid) => commandOf(pid).endsWith(' waits'))
    await Promise.race([failure, until('the app waits', waits)])
    // Long enough to be asked for an answer a few times.
    await sleep(1_000)
    over.abort()
    expect(await failure).toMatchObject({ code: 'boot_timeout', logTail: 'waiting\n' })
    expect(there.left()).toEqual([])
    expect(readdirSync(there.folder)).toEqual([])
  })

  test.each([0, 1, 10, 30, 60, 100, 200, 400])(
    'a start that is given up after %i ms leaves nothing',
    async (ms) => {
      const attempt = there.start(
        { 'server.js': 'setInterval(() => {}, 1000)' },
        { signal: AbortSignal.timeout(ms) },
      )
      expect((await failureOf(attempt)).code).toBe('boot_timeout')
      expect(there.left()).toEqual([])
      expect(readdirSync(there.folder)).toEqual([])
    },
  )

  test('what cannot run says why before anything was started', async () => {
    const start = (scripts: object, dependencies = {}) =>
      failureOf(there.start({ 'package.json': JSON.stringify({ scripts, dependencies }) }))
    expect((await start({})).code).toBe('no_command')
    expect((await start({ dev: 'vite' }, { vite: '7' })).code).toBe('dependencies_missing')
    expect(readdirSync(there.folder)).toEqual([])
  })

  test('what has nothing to run is not copied: that it is too large to be hinders no other way to show it', async () => {
    writeFileSync(there.path('film'), '')
    truncateSync(there.path('film'), limits.copyBytesMax + 1)
    const codeOf = async (files: Record<string, string>) => (await failureOf(there.start(files))).code
    expect(await codeOf({ 'index.html': '', 'package.json': '{}' })).toBe('no_command')
    expect(await codeOf({ 'package.json': '{"dependencies":{"vite":"7"}}' })).toBe('dependencies_missing')
    expect(await codeOf({ 'server.js': willing })).toBe('too_large')
    expect(readdirSync(there.folder)).toEqual([])
  })

  test('what runs is what was copied, whatever is written to the workspace meanwhile', async () => {
    const afterCopy = () => there.write({ 'package.json': '{"scripts":{"dev":"node later.js"}}' })
    const preview = await there.start({ 'server.js': willing }, { afterCopy })
    expect((await preview.get('/')).body).toBe('hello')
  })

  test('where no process can be made, a start fails as others do and leaves nothing', async () => {
    const program = join(projectRoot, 'test', 'previews', 'command', 'starved.ts')
    const starved = ['--nofile=256', '--', process.execPath, '--import', hooks, program]
    const { stdout } = await promisify(execFile)('prlimit', starved)
    expect(JSON.parse(stdout)).toEqual({
      probed: { isAvailable: false, reason: expect.stringMatching(/^spawn \w+ EMFILE$/) },
      started: expect.stringMatching(/^spawn \w+ EMFILE$/),
      left: [],
    })
  })

  test('where the folder of its socket cannot be opened, no process is started', async () => {
    let processes = 0
    const count = () => void processes++
    subscribe('child_process', count)
    const afterCopy = () => rmSync(join(there.folder, 'door'), { recursive: true })
    await expect(there.start({ 'server.js': willing }, { afterCopy })).rejects.toThrow('ENOENT')
    unsubscribe('child_process', count)
    expect(processes).toBe(0)
    expect(readdirSync(there.folder)).toEqual([])
  })

  test('an app that ends later is told, with its code', async () => {
    const preview = await there.start({ 'server.js': willing })
    await expect(preview.within('console.log("bye"); process.exit(7)')).rejects.toThrow(
      /socket hang up|ECONNRESET/,
    )
    expect(await preview.ended).toEqual({ error: 'exited', exitCode: 7 })
    expect(preview.logTail()).toBe('bye\n')
    await preview.stop()
  })

  test('a stop ends an app that ignores every signal, in the middle of an answer, and is not told as its end', async () => {
    const preview = await there.start({
      'server.js': `for (const s of ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT']) process.on(s, () => {})
        require('http').createServer((q, s) => q.url === '/' ? s.end('x') : s.write('half of ')).listen(3000)`,
    })
    let onPart: (part: string) => void
    const part = new Promise<string>((resolve) => (onPart = resolve))
    const half = preview.get('/half', { onPart: onPart! })
    expect(await part).toBe('half of ')
    const [, ...stops] = await Promise.all([
      expect(half).rejects.toThrow(/^aborted$/),
      preview.stop(),
      preview.stop(),
    ])
    expect(stops).toEqual([undefined, undefined])
    await preview.stop()
    expect(there.left()).toEqual([])
    expect(existsSync(preview.socketPath)).toBe(false)
    expect(await Promise.race([preview.ended, Promise.resolve('pending')])).toBe('pending')
  })

  test('processes that leave their session and their parent end with the preview', async () => {
    const preview = await there.start({ 'server.js': willing })
    await preview.within(
      `require('child_process').execFileSync('/bin/sh', ['-c', '(setsid sh -c "trap \\"\\" TERM HUP; sleep 1000 & sleep 1000; : ${there.marker}" >/dev/null 2>&1 &) &'])`,
    )
    const before = await until('the daemon runs', async () => there.left().length > 0 && there.left())
    expect(before.length).toBeGreaterThan(0)
    await preview.stop()
    expect(there.left()).toEqual([])
  })

  test('daemons end with their app too', async () => {
    const preview = await there.start({ 'server.js': willing })
    await preview.within(
      `require('child_process').spawn('/usr/bin/setsid', ['sh', '-c', 'sleep 1000; : ${there.marker}'], { detached: true, stdio: 'ignore' }).unref()`,
    )
    await preview.within('process.exit(0)').catch(() => {})
    expect(await preview.ended).toEqual({ error: 'exited', exitCode: 0 })
    expect(there.left()).toEqual([])
  })

  test('links of a workspace lead nowhere: they are not in the copy', async () => {
    writeFileSync(there.path('server.js'), willing)
    symlinkSync('/etc/passwd', there.path('link'))
    symlinkSync('/', there.path('root'))
    const preview = await there.start({ 'server.js': willing })
    expect(await preview.within(`return require('fs').readdirSync('/ws').sort()`)).toEqual([
      'package.json',
      'server.js',
    ])
  })

  test('a folder with a very long path is no hindrance', async () => {
    const long = await scene({ folderName: join('p'.repeat(100), 'q'.repeat(60)) })
    const preview = await long.start({ 'server.js': willing })
    expect((await preview.get('/')).body).toBe('hello')
    await long.end()
  })

  test('two previews of one machine do not meet', async () => {
    const other = await scene()
    const first = await there.start({ 'server.js': willing })
    const second = await other.start({ 'server.js': willing.replace('hello', 'other') })
    expect((await first.get('/')).body).toBe('hello')
    expect((await second.get('/')).body).toBe('other')
    await first.within(`require('fs').writeFileSync('/tmp/mine', '')`)
    expect(await second.within(`return require('fs').readdirSync('/tmp')`)).toEqual(['home'])
    expect(
      await second.within(`try { process.kill(-1, 'SIGTERM') } catch {} return 1`).catch(() => 0),
    ).toBeDefined()
    expect((await first.get('/')).body).toBe('hello')
    await first.stop()
    await other.end()
  })

  test('when this service is killed, nothing of its previews survives, and nothing it was started with reached them', async () => {
    writeFileSync(there.path('server.js'), willing)
    writeFileSync(
      there.path('package.json'),
      JSON.stringify({ scripts: { start: `node server.js ${there.marker}` } }),
    )
    const service = startService(there)
    await until('the preview runs', () => said(service, 'running'), 25_000)
    const held = there.left().flatMap((pid) => readdirSync(`/proc/${pid}/fd`))
    expect(held.length).toBeGreaterThan(0)
    // Descriptors that the service itself was started with do not reach the app.
    expect(held).not.toContain(String(strangeDescriptor))
    const gone = new Promise((resolve) => service.once('close', resolve))
    service.kill('SIGKILL')
    await gone
    await until('nothing is left', async () => there.left().length === 0)
    rmSync(there.folder, { recursive: true })
  })
})

const strangeDescriptor = 60
const hooks = join(projectRoot, 'test', 'support', 'run-ts.js')

/** A process of its own that starts a preview and waits. */
function startService(there: Scene): ChildProcess & { words?: string } {
  const program = join(projectRoot, 'test', 'previews', 'command', 'one-preview.ts')
  const stdio: StdioOptions = ['ignore', 'pipe', 'inherit']
  stdio[strangeDescriptor] = openSync(program, 'r')
  const service: ChildProcess & { words?: string } = spawn(
    process.execPath,
    ['--import', hooks, program, there.path('.'), there.folder],
    { stdio },
  )
  service.stdout?.on('data', (part: Buffer) => (service.words = (service.words ?? '') + String(part)))
  return service
}

async function said(service: ChildProcess & { words?: string }, word: string): Promise<boolean> {
  if (service.exitCode !== null) throw new Error(`It ended with ${service.exitCode}.`)
  return service.words?.includes(word) ?? false
}
