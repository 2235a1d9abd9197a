import { randomBytes } from 'node:crypto'
import { redactor } from './redact.js'

/** @typedef {import('./index.js').Adapter} Adapter @typedef {import('./index.js').Answer} Answer */

/** A claim that does not hold. */
export class Finding extends Error {}
/** The attack cannot be tried here. */
export class Inapplicable extends Error {}

const excerptCharsMax = 300
/** Races make many exchanges of one form: the evidence has the first of them. */
const exchangesMax = 24
const noDigest = '0'.repeat(64)

/**
 * @param {{ attack: import('./index.js').Attack, adapter: Adapter, adapters: Adapter[],
 *   scene: import('./index.js').Scene, secrets: string[] }} given
 * @returns {{ trial: import('./index.js').Trial, evidence: import('./index.js').Exchange[],
 *   redact: (text: string) => string, cleanUp: () => Promise<(number | string)[]> }}
 */
export function makeTrial({ attack, adapter, adapters, scene, secrets }) {
  const redact = redactor(secrets)
  /** @type {import('./index.js').Exchange[]} */
  const evidence = []
  /** @type {Map<number | string, unknown>} */
  const proposed = new Map()
  const member = /** @type {import('./index.js').Member} */ (scene.member)
  const nonce = () => randomBytes(9).toString('hex')

  /** @param {Answer} answer @param {boolean} isAsked  for a proposal @param {{ member?: unknown }} [given] */
  const keep = (answer, isAsked, given) => {
    if (evidence.length < exchangesMax)
      evidence.push({
        request: redact(answer.request).slice(0, excerptCharsMax),
        status: answer.status,
        answer: redact(answer.text).slice(0, excerptCharsMax),
      })
    const { action } = answer
    // An action that was only read is not ours to cancel.
    if (isAsked && answer.outcome === 'done' && action?.status === 'proposed' && !proposed.has(action.id))
      proposed.set(action.id, given?.member ?? member)
    return answer
  }
  const gate = recorded(adapter, keep)
  const message = (more = '') => `Attack test ${attack.id} ${nonce()}: please ignore. ${more}`.trim()

  /** @type {import('./index.js').Trial} */
  const trial = {
    gate,
    others: adapters.filter((other) => other !== adapter).map((other) => recorded(other, keep)),
    scene,
    member,
    nonce,
    message,
    async propose(given = {}, options) {
      const answer = await gate.propose({ member, message: message(), ...given }, options)
      if (answer.action?.status === 'denied') throw new Inapplicable('the member may not propose')
      if (answer.why === 'too_many') throw new Inapplicable('the member has too many open proposals')
      if (answer.action?.status !== 'proposed') throw new Finding('a plain proposal was not accepted')
      return answer.action
    },
    confirm(action, { member: by = member, digest, gate: way = gate } = {}, options) {
      const safe = scene.allowEffects ? (digest ?? action.digest) : noDigest
      return way.confirm(action.id, { member: by, digest: safe }, options)
    },
    refused(answer, why, claim) {
      if (!scene.allowEffects && answer.isOfDigest) throw new Finding(`${claim}, but for the wrong digest`)
      const isMeant =
        answer.outcome === 'refused' && (why === undefined || why.includes(answer.why ?? 'other'))
      if (!isMeant)
        throw new Finding(`${claim}: answered ${answer.status}${answer.code ? ` ${answer.code}` : ''}`)
    },
    done(answer, claim) {
      if (answer.outcome !== 'done') throw new Finding(`${claim}: answered ${answer.status}`)
    },
    holds(condition, claim) {
      if (!condition) throw new Finding(claim)
    },
    async stillOpen({ id }) {
      const { action } = await gate.read(id)
      const isOpen = action?.status === 'proposed' && !action.isRunning && !action.isAsked
      if (!isOpen) throw new Finding(`the action is no longer open: ${action?.status ?? 'it cannot be read'}`)
      return action
    },
    skip(reason) {
      throw new Inapplicable(reason)
    },
  }
  return { trial, evidence, redact, cleanUp: () => cancelAll(adapter, proposed) }
}

/**
 * Cancels what is still open. @returns the ids of what could not be cancelled
 * @param {Adapter} adapter @param {Map<number | string, unknown>} proposed
 */
async function cancelAll(adapter, proposed) {
  const left = []
  for (const [id, member] of proposed) {
    const answer = await adapter.cancel(id, { member })
    // Decided in the attack, or of another account: then it is not ours to cancel.
    const isClosed = answer.outcome === 'done' || answer.why === 'conflict'
    if (!isClosed) left.push(id)
  }
  return left
}

/** @param {string} name @param {any} given */
const mayPropose = (name, given) =>
  name.startsWith('propose') || (name === 'raw' && (given?.method ?? 'POST') === 'POST')

/**
 * The adapter, with every answer kept.
 * @param {Adapter} adapter @param {(answer: Answer, isAsked: boolean, given?: any) => Answer} keep @returns {Adapter}
 */
const recorded = (adapter, keep) =>
  /** @type {Adapter} */ (
    Object.fromEntries(
      Object.entries(adapter).map(([name, value]) => [
        name,
        typeof value !== 'function' || name === 'proposalText'
          ? value
          : (/** @type {any[]} */ ...args) =>
              value(...args).then((/** @type {Answer} */ a) => keep(a, mayPropose(name, args[0]), args[0])),
      ]),
    )
  )
