import { attacks } from './attacks/registry.js'
import { requirements } from './requirements.js'
import { Finding, Inapplicable, makeTrial } from './trial.js'
import { tool } from './tool.js'

/** @typedef {import('./index.js').Result} Result @typedef {import('./index.js').Attack} Attack */

/** Why an attack that needs something is not tried without it. @type {Record<import('./index.js').Need, string>} */
const missing = {
  member: 'needs a member who may propose (--member)',
  other: 'needs another member (--other-member)',
  low: 'needs a member who may not propose (--low-member)',
  secondKey: 'needs the key of another account (--second-key)',
  secondMember: 'needs a member of the other account (--second-member)',
  limitedKey: 'needs a key that may not confirm (--limited-key)',
  revokedKey: 'needs a revoked key (--revoked-key)',
  runnerKey: 'needs the key of a runner (--runner-key)',
  conversation: 'needs a conversation of the member (--conversation)',
  foreignConversation: 'needs a conversation of others (--foreign-conversation)',
  effects: 'confirms: needs --allow-effects',
}

/** @type {typeof import('./index.js').runAttacks} */
export async function runAttacks({ url, adapters, scene, only, secrets, onResult }) {
  const startedAt = new Date().toISOString()
  const chosen = attacks.filter(({ id }) => only === undefined || only.includes(id))
  /** @type {Result[]} */
  const results = []
  /** @type {(number | string)[]} */
  const leftOpen = []
  for (const adapter of adapters) {
    for (const attack of chosen) {
      const { result, left } = await tryOne({ attack, adapter, adapters, scene, secrets })
      results.push(result)
      leftOpen.push(...left)
      onResult?.(result)
    }
  }
  const count = (/** @type {Result['verdict']} */ verdict) =>
    results.filter((result) => result.verdict === verdict).length
  return {
    tool,
    url,
    started_at: startedAt,
    passed: count('passed'),
    failed: count('failed'),
    not_applicable: count('not_applicable'),
    left_open: leftOpen,
    results,
  }
}

/** @param {Parameters<typeof makeTrial>[0]} given */
async function tryOne(given) {
  const { attack, adapter, scene } = given
  const { id, topic, title } = attack
  const started = performance.now()
  const { trial, evidence, redact, cleanUp } = makeTrial(given)
  const about = {
    id,
    transport: adapter.name,
    topic,
    title,
    requirements: attack.requirements.map((name) => ({ id: name, text: requirements[name]?.text ?? '' })),
  }
  const { verdict, reason } = await verdictOf(attack, adapter, { scene, trial })
  const left = await cleanUp().catch(() => [])
  const ms = Math.round(performance.now() - started)
  /** @type {Result} */
  const result = {
    ...about,
    verdict,
    ...(reason === undefined ? {} : { reason: redact(reason) }),
    evidence,
    ms,
  }
  return { result, left }
}

/**
 * @param {Attack} attack @param {import('./index.js').Adapter} adapter
 * @param {{ scene: import('./index.js').Scene, trial: import('./index.js').Trial }} given
 * @returns {Promise<Pick<Result, 'verdict' | 'reason'>>}
 */
async function verdictOf(attack, adapter, { scene, trial }) {
  const reason = whyNot(attack, adapter, scene)
  if (reason !== undefined) return { verdict: 'not_applicable', reason }
  try {
    await attack.run(trial)
    return { verdict: 'passed' }
  } catch (error) {
    if (error instanceof Inapplicable) return { verdict: 'not_applicable', reason: error.message }
    if (error instanceof Finding) return { verdict: 'failed', reason: error.message }
    return { verdict: 'failed', reason: `could not be tried: ${/** @type {Error} */ (error).message}` }
  }
}

/** @param {Attack} attack @param {import('./index.js').Adapter} adapter @param {import('./index.js').Scene} scene */
function whyNot({ needs, transports, confirms }, adapter, scene) {
  if (transports && !transports.includes(adapter.name)) return `not of ${adapter.name}`
  const lacking = needs.find((need) => (need === 'effects' ? !scene.allowEffects : scene[need] === undefined))
  if (lacking !== undefined) return missing[lacking]
  const isUnsafe = confirms && !adapter.bindsDigest && !scene.allowEffects
  return isUnsafe ? missing.effects : undefined
}
