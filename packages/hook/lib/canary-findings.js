import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { canaryCall, runHook, runPlugin } from './canary.js'
import { askCommand } from './commands.js'
import { readIfExists } from './files.js'
import { readJson } from './json-file.js'
import { asset, hookFile, pluginOf } from './plan.js'
import { envFile, formatEnv, keyFile } from './settings.js'
import { formatKey } from './signing.js'

/** @typedef {import('./index.js').Env} Env */
/** @typedef {import('./index.js').Finding} Finding */
/** @typedef {import('./index.js').Runner} Runner */
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
  return [
    onLedger(await callInstalled(place)),
    ...(await callsElsewhere(place, settings, readIfExists(keyFile(place.config, place.runner)) ?? '')),
  ]
}

/**
 * The same program with other settings, in a folder of its own: the installed ones stay as they are.
 * @param {Pick<Located, 'runner' | 'env'>} place
 * @param {Settings} settings
 * @param {Buffer | string} key  the content of the key's file
 * @returns {Promise<Finding[]>}
 */
export async function callsElsewhere(place, settings, key) {
  const stranger = await startStranger()
  try {
    const calls = /** @type {const} */ ([
      ['wrong key', settings, formatKey(wrongKey), true],
      ['gate down', { ...settings, url: stranger.closedUrl }, key, true],
      ['unsigned answer', { ...settings, url: stranger.url }, key, true],
      ['hook program gone', settings, key, false],
    ])
    /** @type {Finding[]} */
    const findings = []
    for (const [check, given, ownKey, hasProgram] of calls)
      findings.push(blocked(check, await callWith(place, given, ownKey, hasProgram)))
    return findings
  } finally {
    stranger.close()
  }
}

/** @param {Outcome} outcome @returns {Finding} */
export function onLedger({ isBlocked, reason }) {
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
  const { runner, env, repository } = place
  if (runner === 'opencode') return runPlugin(hookFile(place), env, repository)
  return runEntry(ourCommand(readJson(hookFile(place)).json), place)
}

/**
 * @param {Pick<Located, 'runner' | 'env'>} place
 * @param {Settings} settings
 * @param {Buffer | string} key
 * @param {boolean} hasProgram
 * @returns {Promise<Outcome>}
 */
async function callWith(place, settings, key, hasProgram) {
  const { runner, env } = place
  const folder = mkdtempSync(join(tmpdir(), 'gate-hook-'))
  try {
    writeFileSync(envFile(folder, runner), formatEnv(settings), { mode: 0o600 })
    writeFileSync(keyFile(folder, runner), key, { mode: 0o600 })
    if (hasProgram) writeFileSync(join(folder, 'gate-hook.sh'), asset('gate-hook.sh'), { mode: 0o700 })
    if (runner !== 'opencode') return await runEntry(askCommand(folder, runner), place)
    const plugin = join(folder, 'plugin.js')
    writeFileSync(plugin, pluginOf(folder))
    return await runPlugin(plugin, env, folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/**
 * Runs a command as the runner does, in the folder in which it works.
 * @param {string} command
 * @param {Pick<Located, 'runner' | 'env'> & {repository?: string}} place
 */
export const runEntry = (command, { runner, env, repository }) =>
  runHook('/bin/sh', ['-c', command], { env, cwd: repository, input: JSON.stringify(canaryCall(runner)) })

/** @param {import('./json-file.js').Json} json @returns {string} the command that asks before a call */
export function ourCommand(json) {
  const entries = Object.values(json['hooks'] ?? {}).flat()
  const hooks = entries.flatMap((/** @type {any} */ entry) => entry.hooks ?? [entry])
  const commands = hooks.map((/** @type {any} */ hook) => String(hook.command ?? hook.bash))
  return (
    commands.find((command) => command.includes('gate-hook.sh') && command.includes(' tool-calls')) ??
    'exit 0'
  )
}

/**
 * Something that answers in the place of the gate, and allows all; and an address where nothing listens.
 * @returns {Promise<{url: string, closedUrl: string, close: () => void}>}
 */
async function startStranger() {
  const closed = await listening(createServer())
  closed.server.close()
  const { server, url } = await listening(
    createServer((_, response) => void response.end(`allow\n${'0'.repeat(64)}`)),
  )
  return { url, closedUrl: closed.url, close: () => void server.close() }
}

/** @param {import('node:http').Server} server @returns {Promise<{server: import('node:http').Server, url: string}>} */
const listening = (server) =>
  new Promise((resolve, reject) => {
    server.on('error', reject).listen(0, '127.0.0.1', () => {
      const { port } = /** @type {import('node:net').AddressInfo} */ (server.address())
      resolve({ server, url: `http://127.0.0.1:${port}` })
    })
  })
