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
  const needed = remaining.map((one) => planOf(one, anySettings))
  const neededMerges = needed.flatMap(({ merges }) => merges)
  const isNeeded = (/** @type {Merge} */ { path, part }) =>
    neededMerges.some((other) => other.path === path && other.part === part)
  const parts = plan.merges.filter((part) => !isNeeded(part))
  const own = plan.own.filter(
    ({ path }) => !needed.some((other) => other.own.some((file) => file.path === path)),
  )
  if (parts.every(({ path }) => !existsSync(path)) && own.every(({ path }) => !existsSync(path)))
    throw new HookError(`The hook for ${place.runner} is not installed there.`)

  /** @type {ChangedFile[]} */
  const files = []
  let { backups } = records
  for (const path of new Set(parts.map((part) => part.path))) {
    const backup = backups.find((one) => one.path === path)
    const isShared = neededMerges.some((other) => other.path === path)
    const removed = removeFrom(
      path,
      parts.filter((part) => part.path === path),
      isShared ? undefined : backup,
    )
    files.push({ path, change: removed.change })
    backups = backups.filter((one) => one !== backup)
    if (backup && isShared)
      backups.push(removed.hash === null ? backup : { ...backup, ...afterRemoval(backup, removed) })
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
const anySettings = { url: 'https://gate.invalid', key: '', query: '', seconds: 0 }

/**
 * @param {string} path
 * @param {Merge[]} parts
 * @param {Backup | undefined} backup
 * @returns {{change: ChangedFile['change'], former: string | null, hash: string | null}}
 */
function removeFrom(path, parts, backup) {
  const bytes = readIfExists(path)
  if (bytes === null) return { change: 'unchanged', former: null, hash: null }
  const former = sha256(bytes)
  if (backup?.original && former === backup.written) {
    const { original } = backup
    if (original.exists) writeAtomically(path, Buffer.from(original.base64, 'base64'), original.mode)
    else rmSync(path)
    return { change: original.exists ? 'restored' : 'removed', former, hash: null }
  }
  const { json, text } = readJson(path)
  const next = parts.reduce((rest, { remove }) => remove(rest), json)
  if (JSON.stringify(next) === JSON.stringify(json)) return { change: 'unchanged', former, hash: null }
  const content = formatJson(next, text)
  writeAtomically(path, content, modeOf(path))
  return { change: 'written', former, hash: sha256(content) }
}

/**
 * The backup of a file that another installation still uses: it stays good if only we changed the file.
 * @param {Backup} backup
 * @param {{former: string | null, hash: string | null}} removed
 */
const afterRemoval = (backup, { former, hash }) => ({
  written: hash ?? backup.written,
  original: former === backup.written ? backup.original : null,
})

/** @param {Located} place */
function removeFolder({ config }) {
  rmSync(join(config, 'installed.json'), { force: true })
  if (existsSync(config) && readdirSync(config).length === 0) rmdirSync(config)
}
