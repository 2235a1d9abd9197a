/**
 * `npm run release:check`: tries the last commit as a newcomer would get it. A fresh clone is installed and started, journeys are made
 * through it, and each package is packed, listed, installed and started. Exit code 1 with the first thing that is wrong.
 */
import { execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { newestIn, places, productVersion, versionsIn } from './versions.js'

const root = join(import.meta.dirname, '..')
const version = productVersion()
const folder = mkdtempSync(join(tmpdir(), 'release-'))
const clone = join(folder, 'gate')
const say = (line) => void process.stdout.write(`${line}\n`)
const run = (program, args, options = {}) =>
  execFileSync(program, args, { cwd: clone, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'], ...options })

function demand(isTrue, otherwise) {
  if (!isTrue) throw new Error(otherwise)
}

function checkVersions() {
  for (const { file, patterns } of places)
    for (const found of versionsIn(readFileSync(join(clone, file), 'utf8'), patterns))
      demand(found === version, `${file} says version ${found}, package.json ${version}`)
  const changes = readFileSync(join(clone, 'CHANGELOG.md'), 'utf8')
  const { first, date, hasUnreleased } = newestIn(changes)
  demand(first === version && date, `CHANGELOG.md begins with [${first}], not with [${version}] and its date`)
  const kept = readdirSync(join(clone, 'test/upgrade')).filter((file) => file.endsWith('.json.gz'))
  demand(
    kept.some((file) => file !== `${version}.json.gz`),
    'test/upgrade has no database of a former version',
  )
  say(
    `version      ${version} in ${places.length + 1} files, in CHANGELOG.md since ${date}; upgrades from ${kept.join(', ')}`,
  )
  if (hasUnreleased)
    say(
      `             CHANGELOG.md has changes that no version has: this commit is not ${version}, and not to be tagged`,
    )
}

const freePort = () =>
  new Promise((resolve, reject) => {
    const server = createServer().once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address()
      server.close(() => resolve(port))
    })
  })

async function journeys() {
  const [PORT, WORKER_PORT, SANDBOX_PORT, PREVIEW_PORT] = await Promise.all([1, 2, 3, 4].map(freePort))
  const ports = { PORT, WORKER_PORT, SANDBOX_PORT, PREVIEW_PORT }
  const named = Object.fromEntries(Object.entries(ports).map(([name, port]) => [name, String(port)]))
  const env = { ...process.env, ...named, DATA_DIR: join(folder, 'data') }
  const started = spawn('npm', ['start'], {
    cwd: clone,
    env,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let told = ''
  for (const stream of [started.stdout, started.stderr]) stream.on('data', (part) => (told += part))
  const demo = join(folder, 'data', 'demo.json')
  try {
    const since = Date.now()
    while (!existsSync(demo)) {
      demand(started.exitCode === null, `npm start ended:\n${told.slice(-3_000)}`)
      demand(Date.now() - since < 900_000, `npm start made no demo:\n${told.slice(-3_000)}`)
      await new Promise((resolve) => setTimeout(resolve, 200))
    }
    say(`npm start    ready after ${Math.round((Date.now() - since) / 1_000)} s`)
    await makeJourneys(JSON.parse(readFileSync(demo, 'utf8')), env)
  } finally {
    process.kill(-started.pid, 'SIGINT')
    await new Promise((resolve) => (started.exitCode === null ? started.once('exit', resolve) : resolve()))
  }
}

async function makeJourneys({ base_url: gate, api_key: key, account_id: account }, env) {
  const call = async (path, body, headers = {}) => {
    const answer = await fetch(gate + path, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const text = await answer.text()
    demand(answer.status < 300, `${path} is answered ${answer.status}: ${text.slice(0, 500)}`)
    return text.startsWith('{') ? JSON.parse(text) : text
  }
  const actor = { email: 'grace@example.com' }
  const proposed = await call('/api/v1/actions', {
    kind: 'broadcast',
    actor,
    payload: { message: 'Lunch is at noon.' },
  })
  const done = await call(`/api/v1/actions/${proposed.id}/confirm`, { actor })
  demand(done.status === 'executed', `a confirmed broadcast is ${done.status}`)
  const listed = await call(
    '/api/mcp',
    { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} },
    { accept: 'application/json, text/event-stream' },
  )
  demand(listed.result?.tools?.length > 0, 'MCP lists no tools')
  demand((await call('/console/sign-in')).includes('<form'), 'the console has no sign-in')
  const command = (...args) => run(process.execPath, ['bin/gate.js', ...args], { env })
  demand(command('--version').includes(version), 'gate --version says another version')
  command('ledger', 'verify', '--account', account)
  command('doctor')
  say(
    `journeys     a broadcast over REST, ${listed.result.tools.length} tools over MCP, console, ledger verify, doctor`,
  )
}

function checkPackages() {
  const packed = join(folder, 'packed')
  mkdirSync(packed)
  for (const entry of JSON.parse(
    run('npm', ['pack', '--workspaces', '--json', '--pack-destination', packed]),
  )) {
    const files = entry.files.map(({ path }) => path)
    for (const needed of ['LICENSE', 'README.md', 'package.json'])
      demand(files.includes(needed), `the package ${entry.name} has no ${needed}`)
    const odd = files.find((path) => /(^|\/)(test|tests|node_modules)\/|\.tsbuildinfo$|\.test\./.test(path))
    demand(odd === undefined, `the package ${entry.name} has ${odd}`)
    installPackage(entry, join(packed, entry.filename))
    say(
      `package      ${entry.name} ${entry.version}, ${Math.round(entry.size / 1_024)} KiB: ${files.join(' ')}`,
    )
  }
}

/** Into an empty folder, as a user of the package has it. */
function installPackage({ name, version: packedVersion }, file) {
  demand(packedVersion === version, `the package ${name} has version ${packedVersion}`)
  const at = join(folder, `uses-${name}`)
  mkdirSync(at)
  run('npm', ['init', '-y'], { cwd: at })
  run('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund', file], { cwd: at })
  const { bin = {} } = JSON.parse(readFileSync(join(at, 'node_modules', name, 'package.json'), 'utf8'))
  for (const program of Object.keys(typeof bin === 'string' ? { [name]: bin } : bin))
    demand(
      /usage/i.test(run(join(at, 'node_modules/.bin', program), ['--help'], { cwd: at })),
      `${program} --help says no usage`,
    )
}

function checkPython() {
  const at = join(folder, 'python')
  run('python3', ['-m', 'venv', at])
  const wheels = join(folder, 'wheels')
  run(join(at, 'bin/pip'), [
    'wheel',
    '--quiet',
    '--no-deps',
    '--wheel-dir',
    wheels,
    './packages/client-python',
  ])
  const [wheel] = readdirSync(wheels)
  demand(wheel?.includes(`-${version}-`), `the wheel is ${wheel}`)
  run(join(at, 'bin/pip'), ['install', '--quiet', join(wheels, wheel)])
  run(join(at, 'bin/python'), ['-c', 'import qualification_gate_client'], { cwd: folder })
  const files = run(join(at, 'bin/python'), ['-m', 'zipfile', '-l', join(wheels, wheel)])
    .split('\n')
    .slice(1)
    .map((line) => line.split(' ')[0])
  say(`package      ${wheel}: ${files.filter(Boolean).join(' ')}`)
}

try {
  run('git', ['clone', '--quiet', root, clone], { cwd: folder })
  checkVersions()
  run('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'])
  await journeys()
  checkPackages()
  checkPython()
  say(`ready        ${version}`)
} catch (error) {
  process.stderr.write(`${error.message}\n${error.stderr ?? ''}\n`)
  process.exitCode = 1
} finally {
  rmSync(folder, { recursive: true, force: true })
}
