import type { Key, Scene } from './accounts.ts'
import { changeUnder } from './administrators.ts'
import { type Reply, replyAfterWait, replyOf } from './answers.ts'
import { answered } from './answered.ts'
import type { DecisionVerb, Intent } from './journal.ts'
import { moneyAccount } from '../system/system.ts'
import type { Lane } from './load.ts'
import { callOfTool } from './notes.ts'
import { declaredKinds, upstreamName } from './own-kinds.ts'
import { type Money, makeMoney, moneyKinds } from './money.ts'

/** An agent's turn: proposes, decides, repeats or reads. */
export async function agentTurn(lane: Lane): Promise<void> {
  const { chance, open } = lane
  const does = chance.weighted({ propose: 5, decide: 2, repeat: 1, read: 2, check: 2 })
  if (does === 'check') return check(lane)
  const known = [...open].slice(-60)
  if (does === 'propose' || known.length === 0) return proposeAndDecide(lane)
  const [intent, id] = chance.pick(known)
  if (does === 'decide') return decide(lane, intent, id)
  if (does === 'read') return read(lane, intent, id)
  if (isKeyed(intent)) await propose(lane, intent, requestOf.get(intent)!)
}

/** A call of an MCP server's tool takes no Idempotency-Key: sent again, it is another call. */
const isKeyed = ({ kind }: Intent) => kind !== 'upstream_tool'

interface Request {
  tool: string
  args: Record<string, unknown>
  /** Over REST, where that is possible. */
  rest?: { kind: string; actor: object; payload: object; rationale?: string }
  scene: Scene
}

/** What each intent asks for: the same at every attempt. */
const requestOf = new Map<Intent, Request>()

/** What a member declined with a reason, so that the next proposal answers it. */
interface Declined {
  intent: Intent
  id: number
}

const proposeAndDecide = (lane: Lane, declined?: Declined): Promise<void> =>
  carryOut(lane, declined ? answerTo(lane, declined) : newIntent(lane), 0.8)

/** Many hands of one agent at once, for what one mandate covers. */
export async function useAtOnce(
  lane: Lane,
  { account, actor, kind }: Pick<Intent, 'account' | 'actor' | 'kind'>,
): Promise<void> {
  const hand = () => carryOut(lane, { ...numbered(lane.journal), account, actor, kind, attempts: [] }, 1)
  await Promise.all(Array.from({ length: lane.chance.int(2, 5) }, hand))
}

/** Proposes what others must approve, and mostly confirms it. */
export async function proposeForApproval(lane: Lane): Promise<void> {
  const { account, members } = lane.chance.pick(lane.scenes)
  const actor = lane.chance.pick(members).email!
  const kind = declaredKinds.approvedWebhook
  await carryOut(lane, { ...numbered(lane.journal), account, actor, kind, attempts: [] }, 1)
}

/** Proposes an intent, and mostly decides about it. */
async function carryOut(lane: Lane, intent: Intent, decides: number): Promise<void> {
  const { chance, journal, open } = lane
  journal.intents.push(intent)
  const request = makeRequest(
    lane,
    intent,
    lane.scenes.find(({ account }) => account === intent.account)!,
  )
  requestOf.set(intent, request)
  let reply = await propose(lane, intent, request)
  for (let again = 0; again < 2 && reply.outcome === 'unknown' && isKeyed(intent); again++)
    reply = await propose(lane, intent, request)
  if (reply.outcome !== 'ok') return
  open.set(intent, reply.body.id)
  if (reply.body.status === 'proposed' && chance.isTrue(decides)) await decide(lane, intent, reply.body.id)
}

const answerTo = ({ journal }: Lane, { intent: { account, kind, actor }, id }: Declined): Intent => ({
  ...numbered(journal),
  account,
  kind,
  actor,
  replaces: id,
  attempts: [],
})

const numbered = ({ intents }: Lane['journal']) => {
  const n = intents.length + 1
  return { n, marker: `mark-${n}-end` }
}

function newIntent({ chance, journal, scenes }: Lane): Intent {
  const kind = chance.weighted({
    broadcast: 4,
    refund: 2,
    payout: 2,
    checkout: 2,
    subscription_cancellation: 2,
    deployment: 6,
    signing: 4,
    upstream_tool: 3,
  })
  const mayBeOf = scenes.filter(({ account }) => !(kind in moneyKinds) || account === moneyAccount)
  const scene = chance.pick(mayBeOf)
  const actor = chance.pick(scene.members).email!
  return { ...numbered(journal), account: scene.account, kind, actor, attempts: [] }
}

