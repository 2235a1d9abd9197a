/**
 * Runs beside jest and outlives it by a moment. When its input ends, jest has ended, in order or killed: it stops every
 * process that still works in the folder of that run and removes the folder.
 * Usage: node reaper.js <folder of the run>
 */
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'

const stopMs = 15_000
const folder = process.argv[2] ?? ''
if (!folder.includes('gate-test-')) throw new Error('Usage: node reaper.js <folder of the run>')

process.stdin.resume()
process.stdin.once('end', async () => {
  await Promise.all(
    left().map(({ pid, command }) => stop(pid, /postgres(:| -D)/.test(command) ? 'SIGQUIT' : 'SIGTERM')),
  )
  // A process that ends may still have written a file.
  rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
})

/** Every server of a run has its folder in its command line, or works in it: no list of ours could be as complete. */
function left() {
  const all = process.platform === 'linux' ? processesOfProc() : processesOfPs()
  return all.filter(({ pid, command, cwd }) => `${command} ${cwd}`.includes(folder) && pid !== process.pid)
}

function processesOfProc() {
  const pids = readdirSync('/proc').map(Number).filter(Number.isInteger)
  return pids.map((pid) => ({ pid, command: commandOf(pid), cwd: workingFolderOf(pid) }))
}

function commandOf(pid) {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')
  } catch {
    return ''
  }
}

function workingFolderOf(pid) {
  try {
    return readlinkSync(`/proc/${pid}/cwd`)
  } catch {
    return ''
  }
}

function processesOfPs() {
  const lines = execFileSync('ps', ['-A', '-o', 'pid=,command='], { encoding: 'utf8' }).split('\n')
  return lines.map((line) => ({ pid: Number.parseInt(line, 10), command: line }))
}

async function stop(pid, signal) {
  const end = performance.now() + stopMs
  for (let next = signal; send(pid, next); next = 0) {
    if (performance.now() > end) return void send(pid, 'SIGKILL')
    await delay(50)
  }
}

/** Signal 0 only asks. @returns whether there is such a process */
function send(pid, signal) {
  try {
    return process.kill(pid, signal)
  } catch {
    return false
  }
}
