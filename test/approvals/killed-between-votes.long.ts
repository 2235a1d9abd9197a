import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { verifyLedger } from '../../src/ledger/verify.ts'
import { changeGroupMembers, createGroup } from '../../src/operations/groups/groups.ts'
import { proposalWorkflowId } from '../../src/temporal/names.ts'
import { ended, senderTo } from '../faults/broadcasts.ts'
import { expectInvariants } from '../faults/invariants.ts'
import { shownOn } from '../support/consent.ts'
import { browser } from '../support/connect.ts'
import { type Service, startService, until } from '../support/supervisor.ts'

let service: Service
beforeAll(async () => {
  service = await startService({ isSandbox: true })
}, 300_000)
afterAll(() => service.stop(), 60_000)

type Name = 'Bea' | 'Cy' | 'Dan'

/** A broadcast to which its member consented; two of Bea, Cy and Dan must approve it, and each was sent a link. */
async function awaitingTwo() {
  const sender = await senderTo(service, 4)
  const { account } = sender
  const place = account.account.slice(-6).toLowerCase()
  const addressOf = (name: Name) => `${name.toLowerCase()}-${place}@example.com`
  const add = (name: Name) => account.addMember({ name, email: addressOf(name) })
  const people = { Bea: await add('Bea'), Cy: await add('Cy'), Dan: await add('Dan') }
  const administration = { db: service.db, account: account.account, session: null }
  const group = await createGroup(administration, 'Leads')
  await changeGroupMembers(administration, group, {
    add: Object.values(people).map(({ memberId }) => memberId),
  })
  const approvals = { needed: 2, from: { group }, distinct_from: ['proposer'], min_strength: 'page' }
  const rule = { tier: 'guarded_write', consent: 'agent_attested', approvals }
  await account.setPolicy({ kinds: { broadcast: rule } })
  const { id } = await sender.propose()
  await account.api.confirm(id, sender.actor)
  const links = (name: Name) =>
    service.sandbox
      .messages(1_000)
      .flatMap(({ to, text }) =>
        to === addressOf(name) ? (/http\S+\/decide\/[\w-]{43}/.exec(text) ?? []) : [],
      )
  for (const name of ['Bea', 'Cy', 'Dan'] as const)
    await until(`a link to ${name}`, 60_000, () => links(name).length > 0)
  const [stored] = await service.sql<{ uuid: string }>(
    `select uuid from gate.action where account_id = '${account.account}' and id = ${id}`,
  )
  const handle = (await service.temporal()).workflow.getHandle(
    proposalWorkflowId({ account: account.account, id, uuid: stored!.uuid }),
  )
  return {
    account,
    id,
    people,
    links,
    async approve(name: Name) {
      const link = links(name)[0]!
      const page = await browser().open(link)
      return browser().send(link, { does: 'confirm', shown: shownOn(page.html) })
    },
    votes: () =>
      service.sql<{ member_id: string }>(
        `select member_id from gate.approval where account_id = '${account.account}' and action_id = ${id}
          and not is_own order by n`,
      ),
    /** What the Temporal UI shows of it. */
    details: async () =>
      (await handle.query<{ currentDetails?: string }>('__temporal_workflow_metadata')).currentDetails,
  }
}
type Awaiting = Awaited<ReturnType<typeof awaitingTwo>>

const namesOnly = (one: Awaiting, ...names: Name[]) =>
  until(`the workflow names ${names.join(' and ')}`, 60_000, async () => {
    const details = (await one.details()) ?? ''
    const named = (Object.keys(one.people) as Name[]).filter((name) =>
      details.includes(one.people[name].memberId),
    )
    return named.join() === names.join() && details
  })

async function executedBy(one: Awaiting, ...names: Name[]): Promise<void> {
  const { row } = await ended(service, one.account.account, one.id, 120_000)
  expect(row['status']).toBe('executed')
  const voted = (await one.votes()).map(({ member_id: id }) => id)
  expect(voted).toEqual(names.map((name) => one.people[name].memberId))
  // Nobody was asked twice.
  for (const name of Object.keys(one.people) as Name[])
    expect([name, one.links(name).length]).toEqual([name, 1])
  await expectInvariants(service, one.account.account)
  expect(await verifyLedger(service.db, one.account.account)).toMatchObject({ ok: true })
}

test('an API and a worker killed after the first approval lose nothing, and the workflow names who is awaited', async () => {
  const one = await awaitingTwo()
  await namesOnly(one, 'Bea', 'Cy', 'Dan')
  // The approval commits, and Temporal is not told.
  service.edges.temporal.hold()
  const answer = one.approve('Bea').catch(() => 'lost')
  await until('an approval is stored', 60_000, async () => (await one.votes()).length === 1)
  await service.kill('api', 'worker')
  await answer
  service.edges.temporal.release()
  await service.start('worker')
  await namesOnly(one, 'Cy', 'Dan')
  const [row] = await service.sql(
    `select status, decision, approvals_given from gate.action where account_id = '${one.account.account}' and id = ${one.id}`,
  )
  expect(row).toEqual({ status: 'proposed', decision: null, approvals_given: 1 })
  await service.start('api')
  expect((await one.approve('Bea')).html).not.toContain('value="confirm"')
  expect((await one.votes()).length).toBe(1)
  expect([200, 202]).toContain((await one.approve('Cy')).status)
  await executedBy(one, 'Bea', 'Cy')
}, 300_000)

test('a worker killed before both approvals: they are taken without it, and it executes once it is back', async () => {
  const one = await awaitingTwo()
  await service.kill('worker')
  expect([200, 202]).toContain((await one.approve('Dan')).status)
  await service.kill('api')
  await service.start('api')
  expect([200, 202]).toContain((await one.approve('Cy')).status)
  await service.start('worker')
  await executedBy(one, 'Dan', 'Cy')
}, 300_000)
