import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { delimiter, join } from 'node:path'
import { afterEach, expect } from '@jest/globals'
import { projectRoot } from '../../src/process/root.ts'
import { startEmbeddedTemporal, type EmbeddedTemporal } from '../../dev/embedded/temporal.ts'
import { cleanUp, folder, later, logBook, withTemporal } from './scene.ts'

afterEach(cleanUp, 60_000)

const realProgram = process.env['TEST_TEMPORAL_PROGRAM'] ?? ''

withTemporal('TEMPORAL_ADDRESS is used as it is, and nothing is started', async () => {
  const machine = emptyMachine()
  putProgram(machine.pathDir, 'temporal', works)
  const server = await machine.start({ TEMPORAL_ADDRESS: 'temporal.example:7233' })
  expect(server).toMatchObject({
    address: 'temporal.example:7233',
    pid: undefined,
    source: 'TEMPORAL_ADDRESS',
  })
  await server.stop()
  expect(existsSync(machine.cacheDir)).toBe(false)
})

withTemporal('a program on PATH comes before the cache directory', async () => {
  const machine = emptyMachine()
  const onPath = putProgram(machine.pathDir, 'temporal', works)
  putProgram(machine.cacheDir, 'temporal', works)
  expect(await machine.start()).toMatchObject({ program: onPath, source: 'a `temporal` program on PATH' })
})

withTemporal('a program in the cache directory is used without asking the network', async () => {
  const machine = emptyMachine()
  const cached = putProgram(machine.cacheDir, 'temporal', works)
  const server = await machine.start()
  expect(server).toMatchObject({ program: cached, source: 'the cache directory of this user' })
})

/** What Go writes into a program, as a comment of a script. */
const withDriver = (version: string): string => `${works}\n# dep\tmodernc.org/sqlite\tv${version}\th1:`

withTemporal('a cached program with a database driver that gets stuck is replaced', async () => {
  const machine = emptyMachine()
  const cached = putProgram(machine.cacheDir, 'temporal', withDriver('1.34.1'))
  await expect(machine.start()).rejects.toThrow(
    `the cache directory of this user: ${cached} has version 1.34.1 of its SQLite driver, which can get stuck`,
  )
  putProgram(machine.pathDir, 'go', buildsAfter(0))
  expect(await machine.start()).toMatchObject({ program: cached, source: '`go build`' })
})

withTemporal.each([
  ['1.34.1', true],
  ['1.44.2', true],
  ['1.44.3', false],
  ['2.0.0', false],
])('a program on PATH with driver %s is used, with a warning: %s', async (version, isWarned) => {
  const machine = emptyMachine()
  const program = putProgram(machine.pathDir, 'temporal', withDriver(version))
  expect(await machine.start()).toMatchObject({ program })
  expect(machine.book.text().includes(`has version ${version} of its SQLite driver`)).toBe(isWarned)
})

withTemporal('XDG_CACHE_HOME moves the cache directory', async () => {
  const machine = emptyMachine()
  const cached = putProgram(join(machine.home, 'xdg', 'qualification-gate', 'bin'), 'temporal', works)
  const { cacheDir: _, ...context } = machine.context
  const env = { PATH: '/nowhere', XDG_CACHE_HOME: join(machine.home, 'xdg') }
  const server = await startEmbeddedTemporal({ ...machine.options, env, context })
  later(() => server.stop())
  expect(server.program).toBe(cached)
})

withTemporal(
  'what the download brings lies in the cache directory and is started with our settings',
  async () => {
    const machine = emptyMachine()
    const asked: string[] = []
    const site = await downloadSite(machine, (request) => void asked.push(request))
    const server = await machine.start({}, site)
    expect(server).toMatchObject({
      program: join(machine.cacheDir, 'temporal'),
      source: "the Temporal SDK's download",
    })
    expect(readdirSync(machine.cacheDir)).toEqual(['temporal'])
    expect(asked[0]).toMatch(
      /^\/cli\/default\?arch=(amd64|arm64)&platform=\w+&format=tar.gz&sdk-name=sdk-typescript&sdk-v/,
    )
    expect(readFileSync(`/proc/${server.pid}/cmdline`, 'utf8')).toContain(
      'history.transferProcessorMaxPollRPS=2000',
    )
    await server.stop()
    expect(await machine.start()).toMatchObject({ source: 'the cache directory of this user' })
  },
)

