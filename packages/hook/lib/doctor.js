import { existsSync, statSync } from 'node:fs'
import { callsElsewhere, canaryFindings, onLedger, ourCommand, runEntry } from './canary-findings.js'
import { missingEntry } from './entries.js'
import { modeOf, readIfExists } from './files.js'
import { HookError } from './hook-error.js'
import { readJson } from './json-file.js'
import { liveFindings } from './live.js'
import { managedFolder, managedFrom } from './managed.js'
import { openEnds } from './open-ends.js'
import { accountHome, locate } from './place.js'
import { hookFile, planOf } from './plan.js'
import { repositoryFindings } from './repository.js'
import { programs, readVersion } from './runner-program.js'
import { envFile, keyFile, readEnv } from './settings.js'

/** @typedef {import('./index.js').Finding} Finding */
/** @typedef {import('./index.js').Report} Report */
/** @typedef {import('./place.js').Located} Located */

// The program that runs now is named, that of the gate or of this package: no package of a registry.
const again = 'Run `install` again in place of `doctor`.'

/** @type {typeof import('./index.js').doctor} */
export async function doctor(options) {
  const place = locate(options)
  const isThere = options.isManaged
    ? existsSync(envFile(managedFolder, place.runner))
    : existsSync(hookFile(place)) || existsSync(envFile(place.config, place.runner))
  if (!isThere)
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
 * @param {{version: string | null, binary?: string | undefined, isLive?: boolean | undefined, isManaged?: boolean | undefined}} given
 * @returns {Promise<Finding[]>}
 */
export async function check(place, { version, binary, isLive, isManaged = false }) {
  const folder = isManaged ? managedFolder : place.config
  const settings = readEnv(folder, place.runner)
  if (!settings) {
    const detail = `${envFile(folder, place.runner)} is missing or incomplete. ${again}`
    return [{ check: 'settings', verdict: 'fails', detail }]
  }
  const files = isManaged
    ? [...managedFindings(place, settings), keyFinding(place)]
    : [entryFinding(place, settings), keyFinding(place), ...homeFindings(place)]
  const canaries = files.some(({ check, verdict }) => check === 'entry' && verdict === 'fails')
    ? []
    : await (isManaged ? managedCanaries(place, settings) : canaryFindings(place, settings))
  return [
    versionFinding(place, version),
    ...files,
    ...repositoryFindings(place, { isManaged }),
    ...canaries,
    ...(isLive ? await liveFindings(place, binary) : []),
    ...openEnds(place, { isManaged }),
    questionsFinding(place),
  ]
}

/** What spares its member questions, or ends them. @param {Located} place @returns {Finding} */
const questionsFinding = ({ runner }) => ({
  check: 'questions',
  verdict: 'note',
  detail: `${
    tellFolder.includes(runner)
      ? "After two approvals of a project's own tools, such as npm test, the gate offers the member to allow them for 30 days"
      : "The gate offers nothing for a project's own tools, such as npm test: this runner does not tell for certain in which folder a command runs. Write a rule"
  }. An agent that asks too often is stopped for a while, and the member is told`,
})

const tellFolder = ['claude', 'gemini', 'opencode']

/** @param {Located} place @param {string | null} version @returns {Finding} */
function versionFinding({ runner }, version) {
  const { name } = programs[runner]
  if (version) return { check: 'version', verdict: 'ok', detail: `${name} ${version}` }
  const detail = `${name} was not found on this machine: its version was not checked.`
  return { check: 'version', verdict: 'note', detail }
}

/**
 * A runner drops a malformed entry without a word, so it must be there as it was written.
 * @param {Located} place
 * @param {import('./settings.js').Settings} settings
 * @returns {Finding}
 */
function entryFinding(place, settings) {
  const path = hookFile(place)
  const plan = planOf(place, settings)
  if (place.runner === 'opencode') {
    const plugin = plan.own.find((file) => file.path === path)
    if (readIfExists(path)?.toString('utf8') === plugin?.content)
      return { check: 'entry', verdict: 'ok', detail: path }
    return {
      check: 'entry',
      verdict: 'fails',
      detail: `${path} is missing or was changed. ${again}`,
    }
  }
  const { json } = readJson(path)
  const missing = plan.merges.map(({ events }) => missingEntry(json, events)).find(Boolean)
  if (missing)
    return {
      check: 'entry',
      verdict: 'fails',
      detail: `${path} has no ${missing} entry, or it was changed. ${again}`,
    }
  return { check: 'entry', verdict: 'ok', detail: path }
}

/** @param {Located} place @returns {Finding} */
function keyFinding({ config, runner }) {
  const path = keyFile(config, runner)
  if (!existsSync(path))
    return {
      check: 'key',
      verdict: 'fails',
      detail: `${path} is missing. Run \`install\` or \`key\` in place of \`doctor\`.`,
    }
  if ((modeOf(path) & 0o077) === 0)
    return { check: 'key', verdict: 'ok', detail: `Only you can read ${path}` }
  return { check: 'key', verdict: 'fails', detail: `Others can read ${path}. Run chmod 600 on it.` }
}

/** The entry of a project finds the program in the home folder of the password database. @param {Located} place @returns {Finding[]} */
const homeFindings = ({ scope, home }) =>
  scope === 'user' || home === accountHome()
    ? []
    : [
        {
          check: 'home',
          verdict: 'fails',
          detail: `HOME is ${home}, and the entry of a project looks in ${accountHome()}. Install with HOME=${accountHome()}.`,
        },
      ]

/**
 * The files of an administrator are there as they are printed, and nobody else can change them.
 * @param {Located} place
 * @param {import('./settings.js').Settings} settings
 * @returns {Finding[]}
 */
const managedFindings = ({ runner }, settings) =>
  managedFrom(runner, settings).files.map(({ path, content }) => {
    const found = readIfExists(path)?.toString('utf8')
    if (found !== content)
      return {
        check: 'entry',
        verdict: 'fails',
        detail: `${path} is missing, or is not as install --managed prints it.`,
      }
    const { uid, mode } = statSync(path)
    if (uid !== 0 || (mode & 0o022) !== 0)
      return { check: 'owner', verdict: 'fails', detail: `${path} can be changed by others than root.` }
    return { check: 'entry', verdict: 'ok', detail: path }
  })

/** @param {Located} place @param {import('./settings.js').Settings} settings @returns {Promise<Finding[]>} */
async function managedCanaries(place, settings) {
  const key = readIfExists(keyFile(place.config, place.runner)) ?? ''
  const [entry] = managedFrom(place.runner, settings).files
  const content = entry?.content ?? '{}'
  const line = content.split('\n').find((one) => one.startsWith('command = ') && one.includes(' tool-calls'))
  const command =
    place.runner === 'codex'
      ? JSON.parse(line?.slice('command = '.length) ?? '""')
      : ourCommand(JSON.parse(content))
  return [onLedger(await runEntry(command, place)), ...(await callsElsewhere(place, settings, key))]
}
