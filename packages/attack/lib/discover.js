const candidatesMax = 20

/**
 * Fills in members that were not named, from the newest actions of the account.
 * @param {import('./index.js').Adapter} adapter
 * @param {import('./index.js').Scene} given
 * @returns {Promise<import('./index.js').Scene>}
 */
export async function discover(adapter, given) {
  if (given.member && given.other && given.low) return given
  const { actions = [] } = await adapter.list({ limit: 200, order: 'desc' })
  const names = [...new Set(actions.map(({ member }) => member))].slice(0, candidatesMax)
  const scene = { ...given }
  const taken = new Set([given.member, given.other, given.low].map((member) => JSON.stringify(member)))
  for (const member of names.map(named).filter((one) => one !== undefined)) {
    if (taken.has(JSON.stringify(member))) continue
    const { tier } = await adapter.readTier(member)
    if (tier === undefined) continue
    if (tier === 'read_only') scene.low ??= member
    else if (scene.member === undefined) scene.member = member
    else scene.other ??= member
  }
  // Who may not propose is another member too.
  scene.other ??= scene.low
  return scene
}

/** @param {string | undefined} name @returns {import('./index.js').Member | undefined} */
function named(name) {
  if (name === undefined) return undefined
  if (name.startsWith('slack:')) return { provider: 'slack', external_id: name.slice('slack:'.length) }
  return name.includes('@') ? { email: name } : undefined
}
