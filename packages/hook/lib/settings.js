import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { HookError } from './hook-error.js'
import { readIfExists } from './files.js'

/** @typedef {import('./index.js').Runner} Runner */
/**
 * Where the gate is, and how long a hook waits. `entry`: the name of the entry in Gemini CLI, which switches hooks off by name.
 * @typedef {{url: string, query: string, seconds: number, ca?: string | undefined, entry?: string | undefined}} Settings
 */

// The gate decides within 15 seconds, and longer only where a person is waited for.
const decisionSeconds = 20
const waitSecondsMax = 50
/** Copilot runs the tool when its hook takes too long, so there the hook is short. */
const waitSecondsOf = { copilot: 20 }

/**
 * What a hook needs to know, from what was given.
 * @param {{runner: Runner, url: string, ca?: string | undefined, wait?: number | undefined, headless?: boolean | undefined, version: string | null}} given
 * @returns {Settings}
 * @throws {HookError} on what is malformed
 */
export function settingsFrom({ runner, url, ca, wait, headless = false, version }) {
  if (ca !== undefined && !/^\/[^"\\\n]+$/.test(ca))
    throw new HookError('--ca must be the whole path of a file of certificates.')
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
  const settings = { url: baseUrl(url), query: String(query), seconds: waits + decisionSeconds }
  return ca === undefined ? settings : { ...settings, ca }
}

/**
 * @param {string} key
 * @returns {string}
 * @throws {HookError} on what is no key
 */
export function apiKey(key) {
  if (/^[\w.~-]{8,300}$/.test(key)) return key
  throw new HookError('The key is not an API key. Create one with `gate key mint`.')
}

/**
 * @param {string} text
 * @returns {string} without a slash at its end
 * @throws {HookError} where calls would travel unencrypted, or end up somewhere else
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
    throw new HookError('--url must start with https: calls would travel unencrypted.')
  return url.href.replace(/(?<!\/)\/+$/, '')
}

/**
 * The file that the hook's program reads.
 * @param {Settings} settings
 * @param {{isManaged?: boolean}} [given]  an administrator's file leaves only the key to each member
 */
export const formatEnv = ({ url, query, seconds, ca, entry }, { isManaged = false } = {}) =>
  [
    `GATE_URL=${url}`,
    `GATE_QUERY=${query}&as=text`,
    `GATE_SECONDS=${seconds}`,
    ...(ca === undefined ? [] : [`GATE_CA=${ca}`]),
    ...(entry === undefined ? [] : [`GATE_ENTRY=${entry}`]),
    ...(isManaged ? ['GATE_KEYS=member'] : []),
    '',
  ].join('\n')

/** @param {string} config @param {Runner} runner */
export const envFile = (config, runner) => join(config, `${runner}.env`)

/** @param {string} config @param {Runner} runner */
export const keyFile = (config, runner) => join(config, `${runner}.key`)

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
  const { GATE_URL: url, GATE_QUERY: query, GATE_SECONDS: seconds, GATE_CA: ca, GATE_ENTRY: entry } = fields
  if (!url || !query || !seconds) return null
  return {
    url,
    query: query.replace(/&as=text$/, ''),
    seconds: Number(seconds),
    ...(ca === undefined ? {} : { ca }),
    ...(entry === undefined ? {} : { entry }),
  }
}

/**
 * The settings with a name for the entry that no file of a repository can have, where the runner switches hooks off by name.
 * @param {Runner} runner
 * @param {Settings} settings
 * @param {string | undefined} [former]  the name that is in use
 * @returns {Settings}
 */
export const withEntryName = (runner, settings, former) =>
  runner === 'gemini' ? { ...settings, entry: former ?? `gate-${randomBytes(16).toString('hex')}` } : settings
