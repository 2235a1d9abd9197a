import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer as createHttpServer } from 'node:http'
import { type AddressInfo, type Server, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Preview, type Scene, describeBehindWalls, scene, willing } from './scene.ts'
import { testRows } from '../../support/rows.ts'

describeBehindWalls('behind the walls', () => {
  let there: Scene
  let preview: Preview
  beforeAll(async () => {
    there = await scene()
    preview = await there.start({ 'server.js': willing, 'page.txt': 'page', '.env': 'SECRET=1' })
  })
  afterAll(() => there.end())

  test('the app answers by the socket of its preview', async () => {
    expect(await preview.get('/')).toEqual({ status: 200, body: 'hello' })
    expect(preview.target).toMatchObject({ kind: 'unix', host: '127.0.0.1:3000' })
  })

  test('the app sees its copy of the workspace without secrets, and nothing else of this machine', async () => {
    const root = await preview.within<string[]>(`return require('fs').readdirSync('/').sort()`)
    const expected = ['bin', 'dev', 'etc', 'lib', 'lib64', 'proc', 'sbin', 'tmp', 'usr', 'ws']
    expect(root.filter((name) => !/^lib|^s?bin$/.test(name))).toEqual(
      expected.filter((name) => !/^lib|^s?bin$/.test(name)),
    )
    expect(await preview.within(`return require('fs').readdirSync('/ws').sort()`)).toEqual([
      'package.json',
      'page.txt',
      'server.js',
    ])
    expect(await preview.within(`return require('fs').readdirSync('/etc').sort()`)).toEqual([
      'group',
      'hosts',
      'passwd',
    ])
    for (const path of [
      '/etc/shadow',
      '/root',
      '/home',
      '/var',
      '/sys',
      '/inside',
      '/door',
      '/scratch',
      __dir,
    ]) {
      expect(await preview.within(`return require('fs').readFileSync(${JSON.stringify(path)})`)).toEqual({
        error: 'ENOENT',
      })
    }
  })

  test('nothing of the environment of this service reaches the app', async () => {
    process.env['GATE_TEST_SECRET'] = 'a secret of the service'
    const environment = await preview.within<Record<string, string>>('return process.env')
    const names = 'BROWSER HOME HOST LANG NODE_ENV NO_COLOR PATH PORT PWD TMPDIR'.split(' ')
    expect(
      Object.keys(environment)
        .filter((name) => !name.endsWith('_TELEMETRY_DISABLED'))
        .sort(),
    ).toEqual(names)
    const all = await preview.within<string>(
      `const fs = require('fs')
       return fs.readdirSync('/proc').filter((n) => /^\\d+$/.test(n))
         .map((n) => { try { return fs.readFileSync('/proc/' + n + '/environ', 'latin1') } catch { return '' } }).join()`,
    )
    expect(all).not.toMatch(/secret|DATABASE|TEST_RUN|GATE/i)
    delete process.env['GATE_TEST_SECRET']
  })

  test('the app sees only its own processes, and holds no descriptor that leads out', async () => {
    const commands = await preview.within<string[]>(
      `const fs = require('fs')
       return fs.readdirSync('/proc').filter((n) => /^\\d+$/.test(n)).map((n) => fs.readFileSync('/proc/' + n + '/cmdline', 'latin1'))`,
    )
    expect(commands.filter((command) => command.includes('bridge'))).toEqual([])
    expect(commands).toHaveLength(2)
    expect(
      await preview.within(
        `return require('child_process').execFileSync('/bin/sh', ['-c', 'ls /proc/$$/fd'], { encoding: 'utf8' }).trim().split('\\n')`,
      ),
    ).toEqual(['0', '1', '2'])
    expect(await preview.within('return process.connected === undefined && !process.send')).toBe(true)
  })

  /** What the app gets who opens a path: the code of the error, or `ok`. */
  const opened = (path: string, how: 'r' | 'r+') =>
    preview.within<string>(
      `const fs = require('fs')
       try {
         const file = fs.openSync('${path}', '${how}')
         try { '${how}' === 'r' ? fs.readSync(file, Buffer.alloc(1)) : fs.writeSync(file, 'x') } finally { fs.closeSync(file) }
         return 'ok'
       } catch (error) { return error.code }`,
    )

  const isRefused = /^(EACCES|EPERM|ENOENT)$/
  const isReadOnly = /^(EACCES|EPERM|EROFS)$/

  // A path that another kernel has is refused; one that this kernel lacks is not found.
  test.each(['/proc/kcore', '/proc/sysrq-trigger'])('%s can neither be read nor be written', async (path) => {
    expect(await opened(path, 'r')).toMatch(isRefused)
    expect(await opened(path, 'r+')).toMatch(isRefused)
  })

  test.each(['/proc/1/root/etc/shadow', '/proc/self/root/../../etc/shadow'])(
    '%s leads to no file: the root of every process is that of the app',
    async (path) => {
      expect([await opened(path, 'r'), await opened(path, 'r+')]).toEqual(['ENOENT', 'ENOENT'])
      const [root, own] = await preview.within<string[][]>(
        `return ['/proc/1/root', '/'].map((path) => require('fs').readdirSync(path).sort())`,
      )
      expect(root).toEqual(own)
    },
  )

  test('of the first process, which is of the app’s own walls, nothing can be written', async () => {
    for (const path of ['/proc/1/environ', '/proc/1/root/etc/passwd', '/proc/1/cwd/package.json'])
      expect([path, await opened(path, 'r+')]).toEqual([path, expect.stringMatching(isReadOnly)])
    // At address 0, where nothing is.
    const memory = [await opened('/proc/1/mem', 'r'), await opened('/proc/1/mem', 'r+')]
    for (const code of memory) expect(code).toMatch(/^(EIO|EACCES|EPERM)$/)
  })

  test.each(['/proc/sys/kernel/core_pattern', '/proc/sys/vm/overcommit_memory'])(
    '%s can be read, and not be written',
    async (path) => {
      expect(await opened(path, 'r')).toBe('ok')
      expect(await opened(path, 'r+')).toMatch(isReadOnly)
    },
  )

  test('/proc/sys/kernel/modprobe, where this kernel has it, cannot be written', async () => {
    const isThere = existsSync('/proc/sys/kernel/modprobe')
    expect(await opened('/proc/sys/kernel/modprobe', 'r')).toBe(isThere ? 'ok' : 'ENOENT')
    expect(await opened('/proc/sys/kernel/modprobe', 'r+')).toMatch(isThere ? isReadOnly : /^ENOENT$/)
  })

  test('nothing can be written but temporary files', async () => {
    const write = (path: string) => preview.within(`require('fs').writeFileSync('${path}', 'x')`)
    for (const path of ['/ws/page.txt', '/ws/new', '/new', '/dev/new', '/etc/hosts', '/usr/new']) {
      expect(await write(path)).toEqual({ error: expect.stringMatching(/EROFS|EACCES/) })
    }
    for (const path of ['/tmp/new', '/tmp/home/new', '/dev/shm/new']) expect(await write(path)).toBeNull()
    expect(readFileSync(there.path('page.txt'), 'utf8')).toBe('page')
  })

  test('there is no network: no host, no name, no server of this machine', async () => {
    const reached: string[] = []
    const server = createHttpServer((_, answer) => answer.end(String(reached.push('tcp'))))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    const fetched = (url: string) =>
      preview.within<{ cause: string }>(
        `return await fetch('${url}', { signal: AbortSignal.timeout(3000) }).then(() => 'reached', (e) => ({ cause: e.cause?.code }))`,
      )
    expect(await fetched(`http://127.0.0.1:${port}/`)).toEqual({ cause: 'ECONNREFUSED' })
    for (const host of ['1.1.1.1', '169.254.169.254', '10.0.0.1', '[2606:4700:4700::1111]']) {
      expect(await fetched(`http://${host}/`)).toEqual({ cause: 'ENETUNREACH' })
    }
    expect(await fetched('http://example.com/')).toEqual({ cause: 'EAI_AGAIN' })
    expect(
      await preview.within(
        `const socket = require('dgram').createSocket('udp4')
         return await new Promise((resolve) => socket.send('x', 53, '8.8.8.8', (e) => { resolve(e && e.code); socket.close() }))`,
      ),
    ).toBe('ENETUNREACH')
    expect(await preview.within(`return Object.keys(require('os').networkInterfaces())`)).toEqual(['lo'])
    expect(reached).toEqual([])
    server.close()
  })

  test('no unix socket of this machine is reached, by its path, by a link to it or by an abstract name', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'gate-socket-'))
    const path = join(folder, '.s.PGSQL.5432')
    const abstract = `\0gate-test-${there.marker}`
    const servers: Server[] = []
    for (const address of [path, abstract]) {
      const server = createServer((socket) => socket.end('reached'))
      await new Promise<void>((resolve) => server.listen(address, resolve))
      servers.push(server)
    }
    const connected = (address: string) =>
      preview.within(
        `return await new Promise((resolve) => {
           const socket = require('net').connect(${JSON.stringify(address)})
           socket.on('error', (e) => resolve(e.code)).on('data', () => resolve('reached'))
         })`,
      )
    expect(await connected(path)).toBe('ENOENT')
    expect(await connected(abstract)).toBe('ECONNREFUSED')
    await preview.within(`require('fs').symlinkSync(${JSON.stringify(path)}, '/tmp/link')`)
    expect(await connected('/tmp/link')).toBe('ENOENT')
    expect(await connected(preview.socketPath)).toBe('ENOENT')
    for (const server of servers) server.close()
    rmSync(folder, { recursive: true })
  })

  test('other ports of the app lead nowhere from here, and cannot be mistaken for its own', async () => {
    const ports = await preview.within<number>(
      `const server = require('net').createServer((s) => s.end('x'))
       return await new Promise((resolve) => server.listen(0, '0.0.0.0', () => resolve(server.address().port)))`,
    )
    await expect(fetch(`http://127.0.0.1:${ports}/`)).rejects.toThrow('fetch failed')
    expect((await preview.get('/')).body).toBe('hello')
  })

  testRows([
    ['a new user namespace', `unshare --user true`],
    ['a new mount namespace', `unshare --mount true`],
    ['a mount', `mount -t tmpfs none /tmp`],
    ['another user', `setpriv --reuid=0 true`],
    ['more processes', `prlimit --nproc=100000 --pid $$`],
    ['a higher priority', `renice -n -5 $$`],
    ['a device', `mknod /tmp/disk b 8 0`],
    ['a virtual machine socket', `perl -e 'socket(my $s, 40, 1, 0) or exit 1'`],
    ['a packet socket', `perl -e 'socket(my $s, 17, 3, 0) or exit 1'`],
    ['a netlink socket of the firewall', `perl -e 'socket(my $s, 16, 3, 12) or exit 1'`],
    [
      'memory without an owner (memfd)',
      `perl -e 'my $n = "x"; syscall(${callNumber('memfd_create')}, $n, 0) >= 0 or exit 1'`,
    ],
    [
      'memory without an owner (anonymous, shared)',
      `perl -e 'syscall(${callNumber('mmap')}, 0, 1048576, 3, 33, -1, 0) >= 0 or exit 1'`,
    ],
    ['memory without an owner (/dev/zero)', `test -e /dev/zero`],
    ['shared memory of System V', `perl -e 'shmget(1, 1000, 0600 | 01000) // exit 1'`],
    ['a look into another process', `perl -e 'syscall(${callNumber('ptrace')}, 16, 1, 0, 0) >= 0 or exit 1'`],
    ['io_uring', `perl -e 'my $p = "\\0" x 200; syscall(425, 4, $p) >= 0 or exit 1'`],
    ['the keys of the kernel', `perl -e 'syscall(${callNumber('keyctl')}, 0, -3, 1) >= 0 or exit 1'`],
  ])('what leads out is refused', async (_, command) => {
    // A command that does not work at all would prove nothing.
    const inside = await preview.within<{ status: number; words: string }>(
      `const done = require('child_process').spawnSync('/bin/sh', ['-c', ${JSON.stringify(command)}], { encoding: 'utf8' })
       return { status: done.status, words: done.stderr }`,
    )
    expect(inside.words).not.toMatch(/not found|syntax/i)
    expect(inside.status).not.toBe(0)
  })

  test('the app knows no more users than its own, and is nobody', async () => {
    expect(
      await preview.within(`return [process.getuid(), process.getgid(), require('os').userInfo().homedir]`),
    ).toEqual([65534, 65534, '/tmp/home'])
    expect(
      await preview.within(
        `return require('fs').readFileSync('/proc/self/status', 'utf8').match(/CapEff:\\s+(\\w+)/)[1]`,
      ),
    ).toBe('0000000000000000')
    expect(
      await preview.within(
        `return require('fs').readFileSync('/proc/self/status', 'utf8').match(/NoNewPrivs:\\s+(\\w+)/)[1]`,
      ),
    ).toBe('1')
  })

  test('only this service reaches the socket, and the app cannot take its place', async () => {
    expect(existsSync(preview.socketPath)).toBe(true)
    await preview.within(
      `for (const f of ['/door', '/ws/door', '/tmp/gate.sock']) try { require('fs').writeFileSync(f, '') } catch {}`,
    )
    expect((await preview.get('/')).body).toBe('hello')
    writeFileSync(join(there.folder, 'note'), '')
    expect(await preview.within(`return require('fs').existsSync('/note')`)).toBe(false)
    rmSync(join(there.folder, 'note'))
  })
})

const __dir = process.cwd()

function callNumber(name: 'memfd_create' | 'mmap' | 'ptrace' | 'keyctl'): number {
  const numbers = {
    x64: { memfd_create: 319, mmap: 9, ptrace: 101, keyctl: 250 },
    arm64: { memfd_create: 279, mmap: 222, ptrace: 117, keyctl: 219 },
  }
  return numbers[process.arch as 'x64'][name]
}
