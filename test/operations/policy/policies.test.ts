import { describe, expect, test } from '@jest/globals'
import { adminWrite } from '../../../src/db/admin-write.ts'
import { storePolicy } from '../../../src/db/queries/accounts/policies.ts'
import { limits } from '../../../src/limits.ts'
import { policyHistory, policyVersion } from '../../../src/operations/policy/policy-history.ts'
import { reviewPolicy } from '../../../src/operations/policy/policy-review.ts'
import { policyInForce } from '../../../src/operations/policy/policy-in-force.ts'
import { policyVersionConflict } from '../../../src/operations/policy/document-to-store.ts'
import { setPolicy } from '../../../src/operations/policy/set-policy.ts'
import { useGate } from '../../support/use-gate.ts'
import { callTool } from '../../support/mcp-tool.ts'

const gate = useGate({ workers: false })

const grace = { email: 'grace@example.com' }
const consent = 'agent_attested' as const
const refundUpTo = (upTo: number) => ({
  kinds: { refund: { bands: { usd: [{ up_to_cents: upTo, tier: 'guarded_write' as const, consent }] } } },
})

async function team() {
  const account = await gate.account()
  await account.addMember({ name: 'Grace', ...grace, tier: 'guarded_write' })
  await account.addMember({ name: 'Rea', email: 'rea@example.com' })
  return account
}

describe('a policy under review', () => {
  test('is tried on the proposals of the last days, and sets nothing', async () => {
    const { account, client } = await team()
    const refund = (cents: number) =>
      callTool(client, 'issue_refund', { actor: grace, payment: 'pi_Sandbox05', amount_cents: cents })
    await refund(2_000)
    await refund(8_000)
    await client.propose(grace, 'Lunch is at noon.')
    await client.propose({ email: 'rea@example.com' }, 'Me too.')

    const review = await reviewPolicy(gate.deps, account, {
      ...refundUpTo(5_000),
      kinds: { ...refundUpTo(5_000).kinds, broadcast: { tier: 'read_only', consent } },
    })
    expect(review).toMatchObject({ changedInAll: 2, isCut: false, next: { version: 2 } })
    expect(review.kinds).toEqual([
      {
        kind: 'broadcast',
        proposals: 2,
        unknownAmount: 0,
        counts: { denied: 0, allowed: 1, stronger: 0, weaker: 0 },
      },
      {
        kind: 'refund',
        proposals: 2,
        unknownAmount: 0,
        counts: { denied: 1, allowed: 0, stronger: 0, weaker: 0 },
      },
    ])
    expect(review.changed).toEqual([
      { id: 4, kind: 'broadcast', change: 'allowed', why: `consent ${consent}` },
      {
        id: 2,
        kind: 'refund',
        change: 'denied',
        denialCode: 'above_last_band',
        why: 'This 80.00 USD refund is above the highest amount that the policy allows',
      },
    ])
    expect(review.lines.filter((line) => line.change === 'added').map((line) => line.text)).toContain(
      'refund up to 50.00 USD: guarded_write, consent agent_attested',
    )
    expect((await policyInForce(gate.deps, account)).version).toBe(1)
  })

  test('is not tried on what is older than that', async () => {
    const { account, client } = await team()
    await client.propose(grace, 'Long ago.')
    await client.propose(grace, 'Lately.')
    await gate.database.asSuperuser(
      `update gate.action set created_at = now() - interval '${limits.dryRunDays} days 1 minute' where account_id = '${account}' and id = 1`,
    )
    const review = await reviewPolicy(gate.deps, account, {
      kinds: { broadcast: { tier: 'write', consent } },
    })
    expect(review.changed.map(({ id }) => id)).toEqual([2])
  })

  test('that starts from an older version is refused before anybody reads it', async () => {
    const { account } = await team()
    await setPolicy({ ...gate.deps, account, session: null }, refundUpTo(5))
    const older = { version: 1, ...refundUpTo(7) }
    await expect(reviewPolicy(gate.deps, account, older)).rejects.toEqual(policyVersionConflict(1, 2))
    await expect(setPolicy({ ...gate.deps, account, session: null }, older)).rejects.toEqual(
      policyVersionConflict(1, 2),
    )
  })

  test('is one of a few at once, and more are told to come again', async () => {
    const { account } = await team()
    const reviewed = () => reviewPolicy(gate.deps, account, refundUpTo(5))
    const underWay = Array.from({ length: limits.dryRunsAtOnceMax }, reviewed)
    await expect(reviewed()).rejects.toMatchObject({ code: 'unavailable' })
    await Promise.all(underWay)
    expect(await reviewed()).toMatchObject({ next: { version: 2 } })
  })

  test("sees no other account's proposals", async () => {
    const [mine, other] = [await team(), await team()]
    await other.client.propose(grace, 'Not yours.')
    const review = await reviewPolicy(gate.deps, mine.account, {
      kinds: { broadcast: { tier: 'write', consent } },
    })
    expect(review.kinds).toEqual([])
  })
})

