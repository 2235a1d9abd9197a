import { randomBytes, randomUUID } from 'node:crypto'
import { expect, test } from '@jest/globals'
import { type JudgedVoter, claimDecision } from '../../src/db/queries/actions/decide.ts'
import { expiryEvent } from '../../src/operations/clearance/expiry.ts'
import { readAction } from '../../src/db/queries/actions/actions.ts'
import { askApprovers } from '../../src/db/queries/actions/approvals.ts'
import { readFacts } from '../../src/db/queries/members/facts.ts'
import { apiClient } from '../support/api-client.ts'
import { changeGroupMembers } from '../../src/operations/groups/groups.ts'
import { moveExpiry } from '../support/expiry.ts'
import type { TestMember } from '../support/account.ts'
import { sessionOf } from '../support/session.ts'
import { useConsole } from '../support/use-gate.ts'
import { type ApprovalScene, type Name, approvalScene } from './scene.ts'

const gate = useConsole()

interface Vote {
  as: TestMember
  /** What the process says of those who vote. */
  voters: JudgedVoter[]
  decision?: 'confirm' | 'cancel'
  strength?: 'chat' | 'page'
  /** Of the action as a process read it; absent: as it is. */
  digest?: string | undefined
}

/** What the statement makes of a vote, whatever a process judged before. */
async function claim(
  one: ApprovalScene,
  id: number,
  { as, voters, decision = 'confirm', strength = 'page', digest }: Vote,
) {
  const row = (await readAction(gate.database.db, one.account, id))!
  return claimDecision(gate.database.db, {
    account: one.account,
    id,
    decision,
    commandId: randomUUID(),
    eventId: randomUUID(),
    ...expiryEvent(row.uuid),
    dueMs: 60_000,
    versions: { member: 2, curricula: 1, policy: 2 },
    digest: digest ?? row.digest,
    tier: 'guarded_write',
    consent: { strength, channel: 'console' },
    credential: { session: await sessionOf(gate.deps, one.account, as.email!) },
    idempotency: null,
    voter: as.memberId,
    voters,
  })
}

const cannotApprove = { cause: { message: expect.stringContaining('cannot approve') } }

/** As a process judges somebody, for themselves or for the one whose deputy they are. */
const counting = (one: ApprovalScene, name: Name, of?: Name): JudgedVoter => ({
  member: one.people[name].memberId,
  version: 2,
  counts: true,
  ...(of ? { for: one.people[of].memberId } : {}),
})

test('no surface and no statement confirms with fewer people than needed', async () => {
  const one = await approvalScene(gate)
  const { bea } = one.people
  const id = await one.awaiting()
  for (let n = 0; n < 3; n++) await one.confirm(id)
  // An agent approves nothing, whatever member it names.
  expect((await one.client.confirm(id, { email: bea.email })).status).toBe(403)
  // Votes that a process claims to have seen count for nothing: only rows do.
  const voters = [counting(one, 'bea'), counting(one, 'cy')]
  const once = await claim(one, id, { as: one.people.bea, voters })
  expect(once).toMatchObject({ outcome: 'approved', action: { decision: null, approvals_given: 1 } })
  // One whose snapshot lacks the approval of Bea is judged again.
  const blind = await claim(one, id, { as: one.people.cy, voters: [counting(one, 'cy')] })
  expect(blind.outcome).toBe('stale')
  const own = claim(one, id, { as: one.people.ada, voters: [counting(one, 'ada')] })
  await expect(own).resolves.toMatchObject({ action: { decision: null } })
  // Without the consent of its member nobody approves.
  const fresh = await one.propose('Another')
  expect((await one.open('bea', fresh)).status).toBe(404)
  expect((await claim(one, fresh, { as: one.people.bea, voters: [counting(one, 'bea')] })).outcome).toBe(
    'lost',
  )
  expect((await one.entries(fresh, 'approved', 'confirmed')).length).toBe(0)
})

