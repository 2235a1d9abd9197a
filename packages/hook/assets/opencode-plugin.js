// The plugin of the Qualification Gate for OpenCode: written by `npx --no qualification-gate-hook install`, removed by `… uninstall`.
// One exact answer allows a tool call. Everything else throws, which is how a plugin blocks a tool.
import { readFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'

/** OpenCode skips a plugin that fails while it starts, so nothing here can fail before a tool is called. */
export const QualificationGate = async (context) => {
  const cwd = context?.directory ?? null
  return {
    'tool.execute.before': async (input, output) => {
      const body = report('tool.execute.before', input, output?.args, cwd)
      await within(secondsMax(), askGate(body))
    },
    'tool.execute.after': async (input) => {
      const body = report('tool.execute.after', input, input?.args, cwd)
      await within(5, send('outcomes', body)).catch(() => undefined)
    },
  }
}

const report = (hook, input, args, cwd) =>
  JSON.stringify({
    hook,
    tool: input?.tool,
    sessionID: input?.sessionID,
    callID: input?.callID,
    args: args ?? {},
    cwd,
  })

async function askGate(body) {
  const { status, text } = await send('tool-calls', body)
  if (status === 200 && text === 'allow') return
  if (status === 200) throw blocked(text || 'The answer was empty.')
  throw blocked(`No decision. ${status} ${text}`)
}

async function send(path, body) {
  const settings = await readSettings()
  const query = path === 'tool-calls' ? settings.GATE_QUERY : 'runner=opencode&as=text'
  try {
    const response = await fetch(`${settings.GATE_URL}/api/v1/runner/${path}?${query}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${settings.GATE_KEY}`, 'content-type': 'application/json' },
      body,
      redirect: 'manual',
      signal: AbortSignal.timeout(secondsMax() * 1000),
    })
    return { status: response.status, text: await response.text() }
  } catch (error) {
    throw blocked(`No decision. ${error?.cause?.message || error?.message || error}`)
  }
}

/** At each call, so that a new key is used at once. */
async function readSettings() {
  const folder = process.env.XDG_CONFIG_HOME || join(homedir(), '.config')
  const file = join(folder, 'qualification-gate', 'opencode.env')
  const text = await readFile(file, 'utf8').catch(() => {
    throw blocked(`${file} cannot be read. Run npx --no qualification-gate-hook install again.`)
  })
  const lines = text.split('\n').filter((line) => line.includes('='))
  return Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
  )
}

/** OpenCode waits for ever for a promise that does not settle. */
async function within(seconds, work) {
  let timer
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(blocked(`No decision after ${seconds} seconds.`)), seconds * 1000)
  })
  try {
    await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}

function secondsMax() {
  const given = Number(process.env.GATE_HOOK_SECONDS)
  return given > 0 && given < 90 ? given : 90
}

// eslint-disable-next-line no-control-regex
const controls = /[\u0000-\u001f\u007f]+/g

const blocked = (reason) => new Error(`gate: ${reason.slice(0, 600).replaceAll(controls, ' ')}`)