describe('the versions of a policy', () => {
  test('are set by one of several who do so at once, and the others are told that the version has changed', async () => {
    const { account } = await team()
    const ends = await Promise.allSettled(
      [1, 2, 3, 4].map((n) =>
        setPolicy({ ...gate.deps, account, session: null }, { version: 1, ...refundUpTo(n) }),
      ),
    )
    expect(ends.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    for (const end of ends)
      if (end.status === 'rejected') expect(end.reason).toEqual(policyVersionConflict(1, 2))
    expect((await policyInForce(gate.deps, account)).version).toBe(2)
  })

  test('are listed the newest first, each with who set it and what it changed, down to the defaults', async () => {
    const { account } = await team()
    await setPolicy({ ...gate.deps, account, session: null }, refundUpTo(500))
    await setPolicy({ ...gate.deps, account, session: null }, { open_max_per_member: 3 })
    const { versions, next, inForce } = await policyHistory(gate.deps, account, null)
    expect([inForce, next]).toEqual([3, undefined])
    expect(versions.map(({ version, by }) => [version, by])).toEqual([
      [3, 'admin'],
      [2, 'admin'],
      [1, null],
    ])
    const changes = versions[0]!.lines.filter(({ change }) => change !== 'same')
    expect(changes).toEqual([
      { change: 'removed', text: 'each member can have at most 100 open proposals' },
      { change: 'added', text: 'each member can have at most 3 open proposals' },
    ])
    expect(versions[0]!.policy.kinds['refund']).toEqual(refundUpTo(500).kinds.refund)
    const refund = refundUpTo(500).kinds.refund
    expect(versions.map(({ document }) => document)).toEqual([
      { kinds: { refund }, open_max_per_member: 3 },
      { kinds: { refund } },
      null,
    ])
    expect(await policyVersion(gate.deps, account, 2)).toEqual(versions[1])
    expect((await policyVersion(gate.deps, account, 1)).at).toBeNull()
    await expect(policyVersion(gate.deps, account, 4)).rejects.toMatchObject({ code: 'not_found' })
  })

  test('are restored only as they were stored: the database compares the documents', async () => {
    const { account } = await team()
    const context = { ...gate.deps, account, session: null }
    await setPolicy(context, { open_max_per_member: 3 })
    const restore = (restores: number, document: string) =>
      storePolicy(gate.database.db, { ...adminWrite(account), base: 2, document, kinds: [], restores })
    for (const [version, document] of [
      [2, '{"kinds":{},"open_max_per_member":4}'],
      [1, '{"kinds":{},"open_max_per_member":3}'],
      [9, '{"kinds":{}}'],
    ] as const)
      await expect(restore(version, document)).rejects.toThrow(`not the document of version ${version}`)
    expect(await restore(1, '{"kinds":{}}')).toBe(3)
  })

  test('are paged, none twice and none left out', async () => {
    const { account } = await team()
    const last = limits.policyVersionsPerPage * 2 + 1
    for (let n = 2; n <= last; n++)
      await setPolicy({ ...gate.deps, account, session: null }, { open_max_per_member: n })
    const seen: number[] = []
    for (let before: number | null | undefined = null; before !== undefined;) {
      const page = await policyHistory(gate.deps, account, before)
      expect(page.versions.length).toBeGreaterThan(0)
      seen.push(...page.versions.map(({ version }) => version))
      before = page.next
    }
    expect(seen).toEqual(Array.from({ length: last }, (_, i) => last - i))
  })
})
