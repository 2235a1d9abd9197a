// The plugin of the Qualification Gate for OpenCode: written by `npx --no qualification-gate-hook install`, removed by `… uninstall`.
// The program that it starts asks the gate. One exit code allows a tool call. Everything else throws, which is how a plugin blocks
// a tool.
import { spawn } from 'node:child_process'

const ask = /* command: ask */ ''
const tell = /* command: report */ ''
// The program gives up before: OpenCode waits for ever for a promise that does not settle.
const secondsMax = 100

/** OpenCode skips a plugin that fails while it starts, so nothing here can fail before a tool is called. */
export const QualificationGate = async (context) => {
  const cwd = context?.directory ?? null
  return {
    'tool.execute.before': async (input, output) => {
      const { code, reason } = await run(ask, report('tool.execute.before', input, output?.args, cwd))
      if (code !== 0) throw blocked(reason || 'The tool call was not allowed.')
    },
    'tool.execute.after': async (input) => {
      await run(tell, report('tool.execute.after', input, input?.args, cwd))
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

/** Nothing of the environment reaches the program: a repository may have set it. */
const run = (command, body) =>
  new Promise((resolve) => {
    let said = ''
    const end = (code, reason = said) => {
      clearTimeout(timer)
      resolve({ code, reason })
    }
    const child = spawn('/bin/sh', ['-c', command], { env: {}, stdio: ['pipe', 'ignore', 'pipe'] })
    const timer = setTimeout(() => {
      child.kill('SIGKILL')
      end(null, `No decision after ${secondsMax} seconds.`)
    }, secondsMax * 1000)
    child.on('error', (error) => end(null, error.message))
    child.stderr.on('data', (data) => (said += data))
    child.stdin.on('error', () => undefined)
    child.stdin.end(body)
    child.on('close', (code) => end(code))
  })

// eslint-disable-next-line no-control-regex
const controls = /[\u0000-\u001f\u007f]+/g

const blocked = (reason) =>
  new Error(
    `gate: ${reason
      .split('\n')[0]
      .replace(/^gate: /, '')
      .slice(0, 600)
      .replaceAll(controls, ' ')}`,
  )