test('the statement counts people whatever a process judged: deputies, the member by another name, and who has left', async () => {
  const one = await approvalScene(gate)
  const { ada, bea, cy, dan } = one.people
  const id = await one.awaiting()
  // Nobody's deputy neither approves nor declines for Bea.
  await changeGroupMembers(one.administration, one.group, { remove: [dan.memberId] })
  const asDeputy = { as: one.people.dan, voters: [counting(one, 'dan', 'bea')] }
  expect((await claim(one, id, asDeputy)).outcome).toBe('stale')
  expect((await claim(one, id, { ...asDeputy, decision: 'cancel' })).outcome).toBe('lost')
  // Bea and her deputy are one person.
  await one.delegate('bea', 'dan')
  await claim(one, id, { as: one.people.bea, voters: [counting(one, 'bea')] })
  const both = [counting(one, 'bea'), counting(one, 'dan', 'bea')]
  expect(await claim(one, id, { as: one.people.dan, voters: both })).toMatchObject({
    outcome: 'approved',
    action: { decision: null, approvals_given: 1 },
  })
  // The member who acts, with another identity at the same mailbox.
  const twin = await one.addMember({
    name: 'Ada',
    email: ada.email!.replace('@', '+2@'),
    tier: 'guarded_write',
  })
  await changeGroupMembers(one.administration, one.group, { add: [twin.memberId] })
  const asTwin = { ...counting(one, 'ada'), member: twin.memberId }
  const vote = claim(one, id, { as: twin, voters: [...both, asTwin] })
  await expect(vote).rejects.toMatchObject(cannotApprove)
  // Who left the group since they were judged.
  await changeGroupMembers(one.administration, one.group, { remove: [cy.memberId] })
  const left = claim(one, id, { as: one.people.cy, voters: [...both, counting(one, 'cy')] })
  await expect(left).rejects.toMatchObject(cannotApprove)
  // Who approved and was deactivated since, though a process still counts them.
  await changeGroupMembers(one.administration, one.group, { add: [cy.memberId] })
  await one.setActive(bea, false)
  const [now] = await gate.database.asSuperuser(
    `select version::int from gate.member where account_id = '${one.account}' and member_id = '${bea.memberId}'`,
  )
  const gone = { ...counting(one, 'bea'), version: Number(now!['version']) }
  const voters = [gone, { ...counting(one, 'dan'), counts: false }, counting(one, 'cy')]
  expect(await claim(one, id, { as: cy, voters })).toMatchObject({
    outcome: 'approved',
    action: { decision: null, approvals_given: 1 },
  })
  expect(await one.verified()).toMatchObject({ ok: true })
})

test('the statement counts no deputy whose delegation is over, no approval of version 1, and none from before a deactivation', async () => {
  const one = await approvalScene(gate)
  const { bea, cy, dan } = one.people
  await changeGroupMembers(one.administration, one.group, { remove: [dan.memberId] })
  await one.delegate('bea', 'dan')
  const inForce = await one.awaiting()
  const asDeputy = { as: dan, voters: [counting(one, 'dan', 'bea')] }
  expect((await claim(one, inForce, asDeputy)).outcome).toBe('approved')
  // It is over, by the clock, though the processes judged before.
  const moveDelegation = (days: number) =>
    gate.database.asSuperuser(
      `update gate.delegation set created_at = created_at + interval '${days} days', until = until + interval '${days} days'
        where account_id = '${one.account}'`,
    )
  await moveDelegation(-9)
  const last = { as: cy, voters: [...asDeputy.voters, counting(one, 'cy')] }
  expect((await claim(one, inForce, last)).outcome).toBe('stale')
  expect((await claim(one, await one.awaiting(), asDeputy)).outcome).toBe('stale')

  const three = await approvalScene(gate, { needed: 3 })
  const changed = await three.awaiting()
  await three.press('bea', changed)
  await three.change('cy', changed, 'Lunch is at one.')
  await three.press('ada', changed)
  const all = (['bea', 'cy', 'dan'] as const).map((name) => counting(three, name))
  expect(await claim(three, changed, { as: three.people.dan, voters: all })).toMatchObject({
    outcome: 'approved',
    action: { decision: null, approvals_given: 2 },
  })
  // Bea approves version 2, too: it is no repeat.
  await three.press('bea', changed)
  expect((await three.entries(changed, 'confirmed')).length).toBe(1)
  expect(await three.verified()).toMatchObject({ ok: true })

  const left = await one.awaiting()
  await one.press('bea', left)
  await one.setActive(bea, false)
  await one.setActive(bea, true)
  const [now] = await gate.database.asSuperuser(
    `select version::int from gate.member where account_id = '${one.account}' and member_id = '${bea.memberId}'`,
  )
  const back = { ...counting(one, 'bea'), version: Number(now!['version']) }
  expect(await claim(one, left, { as: cy, voters: [back, counting(one, 'cy')] })).toMatchObject({
    outcome: 'approved',
    action: { decision: null, approvals_given: 1 },
  })
  await moveDelegation(9)
  expect(await one.verified()).toMatchObject({ ok: true })
})

