/** @typedef {import('./index.js').Finding} Finding */

/**
 * Drives the runner itself.
 * @param {import('./place.js').Located} place
 * @param {string | undefined} _binary
 * @returns {Promise<Finding[]>}
 */
export async function liveFindings(place, _binary) {
  return [{ check: 'live', verdict: 'note', detail: `not available for ${place.runner}` }]
}
