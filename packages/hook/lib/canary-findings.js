import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { callAsClaude, canaryCall, runHook, runPlugin } from './canary.js'
import { hooksOf } from './hooks-of.js'
import { isObject, readJson } from './json-file.js'
import { asset, claudeUserSettings, hookFile } from './plan.js'
import { formatEnv } from './settings.js'

/** @typedef {import('./index.js').Env} Env */
/** @typedef {import('./index.js').Finding} Finding */
/** @typedef {import('./canary.js').Outcome} Outcome */
/** @typedef {import('./place.js').Located} Located */
/** @typedef {import('./settings.js').Settings} Settings */

const wrongKey = 'not-a-key-of-this-gate'

/**
 * Calls that must be blocked, made through what was installed.
 * @param {Located} place
 * @param {Settings} settings
 * @returns {Promise<Finding[]>}
 */
export async function canaryFindings(place, settings) {
  const canary = onLedger(await callInstalled(place))
  const stranger = blocked('wrong key', await callWith(place, { ...settings, key: wrongKey }))
  const down = { ...settings, url: `http://127.0.0.1:${await closedPort()}` }
  const unreachable = blocked('gate down', await callWith(place, down))
  if (place.runner === 'claude' || place.runner === 'opencode') return [canary, stranger, unreachable]
  return [
    canary,
    stranger,
    unreachable,
    blocked('hook script gone', await callWithoutScript(place, settings)),
  ]
}

/** @param {Outcome} outcome @returns {Finding} */
function onLedger({ isBlocked, reason }) {
  const [, action] = /\baction (\d+)/.exec(reason) ?? []
  if (isBlocked && action)
    return {
      check: 'canary',
      verdict: 'blocks',
      detail: `Denied by the gate and recorded as action ${action}`,
    }
  const detail = isBlocked
    ? `Blocked, but not by a decision of the gate: ${shortened(reason)}`
    : `The canary call was not blocked: ${shortened(reason)}`
  return { check: 'canary', verdict: 'fails', detail }
}

/** @param {string} check @param {Outcome} outcome @returns {Finding} */
const blocked = (check, { isBlocked, reason }) => ({
  check,
  verdict: isBlocked ? 'blocks' : 'fails',
  detail: shortened(reason),
})

/** @param {string} text */
const shortened = (text) => text.replaceAll(/\s+/g, ' ').slice(0, 160)

/** @param {Located} place @returns {Promise<Outcome>} */
function callInstalled(place) {
  const { runner, env } = place
  if (runner === 'opencode') return runPlugin(hookFile(place), env)
  const { json } = readJson(hookFile(place))
  if (runner === 'claude') {
    const user = readJson(claudeUserSettings(place)).json['env']
    return callAsClaude(claudeHook(json), { ...env, ...(isObject(user) ? user : {}) })
  }
  return runEntry(ourCommand(json), runner, env)
}

/**
 * The same call with other settings: the installed ones stay as they are.
 * @param {Located} place
 * @param {Settings} settings
 * @returns {Promise<Outcome>}
 */
async function callWith(place, settings) {
  const { runner, env } = place
  if (runner === 'claude') {
    const hook = hooksOf.claude(settings, '').events['PreToolUse']?.['hooks'][0]
    return callAsClaude(hook, { ...env, GATE_KEY: settings.key })
  }
  return withFolder(async (folder) => {
    const config = join(folder, 'qualification-gate')
    mkdirSync(config)
    writeFileSync(join(config, `${runner}.env`), formatEnv(settings), { mode: 0o600 })
    const elsewhere = { ...env, XDG_CONFIG_HOME: folder }
    if (runner === 'opencode') return runPlugin(hookFile(place), elsewhere)
    const script = join(config, 'gate-hook.sh')
    writeFileSync(script, asset('gate-hook.sh'))
    chmodSync(script, 0o700)
    const { events } = hooksOf[runner](settings, config)
    return runEntry(ourCommand({ hooks: wrapped(events) }), runner, elsewhere)
  })
}

/** @param {Located} place @param {Settings} settings */
function callWithoutScript({ runner, env }, settings) {
  if (runner === 'opencode') throw new Error('OpenCode has no script.')
  const { events } = hooksOf[runner](settings, join(tmpdir(), 'no-such-folder'))
  return runEntry(ourCommand({ hooks: wrapped(events) }), runner, env)
}

/** @param {string} command @param {import('./index.js').Runner} runner @param {Env} env */
const runEntry = (command, runner, env) =>
  runHook('/bin/sh', ['-c', command], { env, input: JSON.stringify(canaryCall(runner)) })

/** @param {Record<string, unknown>} events */
const wrapped = (events) => Object.fromEntries(Object.entries(events).map(([name, entry]) => [name, [entry]]))

/** @param {import('./json-file.js').Json} json @returns {string} the command that asks before a call */
function ourCommand(json) {
  const entries = Object.values(json['hooks'] ?? {}).flat()
  const hooks = entries.flatMap((/** @type {any} */ entry) => entry.hooks ?? [entry])
  const commands = hooks.map((/** @type {any} */ hook) => hook.command ?? hook.bash)
  return commands.find((command) => String(command).includes('/gate-hook.sh')) ?? 'exit 0'
}

/** @param {import('./json-file.js').Json} json */
const claudeHook = (json) =>
  json['hooks']['PreToolUse']
    .flatMap((/** @type {any} */ { hooks }) => hooks ?? [])
    .find((/** @type {any} */ { url }) => String(url).includes('/api/v1/runner/tool-calls'))

/** @template T @param {(folder: string) => Promise<T>} work */
async function withFolder(work) {
  const folder = mkdtempSync(join(tmpdir(), 'gate-hook-'))
  try {
    return await work(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** @returns {Promise<number>} a port on which nothing listens */
const closedPort = () =>
  new Promise((resolve, reject) => {
    const server = createServer().on('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const { port } = /** @type {import('node:net').AddressInfo} */ (server.address())
      server.close(() => resolve(port))
    })
  })
