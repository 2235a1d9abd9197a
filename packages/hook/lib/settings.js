import { join } from 'node:path'
import { HookError } from './hook-error.js'
import { readIfExists } from './files.js'

/** @typedef {import('./index.js').Runner} Runner */
/** @typedef {{url: string, key: string, query: string, seconds: number}} Settings */

// The gate decides within 15 seconds, and longer only where a person is waited for.
const decisionSeconds = 20
const waitSecondsMax = 50
/** Copilot runs the tool when its hook takes too long, so there the hook is short. */
const waitSecondsOf = { copilot: 20 }

/**
 * What a hook needs to know, from what was given.
 * @param {{runner: Runner, url: string, key: string, wait?: number | undefined, headless?: boolean | undefined, version: string | null}} given
 * @returns {Settings}
 * @throws {HookError} on what is malformed
 */
export function settingsFrom({ runner, url, key, wait, headless = false, version }) {
  if (!/^[\w.~-]{8,300}$/.test(key))
    throw new HookError('The key is not an API key. Create one with `gate key mint`.')
  if (wait !== undefined && !(Number.isInteger(wait) && wait >= 0 && wait <= waitSecondsMax))
    throw new HookError(`--wait must be a whole number of seconds from 0 to ${waitSecondsMax}.`)
  if (headless && runner !== 'claude')
    throw new HookError('--headless is for Claude Code: no other runner can take up a deferred call.')
  const waits = wait ?? (runner === 'copilot' ? waitSecondsOf.copilot : waitSecondsMax)
  const isTold = wait !== undefined || runner !== 'claude'
  const query = new URLSearchParams({
    runner,
    ...(isTold ? { wait: String(waits) } : {}),
    ...(headless ? { headless: '1' } : {}),
    ...(version ? { version } : {}),
  })
  return { url: baseUrl(url), key, query: String(query), seconds: waits + decisionSeconds }
}

/**
 * @param {string} text
 * @returns {string} without a slash at its end
 * @throws {HookError} where the key would travel unencrypted, or end up somewhere else
 */
export function baseUrl(text) {
  const url = URL.canParse(text) ? new URL(text) : null
  if (
    !url ||
    !/^https?:$/.test(url.protocol) ||
    url.username ||
    url.search ||
    url.hash ||
    /['"\\\s]/.test(text)
  )
    throw new HookError('--url must be the address of the gate, for example https://gate.example.com.')
  const isLoopback = /^(localhost|127(\.\d+){3}|\[::1\])$/.test(url.hostname)
  if (url.protocol === 'http:' && !isLoopback)
    throw new HookError('--url must start with https: the key would travel unencrypted.')
  return url.href.replace(/(?<!\/)\/+$/, '')
}

/**
 * The file that the wrappers and the plugin read.
 * @param {Settings} settings
 */
export const formatEnv = ({ url, key, query, seconds }) =>
  `GATE_URL=${url}\nGATE_KEY=${key}\nGATE_QUERY=${query}&as=text\nGATE_SECONDS=${seconds}\n`

/** @param {string} config @param {Runner} runner */
export const envFile = (config, runner) => join(config, `${runner}.env`)

/**
 * Reads back what was installed.
 * @param {string} config
 * @param {Runner} runner
 * @returns {Settings | null}
 */
export function readEnv(config, runner) {
  const bytes = readIfExists(envFile(config, runner))
  if (bytes === null) return null
  const lines = bytes.toString('utf8').split('\n').filter(Boolean)
  const fields = Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
  )
  const { GATE_URL: url, GATE_KEY: key, GATE_QUERY: query, GATE_SECONDS: seconds } = fields
  if (!url || !key || !query || !seconds) return null
  return { url, key, query: query.replace(/&as=text$/, ''), seconds: Number(seconds) }
}
