import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { changeGroupMembers } from '../../src/operations/groups/groups.ts'
import { moveExpiry } from '../support/expiry.ts'
import { useConsole } from '../support/use-gate.ts'
import { type Name, approvalScene } from './scene.ts'

const gate = useConsole()

const approvers = ['bea', 'cy', 'dan'] as const
const anyone = fc.constantFrom<Name>('ada', ...approvers)
const approver = fc.constantFrom(...approvers)
const command = fc.oneof(
  { weight: 10, arbitrary: fc.record({ does: fc.constant('approve' as const), who: anyone }) },
  { weight: 4, arbitrary: fc.record({ does: fc.constant('consent' as const) }) },
  { weight: 3, arbitrary: fc.record({ does: fc.constantFrom('leave', 'join'), who: approver }) },
  { weight: 2, arbitrary: fc.record({ does: fc.constantFrom('deactivate', 'activate'), who: approver }) },
  { weight: 2, arbitrary: fc.record({ does: fc.constantFrom('demote', 'promote'), who: anyone }) },
  { weight: 2, arbitrary: fc.record({ does: fc.constant('edit' as const), who: anyone }) },
  {
    weight: 2,
    arbitrary: fc.record({ does: fc.constant('policy' as const), needed: fc.integer({ min: 1, max: 3 }) }),
  },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('decline' as const), who: anyone }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('expire' as const) }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('withdraw' as const) }) },
)
type Command = typeof command extends fc.Arbitrary<infer One> ? One : never

const ifLost = (error: Error): void => {
  if (error.message !== 'the policy was not set') throw error
}

/** Runs the commands, those of a step all at once, and holds the ledger against what may have come of them. */
async function history(needed: number, isByTier: boolean, steps: Command[][]): Promise<void> {
  const one = await approvalScene(gate, { needed, ...(isByTier ? { from: { tier: 'guarded_write' } } : {}) })
  const id = await one.propose()
  const inGroup = new Set<Name>(approvers)
  const isActive = new Map<Name, boolean>()
  const isLow = new Set<Name>()
  let expiries = 0
  const run = async (command: Command): Promise<void> => {
    const who = ('who' in command ? command.who : 'ada') as Name
    const { memberId } = one.people[who]
    switch (command.does) {
      case 'consent':
        return void (await one.confirm(id))
      case 'approve':
      case 'decline':
      case 'edit': {
        const page = await one.open(who, id).catch(() => undefined)
        if (page?.status !== 200 || !page.html.includes('name="shown"')) return
        if (command.does === 'edit')
          return void (await one.change(who, id, 'Lunch is at one.').catch(() => undefined))
        const does = command.does === 'decline' ? 'decline' : 'confirm'
        return void (await one.press(who, id, does).catch(() => undefined))
      }
      case 'leave':
      case 'join':
        inGroup[command.does === 'join' ? 'add' : 'delete'](who)
        return void (await changeGroupMembers(one.administration, one.group, {
          [command.does === 'join' ? 'add' : 'remove']: [memberId],
        }))
      case 'deactivate':
      case 'activate':
        isActive.set(who, command.does === 'activate')
        return one.setActive(one.people[who], command.does === 'activate')
      case 'demote':
      case 'promote':
        isLow[command.does === 'demote' ? 'add' : 'delete'](who)
        return one.setTier(one.people[who], command.does === 'demote' ? 'read_only' : 'guarded_write')
      case 'policy':
        // Of two at once, one is based on a policy that is no longer in force.
        return one.setRule({ ...one.rule, needed: (command as { needed: number }).needed }).catch(ifLost)
      case 'expire':
        expiries++
        return void (await moveExpiry(gate.database, one.account, -8))
      case 'withdraw':
        return void (await one.client.cancel(id, one.actor))
    }
  }
  for (const step of steps) {
    const before = (await one.entries(id, 'confirmed')).length
    const able = (name: Name) =>
      isActive.get(name) !== false && (isByTier ? !isLow.has(name) : inGroup.has(name))
    const ableBefore = new Set(approvers.filter(able))
    await Promise.all(step.map(run))
    const told = await one.entries(id, 'approved', 'confirmed', 'edited', 'cancelled', 'expired', 'denied')
    const ends = told.findIndex(({ kind }) => ['confirmed', 'cancelled', 'expired', 'denied'].includes(kind))
    // Nothing is approved after the end.
    expect(told.slice(ends + 1).filter(({ kind }) => kind === 'approved' && ends >= 0)).toEqual([])
    if (before > 0 || !told.some(({ kind }) => kind === 'confirmed')) continue
    const last = told.findLastIndex(({ kind }) => kind === 'edited')
    const since = told.slice(last + 1).filter(({ kind }) => kind === 'approved')
    const people = new Set(
      since.filter(({ entry }) => entry.data['by'] === 'approver').map(({ entry }) => entry.actor),
    )
    expect(people).not.toContain(one.people.ada.memberId)
    expect(since.some(({ entry }) => entry.data['by'] === 'member')).toBe(true)
    // Whoever counted could approve before this step or after it.
    const counted = approvers.filter(
      (name) => people.has(one.people[name].memberId) && (ableBefore.has(name) || able(name)),
    )
    expect(counted.length).toBeGreaterThanOrEqual(needed)
  }
  // As it was: time itself changes no row.
  for (let n = 0; n < expiries; n++) await moveExpiry(gate.database, one.account, 8)
  expect(await one.verified()).toMatchObject({ ok: true })
}

test('whatever people do, and at once, nothing is confirmed with fewer of them than the rule asks for', async () => {
  const runs = Number(process.env['HISTORIES'] ?? 12)
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 3 }),
      fc.boolean(),
      fc.array(fc.array(command, { minLength: 1, maxLength: 4 }), { minLength: 3, maxLength: 10 }),
      history,
    ),
    { numRuns: runs, seed: 20_261_128, endOnFailure: true },
  )
}, 600_000)
