import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import type { Tier } from '../../src/gate/tier.ts'
import type { TestAccount, TestMember } from '../support/account.ts'
import type { ApiAnswer, ApiClient } from '../support/api-client.ts'

/** The gate as anyone can keep it in their head. */
export interface Model {
  rows: { kind: string; status: string; member: number }[]
  tiers: Tier[]
  /** Whether the first key still holds; the second never goes. */
  isKeyRevoked: boolean
}

export interface Real {
  account: TestAccount
  members: TestMember[]
  /** With the key that may be revoked, and with the one that stays. */
  client: ApiClient
  steady: ApiClient
}

// Failed authentications are limited per address and minute: past that, 429 would hide what is to be seen.
let refusalsLeft = 50

type Command = fc.AsyncCommand<Model, Real>

export const memberCount = 3
const tier = fc.constantFrom<Tier>('read_only', 'guarded_write', 'write')
const member = fc.nat(memberCount - 1)
const place = fc.nat(60)
const isSecond = fc.boolean()

/** Every command a run may hold. Arguments that name a row choose among those there are. */
export const commands: fc.Arbitrary<Command>[] = [
  // Twice: without proposals there is nothing to decide.
  fc.tuple(member, isSecond).map(([who, second]) => propose(who, second)),
  fc.tuple(member).map(([who]) => propose(who, true)),
  fc.tuple(member, isSecond).map(([who, second]) => check(who, second)),
  fc.tuple(place, isSecond).map(([at, second]) => decide('confirm', at, 0, second)),
  place.map((at) => decide('confirm', at, 0, true)),
  fc.tuple(place, isSecond).map(([at, second]) => decide('cancel', at, 0, second)),
  fc
    .tuple(place, fc.constantFrom<'confirm' | 'cancel'>('confirm', 'cancel'))
    .map(([at, verb]) => decide(verb, at, 1, true)),
  fc.tuple(place, fc.constantFrom('cc', 'cx', 'xx')).map(([at, pair]) => race(at, pair)),
  fc.tuple(member, tier).map(([who, to]) => setTier(who, to)),
  fc.constant(revokeKey()),
  fc
    .record({
      kind: fc.constantFrom(undefined, 'broadcast', 'capability_check', 'nothing'),
      status: fc.constantFrom(undefined, 'proposed', 'denied', 'cancelled', 'executed'),
      limit: fc.integer({ min: 1, max: 5 }),
    })
    .map((filter) => list(filter)),
]

const mayBroadcast = (model: Model, who: number) => model.tiers[who] !== 'read_only'
const actorOf = (real: Real, who: number) => ({ email: real.members[who]!.email! })
const clientOf = (real: Real, second: boolean) => (second ? real.steady : real.client)

const isLockedOut = (model: Model, second: boolean) => model.isKeyRevoked && !second && refusalsLeft-- > 0

function propose(who: number, second: boolean): Command {
  return command(
    `propose(${who}${second ? '' : ', key 1'})`,
    async (model, real) => {
      const answer = await clientOf(real, second).propose(
        actorOf(real, who),
        `Message ${model.rows.length + 1}.`,
      )
      if (isLockedOut(model, second)) return same(answer.status, 401)
      const status = mayBroadcast(model, who) ? 'proposed' : 'denied'
      model.rows.push({ kind: 'broadcast', status, member: who })
      same([answer.status, answer.body.id, answer.body.status], [201, model.rows.length, status])
    },
    second,
  )
}

function check(who: number, second: boolean): Command {
  return command(
    `check(${who}${second ? '' : ', key 1'})`,
    async (model, real) => {
      const answer = await clientOf(real, second).capability(actorOf(real, who))
      if (isLockedOut(model, second)) return same(answer.status, 401)
      model.rows.push({ kind: 'capability_check', status: 'executed', member: who })
      same([answer.status, answer.body.tier], [200, model.tiers[who]])
    },
    second,
  )
}

