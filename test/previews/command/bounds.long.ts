import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import { getPriority } from 'node:os'
import { limits } from '../../../src/limits.ts'
import { until } from '../../support/until.ts'
import { type Scene, describeBehindWalls, scene, willing } from './scene.ts'

const mebibyte = 2 ** 20

describeBehindWalls('what a preview may take', () => {
  let there: Scene
  beforeEach(async () => {
    there = await scene()
  })
  afterEach(() => there.end())

  test('a fork bomb makes no more processes than a preview may have, and ends with it', async () => {
    const preview = await there.start({
      'server.js': willing,
      'bomb.sh': `: ${there.marker}\nbomb() { bomb & bomb & wait; }; bomb`,
    })
    await preview.within(
      `require('child_process').spawn('/bin/sh', ['/ws/bomb.sh', '${there.marker}'], { stdio: 'ignore', detached: true }).unref()`,
    )
    let most = 0
    await until('the bomb fills what it may have', async () => {
      most = Math.max(most, there.left().length)
      return most > limits.previewTasksMax / 2
    })
    for (let look = 0; look < 20; look++) most = Math.max(most, there.left().length)
    // The walls themselves carry the marker too.
    expect(most).toBeLessThan(limits.previewTasksMax + 10)
    await preview.stop()
    expect(there.left()).toEqual([])
  }, 90_000)

  test('programs and libraries that a workspace brings do not come before the bounds, whatever its script says', async () => {
    const idle = '#!/bin/sh\nuntil [ "${1##*/}" = node ]; do shift; done\nexec "$@"\n'
    for (const name of ['prlimit', 'nice', 'env']) {
      writeFileSync(there.path(name), idle)
      chmodSync(there.path(name), 0o755)
    }
    const preview = await there.start({
      'server.js': willing,
      'package.json': JSON.stringify({
        scripts: { dev: `PATH=/ws:/usr/bin:/bin LD_PRELOAD=/ws/own.so node server.js ${there.marker}` },
      }),
    })
    const held = await preview.within<string>(
      `return require('fs').readFileSync('/proc/self/limits', 'utf8')`,
    )
    for (const [name, bound] of [
      ['cpu time', 600],
      ['file size', limits.previewFileBytesMax],
      ['core file size', 0],
      ['processes', limits.previewTasksMax],
      ['open files', limits.previewOpenFilesMax],
      ['locked memory', 65_536],
    ]) {
      expect(held).toMatch(new RegExp(`^Max ${name} +${bound} +${bound} `, 'm'))
    }
    // `nice` adds to what this process has, up to the lowest priority there is.
    expect(await preview.within(`return require('os').getPriority()`)).toBe(Math.min(getPriority() + 10, 19))
    // Node alone looked for the library; what the script says does hold for the app, and for what it starts.
    const log = await until('the log is handed on', async () => preview.logTail())
    expect(log.match(/own\.so/g)).toHaveLength(1)
    expect(
      await preview.within(
        `const { stdout } = require('child_process').spawnSync('prlimit', [process.execPath, '-p', '"own"'])
         return [process.env.PATH, process.env.LD_PRELOAD, String(stdout)]`,
      ),
    ).toEqual(['/ws:/usr/bin:/bin', '/ws/own.so', 'own\n'])
  })

  test.each([
    ['by one process', `const all = []; setInterval(() => all.push(Buffer.alloc(8e6, 1)), 1)`],
    [
      'by many processes that each stay below',
      `const hold = 'const b = Buffer.alloc(60e6, 1); setInterval(() => b[0], 1e6)'
       for (let n = 0; n < 12; n++) require('child_process').spawn(process.execPath, ['-e', hold], { stdio: 'ignore' })`,
    ],
    [
      'by a program that is not Node',
      `const cp = require('child_process')
       cp.spawn('perl', ['-e', 'my @all; while (1) { push @all, "x" x 8000000 }'], { stdio: 'ignore' })`,
    ],
  ])('memory taken %s ends the preview as out_of_memory', async (_, code) => {
    const preview = await there.start({ 'server.js': willing }, { memoryMiB: 384 })
    await preview.within(code)
    expect(await preview.ended).toEqual({ error: 'out_of_memory', exitCode: null })
    expect(there.left()).toEqual([])
  })

  test('files in memory count as memory', async () => {
    // Less than what is written, whatever the app takes beside it.
    const preview = await there.start({ 'server.js': willing }, { memoryMiB: 192 })
    await preview
      .within(
        `for (let n = 0; n < 24; n++) { require('fs').writeFileSync('/tmp/f' + n, Buffer.alloc(10e6, 1)); await new Promise((r) => setTimeout(r, 20)) }`,
      )
      .catch(() => {})
    expect(await preview.ended).toEqual({ error: 'out_of_memory', exitCode: null })
  })

  test('a full disk is an error for the app alone, and no file grows beyond its bound', async () => {
    const preview = await there.start({ 'server.js': willing }, { memoryMiB: 2_048 })
    const filled = await preview.within<{ bytes: number; code: string }>(
      `const fs = require('fs'); let bytes = 0
       for (let n = 0; ; n++) {
         try { fs.writeFileSync((n % 2 ? '/tmp/f' : '/dev/shm/f') + n, Buffer.alloc(20e6)); bytes += 20e6 } catch (e) { return { bytes, code: e.code } }
       }`,
    )
    expect(filled.code).toBe('ENOSPC')
    expect(filled.bytes).toBeLessThanOrEqual(limits.previewScratchBytesMax)
    const grown = await preview.within<{ size: number }>(
      `const fs = require('fs')
       for (const name of fs.readdirSync('/tmp')) fs.rmSync('/tmp/' + name, { recursive: true })
       for (const name of fs.readdirSync('/dev/shm')) fs.rmSync('/dev/shm/' + name)
       const fd = fs.openSync('/tmp/one', 'w')
       try { for (;;) fs.writeSync(fd, Buffer.alloc(1e6)) } catch {}
       return { size: fs.fstatSync(fd).size }`,
    )
    expect(grown.size).toBe(limits.previewFileBytesMax)
    expect((await preview.get('/')).body).toBe('hello')
  })

  test('empty files without end count too', async () => {
    const preview = await there.start({ 'server.js': willing }, { memoryMiB: 192 })
    await preview
      .within(
        `for (let n = 0; ; n++) { require('fs').writeFileSync('/tmp/' + n, ''); if (n % 1000 === 0) await new Promise((r) => setTimeout(r)) }`,
      )
      .catch(() => {})
    expect(await preview.ended).toEqual({ error: 'out_of_memory', exitCode: null })
  })

  test('an app that prints without end goes on answering, fills no memory, and its last words are kept', async () => {
    const preview = await there.start({
      'server.js': willing,
      'print.js': `const part = 'täglich grüßt das Murmeltier\\n'.repeat(4000)
        const print = () => { process.stdout.write(part, print) }
        print()`,
    })
    const before = process.memoryUsage().rss
    await preview.within(
      `require('child_process').spawn(process.execPath, ['/ws/print.js'], { stdio: ['ignore', 'inherit', 'inherit'] })`,
    )
    await until('the log is full', async () => Buffer.byteLength(preview.logTail()) > 60_000)
    const printed = await until('much was printed', async () => {
      expect((await preview.get('/')).body).toBe('hello')
      const bytes = await preview.within<number>(
        `const fs = require('fs')
         const pids = fs.readdirSync('/proc').filter((n) => /^\\d+$/.test(n))
         const pid = pids.find((n) => fs.readFileSync('/proc/' + n + '/cmdline', 'utf8').includes('print.js'))
         return Number(/wchar: (\\d+)/.exec(fs.readFileSync('/proc/' + pid + '/io', 'utf8'))[1])`,
      )
      return bytes > 200 * mebibyte && bytes
    })
    expect(printed).toBeGreaterThan(200 * mebibyte)
    const log = preview.logTail()
    expect(Buffer.byteLength(log)).toBeLessThanOrEqual(limits.previewLogBytesMax)
    expect(log).toMatch(/täglich grüßt das Murmeltier\n/)
    expect(process.memoryUsage().rss - before).toBeLessThan(150 * mebibyte)
  })

  test('a process that computes without end is ended by its processor time, and gives way to this service', async () => {
    const preview = await there.start({ 'server.js': willing }, { cpuSeconds: 2 })
    const [wall] = there.left()
    expect(wall).toBeDefined()
    const nice = await preview.within<string>(
      `return require('fs').readFileSync('/proc/self/stat', 'utf8').split(' ')[18]`,
    )
    expect(Number(nice)).toBe(Math.min(getPriority() + 10, 19))
    const score = await preview.within<string>(
      `return require('fs').readFileSync('/proc/self/oom_score_adj', 'utf8').trim()`,
    )
    expect(score).toBe('1000')
    await expect(preview.within('for (;;);')).rejects.toThrow(/socket hang up|ECONNRESET/)
    expect(await preview.ended).toEqual({ error: 'exited', exitCode: null })
  })

  test('more connections than a preview may have are closed, and the next ones answered', async () => {
    const preview = await there.start({
      'server.js': `const all = []
        require('http').createServer((q, s) => q.url === '/' ? s.end(String(all.length)) : q.url === '/free' ? (all.map((r) => r.end('freed')), s.end()) : all.push(s)).listen(process.env.PORT, process.env.HOST)`,
    })
    const held = Array.from({ length: limits.previewConnectionsMax + 20 }, () =>
      preview.get('/hold').catch(() => 'closed'),
    )
    await until(
      'all it may have are taken',
      async () => (await Promise.race([...held, Promise.resolve(undefined)])) === 'closed',
    )
    const closed = (
      await Promise.all(held.map((one) => Promise.race([one, Promise.resolve('held')])))
    ).filter((one) => one === 'closed')
    expect(closed.length).toBeGreaterThanOrEqual(20)
    await preview.stop()
    expect(readFileSync('/proc/self/stat', 'utf8')).toContain(String(process.pid))
  })
})
