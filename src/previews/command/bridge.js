/**
 * What runs in the outer of a preview's two walls, and alone speaks with the host: it starts the app behind the inner wall,
 * passes connections from its socket to the app's port, hands on the end of what the app prints, and ends everything once
 * the app takes too much memory. The app sees neither this process nor its files; of the host it gets bytes over TCP alone.
 *
 * Plain JavaScript without imports of our own, since it is copied inside the walls as it is. Ending this process ends the app.
 */
import { spawn } from 'node:child_process'
import {
  closeSync,
  mkdirSync,
  openSync,
  readFileSync,
  readdirSync,
  statfsSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { connect, createServer } from 'node:net'

const plan = JSON.parse(readFileSync('/inside/plan.json', 'utf8'))
const statusDescriptor = 4

// Previews are ended first when the machine runs out of memory.
writeFileSync('/proc/self/oom_score_adj', '1000')
process.umask(0o077)
for (const folder of plan.folders) mkdirSync(folder, { recursive: true })

// The host's end of stdin closes when the host dies, however it does.
process.stdin.on('error', leave).on('close', leave).resume()
process.stdout.on('error', leave)

closeInherited()
const app = startApp()
const log = handOnLog(app.stdout, app.stderr)
app.on('error', (error) => finish({ error: 'exited', message: String(error.message).slice(0, 200) }))
app.on('close', (exitCode) => log.flush(() => finish({ error: 'exited', exitCode })))
setInterval(() => {
  if (usedBytes() > plan.memoryBytesMax) log.flush(() => finish({ error: 'out_of_memory' }))
}, plan.memoryLookMs)
passConnections()

/** Whatever else the service was started with, and so we were: the app must not be. What Node opened is closed by itself. */
function closeInherited() {
  const closedOnExec = 0o2000000
  for (const name of readdirSync('/proc/self/fd')) {
    const descriptor = Number(name)
    if (descriptor <= 2 || descriptor === statusDescriptor) continue
    const flags = /^flags:\s*([0-7]+)/m.exec(textOf(`/proc/self/fdinfo/${name}`))?.[1]
    if (flags !== undefined && (Number.parseInt(flags, 8) & closedOnExec) === 0) closeSync(descriptor)
  }
}

function startApp() {
  const filter = openSync('/inside/seccomp.bpf', 'r')
  const [program, ...args] = plan.command
  const started = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe', filter] })
  closeSync(filter)
  return started
}

/** Reads all that is printed, so that printing never blocks, and hands on at most `logBytesMax` of it at a time. */
function handOnLog(...streams) {
  let kept = []
  let keptBytes = 0
  for (const stream of streams) {
    stream.on('data', (part) => {
      kept.push(part)
      keptBytes += part.length
      while (keptBytes - kept[0].length >= plan.logBytesMax) keptBytes -= kept.shift().length
    })
  }
  const handOn = () => {
    if (kept.length === 0 || process.stdout.writableLength > 0) return
    process.stdout.write(Buffer.concat(kept).subarray(-plan.logBytesMax))
    kept = []
    keptBytes = 0
  }
  setInterval(handOn, plan.logEveryMs)
  return {
    flush(then) {
      handOn()
      process.stdout.write('', then)
    },
  }
}

/** Memory that belongs to one process, its page tables, and what was written, empty files too. No other is let be made. */
function usedBytes() {
  const { blocks, bfree, bsize, files, ffree } = statfsSync('/scratch')
  let bytes = (blocks - bfree) * bsize + (files - ffree) * 1_024
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name) || Number(name) === process.pid) continue
    for (const [, kib] of textOf(`/proc/${name}/status`).matchAll(
      /^(?:RssAnon|VmPTE|VmSwap):\s+(\d+) kB$/gm,
    )) {
      bytes += Number(kib) * 1_024
    }
  }
  return bytes
}

/** @returns nothing where what it tells of has ended */
function textOf(file) {
  try {
    return readFileSync(file, 'latin1')
  } catch {
    return ''
  }
}

function passConnections() {
  const server = createServer({ allowHalfOpen: true, pauseOnConnect: true }, (outside) => {
    outside.on('error', () => {})
    dial(['127.0.0.1', '::1'], (within) => {
      if (!within || outside.destroyed) return void [outside, within].map((one) => one?.destroy())
      for (const [one, other] of [
        [outside, within],
        [within, outside],
      ]) {
        one.pipe(other)
        one.on('error', () => other.destroy())
        one.on('close', () => other.destroySoon())
      }
    })
  })
  server.maxConnections = plan.connectionsMax
  server.listen('/door/gate.sock')
}

/** Apps that listen on `localhost` may mean either address. */
function dial([host, ...others], done) {
  const socket = connect({ host, port: plan.port, allowHalfOpen: true })
  const failed = () => (others.length > 0 ? dial(others, done) : done(undefined))
  socket.once('error', failed)
  socket.once('connect', () => done(socket.off('error', failed)))
}

function finish(status) {
  writeSync(statusDescriptor, JSON.stringify(status))
  leave()
}

function leave() {
  process.exit(0)
}