withTemporal('two that fetch at once both get a working server', async () => {
  const [one, two] = [emptyMachine(), emptyMachine()]
  const site = { ...(await downloadSite(one)), cacheDir: one.cacheDir }
  const servers = await Promise.all([one.start({}, site), two.start({}, site)])
  expect(servers.map(({ program }) => program)).toEqual(Array(2).fill(join(one.cacheDir, 'temporal')))
  expect(readdirSync(one.cacheDir)).toEqual(['temporal'])
})

const badSites: [name: string, reason: RegExp, answer: RequestListener][] = [
  [
    'refused',
    /download: 127\.0\.0\.1:\d+: the server answered 403/,
    (_, answer) => answer.writeHead(403).end(),
  ],
  ['not what it should be', /download: 127\.0\.0\.1:\d+: .*/, (_, answer) => answer.end('<html>')],
  ['silent', /download: no data received for 0.3 s/, () => {}],
  [
    'silent in the middle of the archive',
    /download: no data received for 0.3 s/,
    (request, answer) => {
      const [archiveUrl, fileToExtract] = [`http://${request.headers.host}/archive`, 'package-lock.json']
      if (request.url !== '/archive') return answer.end(JSON.stringify({ archiveUrl, fileToExtract }))
      const archive = spawnSync('tar', ['-czf', '-', '-C', projectRoot, fileToExtract]).stdout
      answer.writeHead(200, { 'content-length': archive.length })
      answer.write(archive.subarray(0, archive.length / 2))
      return answer
    },
  ],
  [
    'no archive',
    /download: 127\.0\.0\.1:\d+: \S/,
    (request, answer) => {
      const archiveUrl = `http://${request.headers.host}/archive`
      answer.end(
        request.url === '/archive' ? 'junk' : JSON.stringify({ archiveUrl, fileToExtract: 'temporal' }),
      )
    },
  ],
  [
    'a path out of its folder',
    /download: 127\.0\.0\.1:\d+: /,
    (request, answer) => {
      const archiveUrl = `http://${request.headers.host}/archive`
      answer.end(JSON.stringify({ archiveUrl, fileToExtract: '../temporal' }))
    },
  ],
]

withTemporal.each(badSites)(
  'a download that is %s gives its reason, leaves nothing, and the next way is tried',
  async (_, reason, answer) => {
    const machine = emptyMachine()
    const downloadBase = await serve(answer)
    await expect(machine.start({}, { downloadBase, stallMs: 300 })).rejects.toThrow(reason)
    expect(readdirSync(machine.cacheDir)).toEqual([])
    putProgram(machine.pathDir, 'go', buildsAfter(0))
    expect(await machine.start({}, { downloadBase, stallMs: 300 })).toMatchObject({ source: '`go build`' })
  },
  30_000,
)

withTemporal('a host that does not answer at all is told by its name', async () => {
  const machine = emptyMachine()
  await expect(machine.start()).rejects.toThrow(
    /download: 127\.0\.0\.1:1: .*ECONNREFUSED|download: 127\.0\.0\.1:1: bad port/,
  )
})

withTemporal(
  '`go build` builds into the cache directory, says that it goes on, and leaves GOFLAGS alone',
  async () => {
    const machine = emptyMachine()
    putProgram(machine.pathDir, 'go', buildsAfter(0.5))
    const server = await machine.start({ GOFLAGS: '-trimpath' }, { progressMs: 100 })
    expect(server).toMatchObject({ program: join(machine.cacheDir, 'temporal'), source: '`go build`' })
    expect(machine.book.text()).toMatch(
      /Building the Temporal server.*\n.*still building the Temporal server, 0 s/,
    )
    expect(readFileSync(join(machine.pathDir, 'go.said'), 'utf8').replace(/-o \S+/, '-o PROGRAM')).toBe(
      `build -mod=readonly -buildvcs=false -o PROGRAM github.com/temporalio/cli/cmd/temporal GOFLAGS=-trimpath in ${join(projectRoot, 'dev', 'temporal')}\n`,
    )
    expect(readdirSync(machine.cacheDir)).toEqual(['temporal'])
  },
)

withTemporal('a build that fails or does not end gives its reason', async () => {
  const machine = emptyMachine()
  putProgram(machine.pathDir, 'go', 'echo "go: no such module" >&2; exit 1')
  await expect(machine.start()).rejects.toThrow('`go build`: it ended with 1: go: no such module')
  putProgram(machine.pathDir, 'go', 'exec /bin/sleep 600')
  await expect(machine.start({}, { fetchMs: 200 })).rejects.toThrow('`go build`: it ended with SIGTERM')
})