test('the statement takes no approval that is too weak, too early, too late or without its reason', async () => {
  const one = await approvalScene(gate, { needed: 1 })
  const bea = { as: one.people.bea, voters: [counting(one, 'bea')] }
  const weak = await one.awaiting()
  await expect(claim(one, weak, { ...bea, strength: 'chat' })).rejects.toMatchObject(cannotApprove)
  await moveExpiry(gate.database, one.account, -8)
  expect((await claim(one, weak, bea)).outcome).toBe('expired')

  const reasoned = await approvalScene(gate, { needed: 1, reason_required: true })
  const voters = [counting(reasoned, 'bea')]
  const silent = claim(reasoned, await reasoned.awaiting(), { as: reasoned.people.bea, voters })
  await expect(silent).rejects.toMatchObject(cannotApprove)

  const cooling = await approvalScene(gate, { needed: 1, not_before_minutes: 60 })
  const early = { as: cooling.people.bea, voters: [counting(cooling, 'bea')] }
  expect((await claim(cooling, await cooling.awaiting(), early)).outcome).toBe('early')
})

test.each([true, false])(
  'those whom the agent acts for approve nothing, by no name, where the rule bars them: %s',
  async (isBarred) => {
    const one = await approvalScene(gate, isBarred ? {} : { distinct_from: ['proposer'] })
    const { ada, bea } = one.people
    const { key } = await one.mintKey({ actors: [ada, bea] })
    const agent = apiClient(gate.api.url, key)
    const id = (await agent.propose(one.actor, 'Lunch')).body.id as number
    await agent.confirm(id, one.actor)
    const twin = await one.addMember({
      name: 'Bea',
      email: bea.email!.replace('@', '+2@'),
      tier: 'guarded_write',
    })
    await changeGroupMembers(one.administration, one.group, { add: [twin.memberId] })
    for (const member of [bea, twin]) {
      const vote = claim(one, id, {
        as: member,
        voters: [{ member: member.memberId, version: await versionOf(one, member), counts: true }],
      })
      if (isBarred) await expect(vote).rejects.toMatchObject(cannotApprove)
      else {
        await expect(vote).resolves.toMatchObject({ outcome: 'approved' })
        break
      }
    }
    expect((await one.entries(id, 'approved')).length).toBe(isBarred ? 1 : 2)
  },
)

test('a voter who was changed since they were judged is judged again, and who is deactivated is not asked', async () => {
  const one = await approvalScene(gate)
  const { bea } = one.people
  const id = await one.awaiting()
  const voters = [{ member: bea.memberId, version: await versionOf(one, bea), counts: true }]
  await one.setTier(bea, 'write')
  expect((await claim(one, id, { as: bea, voters })).outcome).toBe('stale')
  const ask = (eventId: string) =>
    askApprovers(gate.database.db, {
      account: one.account,
      id,
      hourMax: 100,
      asks: [
        {
          eventId,
          memberId: bea.memberId,
          via: 'email',
          address: bea.email!,
          required: 'page',
          token: 'a'.repeat(43),
          tokenHash: randomBytes(32),
          isReminder: true,
        },
      ],
    })
  await one.setActive(bea, false)
  expect(await ask(randomUUID())).toBe(0)
  await one.setActive(bea, true)
  expect(await ask(randomUUID())).toBe(1)
})

const versionOf = async ({ account }: ApprovalScene, { memberId }: TestMember): Promise<number> =>
  (await readFacts(gate.database.db, account, { memberId }))!.members[0]!.version

test('the statement takes no consent and no approval of version 1 once an approver changed it, however late it comes', async () => {
  const one = await approvalScene(gate, { needed: 3 })
  const { ada, dan } = one.people
  const id = await one.awaiting()
  const { digest } = await one.row(id)
  await one.press('bea', id)
  await one.press('cy', id)
  await one.change('cy', id, 'Lunch is at one.')
  // A process that stood still since then.
  const ofMember = { as: ada, voters: [counting(one, 'bea'), counting(one, 'cy')], digest }
  expect((await claim(one, id, ofMember)).outcome).toBe('stale')
  await one.press('ada', id)
  const all = (['bea', 'cy', 'dan'] as const).map((name) => counting(one, name))
  expect((await claim(one, id, { as: dan, voters: all, digest })).outcome).toBe('stale')
  expect((await one.entries(id, 'approved')).map(({ entry }) => entry.actor)).not.toContain(dan.memberId)
  expect((await claim(one, id, { as: dan, voters: all })).outcome).toBe('approved')
  expect(await one.verified()).toMatchObject({ ok: true })
})
