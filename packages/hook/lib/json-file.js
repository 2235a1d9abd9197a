import { HookError } from './hook-error.js'
import { readIfExists } from './files.js'

/** @typedef {Record<string, any>} Json */

/**
 * Reads a settings file.
 * @param {string} path
 * @returns {{json: Json, text: string | null}} `text` is null if there is no file
 * @throws {HookError} on anything but a JSON object: it is left as it is
 */
export function readJson(path) {
  const bytes = readIfExists(path)
  if (bytes === null) return { json: {}, text: null }
  const text = bytes.toString('utf8')
  if (text.trim() === '') return { json: {}, text }
  try {
    const json = JSON.parse(text.replace(/^\uFEFF/, ''))
    if (isObject(json)) return { json, text }
  } catch {
    // Told below.
  }
  throw new HookError(
    `${path} is not a JSON object, or it has comments. It was left as it is. Correct it, then try again.`,
  )
}

/** @param {unknown} value @returns {value is Json} */
export const isObject = (value) => typeof value === 'object' && value !== null && !Array.isArray(value)

/**
 * Formats a settings file with the indentation that it had.
 * @param {Json} json
 * @param {string | null} former
 */
export function formatJson(json, former) {
  const [, indent = '  '] = /^\{\r?\n([ \t]+)/.exec(former ?? '') ?? []
  return `${JSON.stringify(json, null, indent)}\n`
}

/**
 * Checks that the hooks of a settings file have the form in which they can be merged.
 * @param {string} path
 * @param {Json} json
 * @param {string[]} events
 * @throws {HookError}
 */
export function checkHooks(path, json, events) {
  const hooks = json['hooks'] ?? {}
  const wrong = !isObject(hooks)
    ? 'hooks'
    : events.find((event) => hooks[event] !== undefined && !isGroups(hooks[event]))
  if (wrong === undefined) return
  throw new HookError(`In ${path}, ${wrong} does not have the form of hooks. It was left as it is.`)
}

/** @param {unknown} groups */
const isGroups = (groups) =>
  Array.isArray(groups) &&
  groups.every((group) => isObject(group) && (group['hooks'] === undefined || Array.isArray(group['hooks'])))