/** `by` 0: its proposer; 1: somebody else. */
function decide(verb: 'confirm' | 'cancel', at: number, by: number, second: boolean): Command {
  const name = `${verb}(${at}${by === 0 ? '' : ', by another'}${second ? '' : ', key 1'})`
  return command(
    name,
    async (model, real) => {
      const { id, row } = rowAt(model, at)
      const who = ((row?.member ?? 0) + by) % memberCount
      const answer = await clientOf(real, second)[verb](id, actorOf(real, who))
      if (isLockedOut(model, second)) return same(answer.status, 401)
      if (!row) return same(answer.status, 404)
      if (by !== 0) return same(answer.status, 403)
      if (row.status !== 'proposed') return same(answer.status, 409)
      row.status = endOf(verb, mayBroadcast(model, row.member))
      same([answer.status, answer.body.status], [200, row.status])
    },
    second,
  )
}

/** Two decisions at once: c a confirm, x a cancel. One of them stands, the other is refused. */
function race(at: number, pair: string): Command {
  return command(`race(${at}, ${pair})`, async (model, real) => {
    const { id, row } = rowAt(model, at)
    if (!row) return
    const verbs = [...pair].map((letter) => (letter === 'c' ? 'confirm' : 'cancel') as 'confirm' | 'cancel')
    const answers = await Promise.all(verbs.map((verb) => real.steady[verb](id, actorOf(real, row.member))))
    if (row.status !== 'proposed')
      return same(
        answers.map((answer) => answer.status),
        [409, 409],
      )
    same(answers.map((answer) => answer.status).toSorted(), [200, 409])
    const won = answers.findIndex((answer) => answer.status === 200)
    row.status = endOf(verbs[won]!, mayBroadcast(model, row.member))
    same(answers[won]!.body.status, row.status)
  })
}

function setTier(who: number, to: Tier): Command {
  return command(`setTier(${who}, ${to})`, async (model, real) => {
    await real.account.setTier(real.members[who]!, to)
    model.tiers[who] = to
  })
}

function revokeKey(): Command {
  return command('revokeKey()', async (model, real) => {
    await real.account.revokeKey(real.account.keyId)
    model.isKeyRevoked = true
  })
}

function list(filter: { kind: string | undefined; status: string | undefined; limit: number }): Command {
  return command(`list(${JSON.stringify(filter)})`, async (model, real) => {
    const query = Object.entries(filter).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, String(value)]],
    )
    const seen: unknown[] = []
    for (let after: number | undefined, isMore = true; isMore; isMore = after !== undefined) {
      const page: ApiAnswer = await real.steady.list(
        Object.fromEntries(after ? [...query, ['after', String(after)]] : query),
      )
      same(page.status, 200)
      if (page.body.actions.length > filter.limit) same(page.body.actions.length, filter.limit)
      seen.push(
        ...page.body.actions.map((row: { id: number; kind: string; status: string }) => [
          row.id,
          row.kind,
          row.status,
        ]),
      )
      after = page.body.next_after
    }
    const wanted = model.rows
      .map((row, index) => [index + 1, row.kind, row.status] as const)
      .filter(([, kind, status]) => (filter.kind ?? kind) === kind && (filter.status ?? status) === status)
    same(seen, wanted)
  })
}

const endOf = (verb: 'confirm' | 'cancel', isAllowed: boolean) =>
  verb === 'cancel' ? 'cancelled' : isAllowed ? 'executed' : 'denied'

/** Mostly a row that is still open; else any, and now and then one that does not exist. */
function rowAt(model: Model, at: number) {
  const open = model.rows.flatMap((row, index) => (row.status === 'proposed' ? [index] : []))
  const index = at % 4 > 0 && open.length > 0 ? open[at % open.length]! : at % (model.rows.length + 1)
  return { id: index + 1, row: model.rows[index] }
}

function command(name: string, run: (model: Model, real: Real) => Promise<void>, second = true): Command {
  return { check: isUsable(second), run, toString: () => name }
}

function isUsable(second: boolean): (model: Readonly<Model>) => boolean {
  return (model) => second || !model.isKeyRevoked || refusalsLeft > 0
}

function same(found: unknown, wanted: unknown): void {
  const plain = (value: unknown) => JSON.parse(JSON.stringify(value ?? null)) as unknown
  if (isDeepStrictEqual(plain(found), plain(wanted))) return
  throw new Error(`The gate says ${JSON.stringify(found)}, the model ${JSON.stringify(wanted)}.`)
}
