import { existsSync, rmSync, rmdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { modeOf, readIfExists, sha256, writeAtomically } from './files.js'
import { HookError } from './hook-error.js'
import { formatJson, readJson } from './json-file.js'
import { locate } from './place.js'
import { planOf } from './plan.js'
import { isSame, readRecords, writeRecords } from './records.js'

/** @typedef {import('./index.js').ChangedFile} ChangedFile */
/** @typedef {import('./place.js').Located} Located */
/** @typedef {import('./plan.js').Merge} Merge */
/** @typedef {import('./records.js').Backup} Backup */

/** @type {typeof import('./index.js').uninstall} */
export async function uninstall(given) {
  const place = locate(given)
  const records = readRecords(place)
  const remaining = records.installed
    .filter((one) => !isSame(one, place))
    .map((one) => locate(/** @type {import('./index.js').Place} */ ({ ...one, env: place.env })))
  const plan = planOf(place, anySettings)
  const needed = remaining
    .map((one) => planOf(one, anySettings))
    .flatMap(({ merges, own }) => [...merges, ...own])
  const isOurs = (/** @type {{path: string}} */ { path }) => !needed.some((other) => other.path === path)
  const merges = plan.merges.filter(isOurs)
  const own = plan.own.filter(isOurs)
  if ([...merges, ...own].every(({ path }) => !existsSync(path)))
    throw new HookError(`The hook for ${place.runner} is not installed there.`)

  /** @type {ChangedFile[]} */
  const files = []
  let { backups } = records
  for (const merge of merges) {
    const backup = backups.find(({ path }) => path === merge.path)
    files.push({ path: merge.path, change: removeFrom(merge, backup) })
    backups = backups.filter((one) => one !== backup)
  }
  for (const { path } of own) {
    if (!existsSync(path)) continue
    rmSync(path)
    files.push({ path, change: 'removed' })
  }
  const installed = records.installed.filter((one) => !isSame(one, place))
  writeRecords(place, { installed, backups })
  if (installed.length === 0) removeFolder(place)
  return { runner: place.runner, files }
}

/** Removing needs to know the places of files, and nothing of what is in them. */
const anySettings = { url: 'https://gate.invalid', query: '', seconds: 0 }

/**
 * @param {Merge} merge
 * @param {Backup | undefined} backup
 * @returns {ChangedFile['change']}
 */
function removeFrom({ path, remove }, backup) {
  const bytes = readIfExists(path)
  if (bytes === null) return 'unchanged'
  if (backup?.original && sha256(bytes) === backup.written) {
    const { original } = backup
    if (original.exists) writeAtomically(path, Buffer.from(original.base64, 'base64'), original.mode)
    else rmSync(path)
    return original.exists ? 'restored' : 'removed'
  }
  const { json, text } = readJson(path)
  const next = remove(json)
  if (JSON.stringify(next) === JSON.stringify(json)) return 'unchanged'
  writeAtomically(path, formatJson(next, text), modeOf(path))
  return 'written'
}

/** @param {Located} place */
function removeFolder({ config }) {
  rmSync(join(config, 'installed.json'), { force: true })
  if (existsSync(config) && readdirSync(config).length === 0) rmdirSync(config)
}