function makeRequest({ system, chance }: Lane, intent: Intent, scene: Scene): Request {
  const actor = { email: intent.actor }
  const answers = {
    ...(intent.replaces === undefined ? {} : { replaces: intent.replaces }),
    // The member is asked at once, whatever the floor is.
    ...(chance.isTrue(0.3) ? { ask: true } : {}),
  }
  if (intent.kind === 'broadcast') {
    const payload = { message: `${intent.marker} to everybody.` }
    const asked = { kind: 'broadcast', actor, payload, ...answers }
    return { tool: 'request_action', args: asked, scene, ...(chance.isTrue(0.5) ? { rest: asked } : {}) }
  }
  if (intent.kind === 'upstream_tool') {
    const tool = `${upstreamName}__${chance.pick(['add_note', 'share_note'])}`
    return { tool, args: { actor, text: intent.marker }, scene }
  }
  if (Object.values<string>(declaredKinds).includes(intent.kind)) {
    const payload =
      intent.kind === declaredKinds.claim ? { contract: intent.marker } : makeDeployment(chance, intent)
    const rest = { kind: intent.kind, actor, payload, ...answers }
    const args = { actor, ...payload, ...answers }
    return { tool: `propose_${intent.kind}`, args, scene, ...(chance.isTrue(0.5) ? { rest } : {}) }
  }
  const money: Money = makeMoney(system.stripe, intent.kind as Money['kind'], {
    n: intent.n,
    cents: chance.pick([700, 9_000, 40_000]),
    isLater: chance.isTrue(0.5),
  })
  const args = { actor, ...money.args, rationale: intent.marker, ...answers }
  return { tool: moneyKinds[money.kind], args, scene }
}

const makeDeployment = (chance: Lane['chance'], { marker }: Intent) => ({
  version: marker,
  ...(chance.isTrue(0.8) ? { note: 'For everybody.' } : {}),
  ...(chance.isTrue(0.1) ? { refused: true } : {}),
  ...(chance.isTrue(0.2) ? { long: true } : {}),
  ...(chance.isTrue(0.5) ? { lost: true } : {}),
})

async function propose(lane: Lane, intent: Intent, { tool, args, rest, scene }: Request): Promise<Reply> {
  const apiKey = keyFor(lane, scene, intent)
  const client = lane.clientOf(apiKey.key)
  const key = `intent-${intent.n}`
  const reply = await replyAfterWait(apiKey, () =>
    rest
      ? replyOf(() =>
          client.request('POST', '/api/v1/actions', { body: rest, headers: { 'idempotency-key': key } }),
        )
      : callOfTool(client, tool, { ...args, ...(isKeyed(intent) ? { idempotency_key: key } : {}) }),
  )
  intent.attempts.push(reply)
  answered(lane, { propose: intent, reply })
  return reply
}

/** The key that an agent acts with: mostly that of the agent for which its member signed a mandate, where there is one. */
function keyFor({ chance, journal }: Lane, scene: Scene, { account, actor, kind }: Intent): Key {
  const mandate = journal.mandates.findLast(
    (one) =>
      one.account === account &&
      one.actor === actor &&
      one.kinds.includes(kind) &&
      one.signed !== undefined &&
      one.signed.outcome !== 'refused',
  )
  const key = [scene.agentKey, ...scene.keys].find(({ keyId }) => keyId === mandate?.agent)
  return key && chance.isTrue(0.8) ? key : chance.pick(scene.keys)
}

/** Confirms mostly; half of the attempts carry a key, and some are repeated under it. */
async function decide(lane: Lane, intent: Intent, id: number): Promise<void> {
  const { chance, journal } = lane
  const { scene } = requestOf.get(intent)!
  const verb: DecisionVerb = chance.isTrue(0.8) ? 'confirm' : 'cancel'
  const key = chance.isTrue(0.5) ? { key: `${verb}-${intent.n}` } : {}
  const actor = { email: intent.actor }
  // An administrator who changes what the confirm rests on while it is under way.
  const meanwhile = chance.isTrue(0.4) ? changeUnder(lane, scene, intent.actor) : undefined
  for (let again = 0; again < 3; again++) {
    const apiKey = keyFor(lane, scene, intent)
    const client = lane.clientOf(apiKey.key)
    const isOverRest = chance.isTrue(0.5)
    const reply = await replyAfterWait(apiKey, () =>
      isOverRest
        ? replyOf(() => client[verb](id, actor, (verb === 'confirm' ? key : key.key) as never))
        : callOfTool(client, `${verb}_action`, {
            id,
            actor,
            ...(key.key === undefined ? {} : { idempotency_key: key.key }),
          }),
    )
    journal.decisions.push({
      account: intent.account,
      marker: intent.marker,
      verb,
      via: 'agent',
      ...key,
      reply,
    })
    answered(lane, { [verb]: id, of: intent.n, ...key, reply })
    if (reply.outcome !== 'unknown' || !chance.isTrue(0.6)) break
  }
  await meanwhile
}

async function check(lane: Lane): Promise<void> {
  const scene = lane.chance.pick(lane.scenes)
  const client = lane.clientOf(lane.chance.pick(scene.keys).key)
  const reply = await replyOf(() => client.capability({ email: lane.chance.pick(scene.members).email! }))
  lane.journal.checks.push({ account: scene.account, outcome: reply.outcome })
  answered(lane, { check: scene.account, reply })
}

async function read(lane: Lane, intent: Intent, id: number): Promise<void> {
  const { scene } = requestOf.get(intent)!
  const client = lane.clientOf(lane.chance.pick(scene.keys).key)
  const wait = lane.chance.isTrue(0.3) ? '?wait=2' : ''
  const reply = await replyOf(() => client.request('GET', `/api/v1/actions/${id}${wait}`))
  answered(lane, { read: id, of: intent.n, reply })
  if (reply.outcome !== 'ok') return
  lane.journal.seen.push({ account: intent.account, id, body: reply.body })
  if (reply.body.status === 'proposed' || !lane.open.delete(intent)) return
  // A call of a tool is answered by another call.
  if (reply.body.decline_reason !== undefined && intent.kind !== 'upstream_tool')
    await proposeAndDecide(lane, { intent, id })
}
