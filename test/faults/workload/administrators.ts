import { setTimeout as sleep } from 'node:timers/promises'
import { adminWrite } from '../../../src/db/admin-write.ts'
import { suspendAccount } from '../../../src/db/queries/accounts/accounts.ts'
import { revokeKey, storeKey } from '../../../src/db/queries/accounts/keys.ts'
import { storePolicy } from '../../../src/db/queries/accounts/policies.ts'
import { readFacts } from '../../../src/db/queries/members/facts.ts'
import { setTier, updateMember } from '../../../src/db/queries/members/members.ts'
import { GateError } from '../../../src/errors.ts'
import type { Tier } from '../../../src/gate/tier.ts'
import { hashKey, mintKey, randomBase62 } from '../../../src/keys/api-key.ts'
import { allRights } from '../../../src/keys/rights.ts'
import type { Scene } from './accounts.ts'
import { answered } from './answered.ts'
import type { Reply } from './answers.ts'
import type { Lane } from './load.ts'

/** An administrator's turn at the command line, which writes to the database itself. */
export async function administratorTurn(lane: Lane): Promise<void> {
  const { chance } = lane
  const scene = chance.pick(lane.scenes)
  // A stop ends every mandate: rarely enough that some are used.
  const does = chance.weighted({ tier: 18, policy: 9, key: 6, stop: 1 })
  if (does === 'tier') return changeTier(lane, scene)
  if (does === 'policy') return changePolicy(lane, scene)
  if (does === 'key') return replaceKey(lane, scene)
  await stopAWhile(lane, scene)
}

/** Tries one write. The same write may be repeated: it carries its own event. */
async function change(
  { system, journal, ...lane }: Lane,
  scene: Scene,
  what: { entry: string; of: string; mayChangeNothing?: boolean; knownEvent?: string },
  write: (db: Lane['system']['adminDb'], given: ReturnType<typeof adminWrite>) => Promise<unknown>,
): Promise<Reply['outcome']> {
  const given = adminWrite(scene.account)
  const reply = await outcomeOf(() => write(system.adminDb, given))
  const { entry, of, mayChangeNothing = false } = what
  const made = { account: scene.account, eventId: given.eventId, what: of, entry, mayChangeNothing }
  journal.changes.push({ ...made, outcome: reply.outcome })
  answered({ system, journal, ...lane }, { admin: entry, of, reply })
  return reply.outcome
}

/** What a write of the command line came to. Null says that it changed nothing. */
export async function outcomeOf(write: () => Promise<unknown>): Promise<Reply> {
  try {
    const body = await write()
    // Nothing was changed: what it rested on had changed.
    return body === null ? { outcome: 'refused', status: 409 } : { outcome: 'ok', status: 200, body }
  } catch (error) {
    const isKnown = error instanceof GateError && error.publishedCode !== 'outcome_unknown'
    const code = error instanceof GateError ? error.publishedCode : String(error)
    return { outcome: isKnown ? 'refused' : 'unknown', status: 503, code }
  }
}

const changeTier = (lane: Lane, scene: Scene) =>
  changeTierOf(lane, scene, lane.chance.pick(scene.members).email!)

/** Changes what a confirm for a member rests on, a moment after it was sent. */
export async function changeUnder(lane: Lane, scene: Scene, email: string): Promise<void> {
  await sleep(lane.chance.int(0, 15))
  await (lane.chance.isTrue(0.5) ? changeTierOf(lane, scene, email) : changePolicy(lane, scene))
}

async function changeTierOf(lane: Lane, scene: Scene, email: string): Promise<void> {
  const member = scene.members.find((one) => one.email === email)!
  const tier = lane.chance.pick<Tier>(['read_only', 'guarded_write', ...Array<Tier>(6).fill('write')])
  await change(lane, scene, { entry: 'tier_set', of: `${member.email} ${tier}` }, (db, given) =>
    setTier(db, { ...given, memberId: member.memberId, tier }),
  )
}

async function changePolicy(lane: Lane, scene: Scene): Promise<void> {
  const document = lane.chance.pick(scene.policies)
  const of = `policy ${scene.policies.indexOf(document)}`
  await change(lane, scene, { entry: 'policy_set', of }, async (db, given) => {
    const facts = await readFacts(db, scene.account, { email: null, slack: null })
    const kinds = Object.keys(document['kinds'] as object)
    return storePolicy(db, {
      ...given,
      base: facts!.policyVersion,
      document: JSON.stringify(document),
      kinds,
    })
  })
}

/** Mints a key, and revokes the oldest. */
async function replaceKey(lane: Lane, scene: Scene): Promise<void> {
  const key = mintKey()
  const keyId = `key_${randomBase62(16)}`
  const minted = await change(lane, scene, { entry: 'key_minted', of: keyId }, (db, given) =>
    storeKey(db, {
      ...given,
      ...allRights,
      actors: null,
      keyId,
      name: 'faults',
      last4: key.slice(-4),
      hash: hashKey(key),
      expiresAt: null,
    }).then(() => true),
  )
  if (minted !== 'ok') return
  scene.keys.push({ key, keyId })
  const oldest = scene.keys[0]!
  const revoked = await change(
    lane,
    scene,
    { entry: 'key_revoked', of: oldest.keyId, mayChangeNothing: true },
    (db, given) => revokeKey(db, { ...given, keyId: oldest.keyId }),
  )
  if (revoked === 'ok') oldest.isRevoked = true
  // It goes on being tried until the next one is revoked: it must be refused.
  if (revoked === 'ok' && scene.keys.length > 4) scene.keys.shift()
}

/** The stop switch on, and after a moment off again. */
const stopAWhile = (lane: Lane, scene: Scene): Promise<void> =>
  aWhile(lane, (isOn) =>
    change(
      lane,
      scene,
      { entry: 'account_suspended', of: isOn ? 'on' : 'off', mayChangeNothing: true },
      (db, given) => suspendAccount(db, { ...given, suspend: isOn }),
    ),
  )

/** Deactivates the last member, who is nobody's holder, and after a moment activates them again: what they approved has ended. */
export const leaveAWhile = (lane: Lane, scene: Scene): Promise<void> =>
  aWhile(lane, (isGone) => {
    const { memberId } = scene.members.at(-1)!
    const same = { memberId, name: null, email: null, slack: null }
    return change(
      lane,
      scene,
      { entry: 'member_changed', of: `${memberId} ${isGone ? 'gone' : 'back'}` },
      (db, given) => updateMember(db, { ...given, ...same, isActive: !isGone }),
    )
  })

/** Sets something, and after a moment sets it back, whatever that takes. */
async function aWhile(lane: Lane, set: (isOn: boolean) => Promise<Reply['outcome']>): Promise<void> {
  await set(true)
  await sleep(lane.chance.int(100, 1_500))
  for (let tries = 0; tries < 20; tries++) {
    if ((await set(false)) === 'ok') return
    await sleep(500)
  }
}
