import { existsSync } from 'node:fs'
import { canaryFindings } from './canary-findings.js'
import { missingEntry } from './entries.js'
import { modeOf, readIfExists } from './files.js'
import { HookError } from './hook-error.js'
import { readJson } from './json-file.js'
import { liveFindings } from './live.js'
import { offSwitches, openEnds } from './open-ends.js'
import { locate } from './place.js'
import { asset, hookFile, planOf } from './plan.js'
import { programs, readVersion } from './runner-program.js'
import { envFile, readEnv } from './settings.js'

/** @typedef {import('./index.js').Finding} Finding */
/** @typedef {import('./index.js').Report} Report */
/** @typedef {import('./place.js').Located} Located */

// By the program that runs now: that of the gate, or of this package. No package of a registry.
const again = 'Run `install` again in place of `doctor`.'

/** @type {typeof import('./index.js').doctor} */
export async function doctor(options) {
  const place = locate(options)
  if (!existsSync(hookFile(place)) && !existsSync(envFile(place.config, place.runner)))
    throw new HookError(
      `The hook for ${place.runner} is not installed there. Run \`install\` in place of \`doctor\`.`,
    )
  const version = readVersion(place, options.binary)
  return reportOf(place, version, [], await check(place, { ...options, version }))
}

/**
 * @param {Located} place
 * @param {string | null} version
 * @param {import('./index.js').ChangedFile[]} files
 * @param {Finding[]} findings
 * @returns {Report}
 */
export const reportOf = ({ runner }, version, files, findings) => ({
  runner,
  version,
  files,
  findings,
  is_gating: findings.every(({ verdict }) => verdict !== 'fails'),
})

/**
 * What blocks and what does not.
 * @param {Located} place
 * @param {{version: string | null, binary?: string | undefined, isLive?: boolean | undefined}} given
 * @returns {Promise<Finding[]>}
 */
export async function check(place, { version, binary, isLive }) {
  const { name } = programs[place.runner]
  const settings = readEnv(place.config, place.runner)
  if (!settings) {
    const detail = `${envFile(place.config, place.runner)} is missing or incomplete. ${again}`
    return [{ check: 'settings', verdict: 'fails', detail }]
  }
  /** @type {Finding} */
  const versionFinding = version
    ? { check: 'version', verdict: 'ok', detail: `${name} ${version}` }
    : {
        check: 'version',
        verdict: 'note',
        detail: `${name} was not found on this machine: its version was not checked.`,
      }
  const files = [entryFinding(place, settings), ...keyFindings(place)]
  const canaries = files[0]?.verdict === 'fails' ? [] : await canaryFindings(place, settings)
  return [
    versionFinding,
    ...files,
    ...offSwitches(place),
    ...canaries,
    ...(isLive ? await liveFindings(place, settings, binary) : []),
    ...openEnds(place),
  ]
}

/**
 * A runner drops a malformed entry without a word, so it must be there as it was written.
 * @param {Located} place
 * @param {import('./settings.js').Settings} settings
 * @returns {Finding}
 */
function entryFinding(place, settings) {
  const path = hookFile(place)
  if (place.runner === 'opencode') {
    const isOurs = readIfExists(path)?.toString('utf8') === asset('opencode-plugin.js')
    if (isOurs) return { check: 'entry', verdict: 'ok', detail: path }
    return {
      check: 'entry',
      verdict: 'fails',
      detail: `${path} is missing or was changed. ${again}`,
    }
  }
  const { json } = readJson(path)
  const plan = planOf(place, settings)
  const missing = plan.merges.map(({ events }) => missingEntry(json, events)).find(Boolean)
  if (missing)
    return {
      check: 'entry',
      verdict: 'fails',
      detail: `${path} has no ${missing} entry, or it was changed. ${again}`,
    }
  return { check: 'entry', verdict: 'ok', detail: path }
}

/** @param {Located} place @returns {Finding[]} */
function keyFindings(place) {
  const plan = planOf(place, { url: 'https://gate.invalid', key: '', query: '', seconds: 0 })
  const secret = [
    envFile(place.config, place.runner),
    ...plan.merges.filter(({ part }) => part === 'key').map(({ path }) => path),
  ]
  return secret.map((path) => {
    if (!existsSync(path))
      return {
        check: 'key',
        verdict: 'fails',
        detail: `${path} is missing. ${again}`,
      }
    if ((modeOf(path) & 0o077) === 0)
      return { check: 'key', verdict: 'ok', detail: `Only you can read ${path}` }
    return { check: 'key', verdict: 'fails', detail: `Others can read ${path}. Run chmod 600 on it.` }
  })
}
