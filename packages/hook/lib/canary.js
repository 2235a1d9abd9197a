import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'

/** @typedef {import('./index.js').Runner} Runner */
/** @typedef {{isBlocked: boolean, reason: string}} Outcome */

/** The gate denies this tool to everybody, whatever the policy says, and records it. */
const tool = 'gate_canary'

/**
 * A call of the canary tool, as the hook of a runner reports it.
 * @param {Runner} runner
 * @returns {Record<string, unknown>}
 */
export function canaryCall(runner) {
  const id = `canary-${randomUUID()}`
  const cwd = process.cwd()
  switch (runner) {
    case 'gemini':
      return { hook_event_name: 'BeforeTool', session_id: id, cwd, tool_name: tool, tool_input: {} }
    case 'cursor':
      return {
        hook_event_name: 'preToolUse',
        conversation_id: id,
        generation_id: id,
        tool_name: tool,
        tool_input: {},
        tool_use_id: id,
        cwd,
      }
    case 'opencode':
      return { hook: 'tool.execute.before', tool, sessionID: id, callID: id, args: {}, cwd }
    default:
      return {
        hook_event_name: 'PreToolUse',
        session_id: id,
        cwd,
        tool_name: tool,
        tool_input: {},
        tool_use_id: id,
      }
  }
}

/**
 * Runs a hook's command as a runner does. Blocked means exit code 2 with a reason: less than that, and some runners run the tool.
 * @param {string} program
 * @param {string[]} args
 * @param {{env: import('./index.js').Env, cwd?: string | undefined, input: string}} given
 * @returns {Promise<Outcome>}
 */
export function runHook(program, args, { env, cwd, input }) {
  return new Promise((resolve) => {
    const child = spawn(program, args, {
      env,
      ...(cwd === undefined ? {} : { cwd }),
      stdio: ['pipe', 'pipe', 'pipe'],
      timeout: 120_000,
    })
    let said = ''
    child.stderr.on('data', (data) => (said += data))
    child.stdin.on('error', () => undefined)
    child.stdin.end(input)
    child.on('error', (error) => resolve({ isBlocked: false, reason: error.message }))
    child.on('close', (code) => {
      const reason = said.trim()
      resolve({ isBlocked: code === 2 && reason !== '', reason: reason || `exit code ${code}, no reason` })
    })
  })
}

/**
 * Loads the plugin as OpenCode does, and calls it before a tool.
 * @param {string} file
 * @param {import('./index.js').Env} env
 * @param {string} cwd
 * @returns {Promise<Outcome>}
 */
export function runPlugin(file, env, cwd) {
  const { tool: name, sessionID, callID, args } = canaryCall('opencode')
  const input = JSON.stringify([{ tool: name, sessionID, callID }, { args }])
  return runHook(process.execPath, ['--input-type=module', '-e', pluginProgram, file], { env, cwd, input })
}

// A data URL: without a package.json beside it, older versions of Node.js would load the file as CommonJS.
const pluginProgram = `
import { readFileSync } from 'node:fs'
const source = readFileSync(process.argv[1])
const { QualificationGate } = await import('data:text/javascript;base64,' + source.toString('base64'))
const plugin = await QualificationGate({ directory: process.cwd() })
const [input, output] = JSON.parse(readFileSync(0, 'utf8'))
try {
  await plugin['tool.execute.before'](input, output)
} catch (error) {
  console.error(error.message)
  process.exit(2)
}`
