import { isObject } from './json-file.js'

/** @typedef {import('./json-file.js').Json} Json */

/**
 * Whether a hook is ours: by the script that it runs, or the address that it calls.
 * @param {Json} hook
 */
export const isOurs = (hook) =>
  [hook['command'], hook['bash'], hook['url']].some(
    (text) =>
      typeof text === 'string' &&
      /\/gate-(hook|outcome)\.sh|\/api\/v1\/runner\/(tool-calls|outcomes)\?/.test(text),
  )

/**
 * Puts our entries behind those of others.
 * @param {Json} json
 * @param {Record<string, Json>} entries  one for each event
 * @returns {Json}
 */
export function addEntries(json, entries) {
  const hooks = { ...removeEntries(json)['hooks'] }
  for (const [event, entry] of Object.entries(entries)) hooks[event] = [...(hooks[event] ?? []), entry]
  return { ...json, hooks }
}

/**
 * Takes our entries out, and what is empty without them.
 * @param {Json} json
 * @returns {Json}
 */
export function removeEntries(json) {
  if (!isObject(json['hooks'])) return json
  const hooks = Object.entries(json['hooks']).flatMap(([event, entries]) => {
    const others = othersOf(entries)
    return others.length === 0 && entries.length > 0 ? [] : [[event, others]]
  })
  const { hooks: former, ...rest } = json
  if (hooks.length === 0 && Object.keys(former).length > 0) return rest
  return { ...json, hooks: Object.fromEntries(hooks) }
}

/** @param {any} entries */
function othersOf(entries) {
  if (!Array.isArray(entries)) return entries
  return entries.flatMap((entry) => {
    if (!isObject(entry)) return [entry]
    if (!Array.isArray(entry['hooks'])) return isOurs(entry) ? [] : [entry]
    const others = entry['hooks'].filter((hook) => !isObject(hook) || !isOurs(hook))
    if (others.length === entry['hooks'].length) return [entry]
    return others.length === 0 ? [] : [{ ...entry, hooks: others }]
  })
}

/**
 * The event of an entry that is not in the settings as it was written; undefined if all are.
 * @param {Json} json
 * @param {Record<string, Json>} entries
 */
export const missingEntry = (json, entries) =>
  Object.keys(entries).find(
    (event) =>
      !(json['hooks']?.[event] ?? []).some(
        (/** @type {Json} */ entry) => JSON.stringify(entry) === JSON.stringify(entries[event]),
      ),
  )
