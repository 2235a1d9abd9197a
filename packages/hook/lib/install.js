import { check, reportOf } from './doctor.js'
import { modeOf, readIfExists, writeAtomically } from './files.js'
import { HookError } from './hook-error.js'
import { checkHooks, formatJson, readJson } from './json-file.js'
import { locate } from './place.js'
import { keyOf, planOf } from './plan.js'
import { backupOf, isSame, readRecords, withBackup, writeRecords } from './records.js'
import { readVersion } from './runner-program.js'
import { apiKey, readEnv, settingsFrom, withEntryName } from './settings.js'

/** @typedef {import('./index.js').ChangedFile} ChangedFile */
/** @typedef {import('./place.js').Located} Located */
/** @typedef {import('./plan.js').Plan} Plan */
/** @typedef {{path: string, content: string, mode: number, isMerged: boolean, isChanged: boolean}} Draft */

/** @type {typeof import('./index.js').install} */
export async function install(options) {
  const place = locate(options)
  const version = readVersion(place, options.binary)
  const settings = named(place, settingsFrom({ ...options, version }))
  const plan = planOf(place, settings, apiKey(options.key))
  // Everything is read and merged before anything is written: a file that cannot be merged leaves all as it is.
  const drafts = [...ownDrafts(plan), ...mergedDrafts(plan)]
  const files = writeAll(place, drafts)
  const findings = options.hasCanary === false ? [] : await check(place, { ...options, version })
  return reportOf(place, version, files, findings)
}

/** The entry of a project is the same for all its members. @param {Located} place @param {import('./settings.js').Settings} settings */
const named = ({ runner, scope, config }, settings) =>
  scope === 'user' ? withEntryName(runner, settings, readEnv(config, runner)?.entry) : settings

/** @type {typeof import('./index.js').installKey} */
export function installKey({ runner, env, key }) {
  const place = locate({ runner, env })
  return {
    runner,
    files: writeAll(place, ownDrafts({ own: [keyOf(place, apiKey(key))] }), { isNoted: false }),
  }
}

/** @param {Pick<Plan, 'own'>} plan @returns {Draft[]} */
function ownDrafts(plan) {
  return plan.own.map(({ path, content, mode }) => {
    const former = readIfExists(path)?.toString('utf8')
    if (former !== undefined && path.endsWith('.js') && !former.includes('QualificationGate'))
      throw new HookError(`${path} is not ours. It was left as it is.`)
    const isChanged = former !== content || modeOf(path) !== mode
    return { path, content, mode, isMerged: false, isChanged }
  })
}

/** Several parts may be for one file. @param {Plan} plan @returns {Draft[]} */
function mergedDrafts({ merges }) {
  const paths = [...new Set(merges.map(({ path }) => path))]
  return paths.map((path) => {
    const parts = merges.filter((part) => part.path === path)
    const { json, text } = readJson(path)
    let next = json
    for (const { add, events } of parts) {
      checkHooks(path, json, Object.keys(events))
      next = add(next)
    }
    const most = parts.reduce((mode, part) => mode & part.mode, 0o777)
    const mode = text === null ? most : modeOf(path) & (most | ~0o077)
    const isSameJson = text !== null && JSON.stringify(next) === JSON.stringify(json)
    const content = isSameJson ? text : formatJson(next, text)
    return { path, content, mode, isMerged: true, isChanged: !isSameJson || modeOf(path) !== mode }
  })
}

/**
 * @param {Located} place
 * @param {Draft[]} drafts
 * @param {{isNoted?: boolean}} [given]  whether the place counts as an installation, for uninstalling
 * @returns {ChangedFile[]}
 */
function writeAll(place, drafts, { isNoted = true } = {}) {
  try {
    let records = readRecords(place)
    for (const { path, content, isMerged, isChanged } of drafts)
      if (isMerged && isChanged) records = withBackup(records, backupOf(records, path, content))
    const { runner, scope, dir } = place
    const others = records.installed.filter((one) => !isSame(one, place))
    // The backups before what they are for.
    if (isNoted) writeRecords(place, { ...records, installed: [...others, { runner, scope, dir }] })
    for (const { path, content, mode, isChanged } of drafts)
      if (isChanged) writeAtomically(path, content, mode)
  } catch (error) {
    throw new HookError(`The files could not be written: ${/** @type {Error} */ (error).message}.`)
  }
  return drafts.map(({ path, isChanged }) => ({ path, change: isChanged ? 'written' : 'unchanged' }))
}
