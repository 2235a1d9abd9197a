import assert from 'node:assert/strict'
import type { ApiAnswer } from '../support/api-client.ts'
import { type Service, until } from '../support/supervisor.ts'
import { type Sender, sayRecovery } from './broadcasts.ts'
import { type Acknowledged, expectInvariants } from './invariants.ts'

/** What one sender's load was answered. */
export interface Load {
  sender: Sender
  acknowledged: Acknowledged[]
  checks: number
  refused503: number
  odd: string[]
  stop(): Promise<void>
}

/** Proposes, checks, confirms and cancels without a pause, as an agent with four hands would, until stopped. */
export function startLoad(sender: Sender): Load {
  const { api } = sender.account
  const stopping = new AbortController()
  const load: Load = { sender, acknowledged: [], checks: 0, refused503: 0, odd: [], stop: async () => {} }
  let n = 0

  const hand = async () => {
    while (!stopping.signal.aborted) {
      const proposed = note(
        await api.propose(sender.actor, `Load ${++n} of ${sender.account.account}.`),
        [201],
      )
      const check = note(await api.capability({ email: sender.actor.email }), [200], false)
      if (check) load.checks++
      if (!proposed) continue
      const { id } = proposed.body
      // A repeat after a lost answer meets the decision that stands: 409.
      if (n % 3 === 0) note(await api.cancel(id, sender.actor), [200, 409])
      else if (n % 3 === 1) note(await api.confirm(id, sender.actor), [200, 202, 409])
    }
  }
  const note = (answer: ApiAnswer, expected: number[], isWrite = true): ApiAnswer | undefined => {
    if (answer.status === 503) {
      load.refused503++
      if (!answer.headers.get('retry-after')) load.odd.push('503 without Retry-After')
      return undefined
    }
    if (!expected.includes(answer.status)) load.odd.push(`${answer.status} ${JSON.stringify(answer.body)}`)
    if (answer.status >= 300) return undefined
    if (isWrite) load.acknowledged.push(answer.body)
    return answer
  }
  const hands = Array.from({ length: 4 }, () =>
    hand().catch((error: unknown) => void load.odd.push(String(error))),
  )
  load.stop = async () => {
    stopping.abort()
    await Promise.all(hands)
  }
  return load
}

/** Waits until each load has been answered that many more writes. @returns how long it took, in milliseconds */
export async function acknowledgedMore(load: Load[], more: number): Promise<number> {
  const goals = load.map((one) => one.acknowledged.length + more)
  return until('writes are acknowledged', 60_000, () =>
    load.every((one, i) => one.acknowledged.length >= goals[i]! || one.odd.length > 0),
  )
}

/** Stops the load and waits for its claims to end: what was acknowledged is stored, and the invariants hold. */
export async function expectAllStored(service: Service, load: Load[]): Promise<void> {
  await Promise.all(load.map((one) => one.stop()))
  assert.deepEqual(service.dead(), [])
  for (const { sender, odd, acknowledged, checks } of load) {
    assert.deepEqual(odd, [])
    const { account } = sender.account
    const ms = await until('every claimed action has ended', 90_000, async () => {
      const rows = await service.sql(
        `select id from gate.action where account_id = '${account}' and status = 'proposed' and decision = 'confirm'`,
      )
      return rows.length === 0
    })
    sayRecovery('load is over, until every claim has ended', ms)
    const [stored] = await service.sql<{ n: number }>(
      `select count(*)::int as n from gate.action where account_id = '${account}' and kind = 'capability_check'`,
    )
    assert.ok(stored!.n >= checks, `${stored!.n} of ${checks} checks are stored`)
    await expectInvariants(service, account, acknowledged)
  }
}