withTemporal(
  'a program that is found but does not start is reported, and the next way is tried',
  async () => {
    const machine = emptyMachine()
    const broken = putProgram(machine.pathDir, 'temporal', 'echo "wrong library" >&2; exit 3')
    const mute = putProgram(machine.cacheDir, 'temporal', 'exec /bin/sleep 600')
    putProgram(machine.pathDir, 'go', buildsAfter(0))
    const server = await machine.start({}, {}, 3_000)
    expect(server.source).toBe('`go build`')
    expect(machine.book.text()).toContain(`${broken} (a \`temporal\` program on PATH) failed to start`)
    expect(machine.book.text()).toContain('it ended (3)\nwrong library')
    expect(machine.book.text()).toContain(`${mute} (the cache directory of this user) failed to start`)
    expect(machine.book.text()).toMatch(/no answer on 127.0.0.1:\d+ after 3 s/)
  },
  30_000,
)

withTemporal('with no way at all the message lists each with its reason and says what to do', async () => {
  const machine = emptyMachine()
  const failure = (await machine.start().catch((error: unknown) => error)) as Error
  expect(failure.message.split('\n').map((line) => line.replaceAll(machine.home, 'HOME'))).toEqual([
    'No Temporal server could be started. These sources were tried, in this order:',
    '  - TEMPORAL_ADDRESS: not set',
    '  - a `temporal` program on PATH: not found',
    '  - the cache directory of this user: HOME/cache/temporal does not exist',
    expect.stringMatching("  - the Temporal SDK's download: 127.0.0.1:1: "),
    '  - `go build`: `go` is not on PATH',
    'To fix this, do one of the following:',
    '  - install the Temporal CLI, so that `temporal` is on PATH: https://docs.temporal.io/cli',
    '  - copy the program to HOME/cache/temporal',
    '  - install Go 1.25 or newer, so that the program can be built',
    '  - set TEMPORAL_ADDRESS to a running Temporal server',
  ])
})

/** What a program does, as a shell script: the real server behind another name, so that it is told apart. */
const works = `exec '${realProgram}' "$@"`

function buildsAfter(seconds: number): string {
  return [
    'echo "$@ GOFLAGS=$GOFLAGS in $PWD" > "$0.said"',
    `/bin/sleep ${seconds}`,
    `printf '#!/bin/sh\\n%s "$@"\\n' "exec '${realProgram}'" > "$5"`,
  ].join('\n')
}

function putProgram(dir: string, name: string, script: string): string {
  mkdirSync(dir, { recursive: true })
  const file = join(dir, name)
  writeFileSync(file, `#!/bin/sh\n${script}\n`, { mode: 0o755 })
  return file
}

type Machine = ReturnType<typeof emptyMachine>

/** A machine that has nothing: no variables, no programs, an empty cache, and a download that nobody serves. */
function emptyMachine() {
  const home = folder()
  const [pathDir, cacheDir, book] = [join(home, 'path'), join(home, 'cache'), logBook()]
  const context = { cacheDir, downloadBase: 'http://127.0.0.1:1' }
  const options = { dbFile: join(home, 'temporal.db'), headless: true, log: book.log }
  const start = async (
    env: NodeJS.ProcessEnv = {},
    more: object = {},
    startMs = 20_000,
  ): Promise<EmbeddedTemporal> => {
    const PATH = [pathDir, env['PATH']].filter(Boolean).join(delimiter)
    const all = { ...options, startMs, env: { ...env, PATH }, context: { ...context, ...more } }
    const server = await startEmbeddedTemporal(all)
    later(() => server.stop())
    return server
  }
  return { home, pathDir, cacheDir, book, context, options, start }
}

/** Serves an archive with a working program, as temporal.download does. */
async function downloadSite(
  { home }: Machine,
  heard: (request: string) => void = () => {},
): Promise<{ downloadBase: string }> {
  putProgram(join(home, 'packed'), 'temporal', works)
  const archive = spawnSync('tar', ['-czf', '-', '-C', join(home, 'packed'), 'temporal']).stdout
  const downloadBase = await serve((request, answer) => {
    heard(request.url ?? '')
    const archiveUrl = `http://${request.headers.host}/archive`
    answer.end(
      request.url === '/archive' ? archive : JSON.stringify({ archiveUrl, fileToExtract: 'temporal' }),
    )
  })
  return { downloadBase }
}

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1')
  await once(server, 'listening')
  later(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
