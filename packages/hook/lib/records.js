import { join } from 'node:path'
import { modeOf, readIfExists, sha256, writeAtomically } from './files.js'

/** @typedef {import('./place.js').Located} Located */
/** @typedef {{runner: string, scope: string, dir: string}} Installed */
/**
 * What a file was before, and what we made of it.
 * @typedef {{path: string, written: string,
 *   original: {exists: false} | {exists: true, base64: string, sha256: string, mode: number} | null}} Backup
 */
/** @typedef {{installed: Installed[], backups: Backup[]}} Records */

/** @param {Located} place */
const recordsFile = ({ config }) => join(config, 'installed.json')

/** @param {Located} place @returns {Records} */
export function readRecords(place) {
  const bytes = readIfExists(recordsFile(place))
  return bytes === null ? { installed: [], backups: [] } : JSON.parse(bytes.toString('utf8'))
}

/** @param {Located} place @param {Records} records */
export const writeRecords = (place, records) =>
  writeAtomically(recordsFile(place), `${JSON.stringify(records, null, 2)}\n`, 0o600)

/** @param {Installed} one @param {Located} place */
export const isSame = (one, { runner, scope, dir }) =>
  one.runner === runner && one.scope === scope && one.dir === dir

/**
 * The backup of a file that is about to be written. What was there before our first change is kept, unless others changed
 * the file since: then there is nothing to restore it to, and uninstalling takes our entries out.
 * @param {Records} records
 * @param {string} path
 * @param {string} content  what is about to be written
 * @returns {Backup}
 */
export function backupOf(records, path, content) {
  const bytes = readIfExists(path)
  const known = records.backups.find((backup) => backup.path === path)
  const written = sha256(content)
  if (known)
    return { path, written, original: bytes && sha256(bytes) === known.written ? known.original : null }
  if (bytes === null) return { path, written, original: { exists: false } }
  const original = { base64: bytes.toString('base64'), sha256: sha256(bytes), mode: modeOf(path) }
  return { path, written, original: { exists: true, ...original } }
}

/** @param {Records} records @param {Backup} backup @returns {Records} */
export const withBackup = (records, backup) => ({
  ...records,
  backups: [...records.backups.filter(({ path }) => path !== backup.path), backup],
})
