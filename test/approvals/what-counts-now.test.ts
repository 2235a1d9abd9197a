import { expect, test } from '@jest/globals'
import { readAction } from '../../src/db/queries/actions/actions.ts'
import { askApprovers } from '../../src/operations/consent/ask-approvers.ts'
import { endDelegation, listDelegations } from '../../src/operations/delegations/delegations.ts'
import { changeGroupMembers } from '../../src/operations/groups/groups.ts'
import { gateOn } from '../cli/gate-command.ts'
import { callTool } from '../support/mcp-tool.ts'
import { useConsole } from '../support/use-gate.ts'
import { type ApprovalScene, type Name, approvalScene } from './scene.ts'

const gate = useConsole({ workers: false })

/** How many approvals each place shows: REST and MCP, the row alone and in its list; the command line; Temporal's details. */
async function shownOf(one: ApprovalScene, id: number) {
  const { db, serviceUrl, ownerUrl } = gate.database
  const cli = gateOn({ DATABASE_URL: serviceUrl, DATABASE_OWNER_URL: ownerUrl })
  const listed = async (rows: { id: number }[]) => rows.find((row) => row.id === id)
  const command = (verb: string, ...more: string[]) =>
    cli('action', verb, '--account', one.account, '--json', ...more)
  const rows = [
    await one.row(id),
    await listed((await one.client.list()).body.actions),
    (await callTool(one.client, 'get_action', { id })).body,
    await listed((await callTool(one.client, 'list_actions')).body['actions'] as { id: number }[]),
    (await command('show', '--id', String(id))).json,
    await listed((await command('list')).json.actions),
  ]
  const { who } = await askApprovers(gate.deps, (await readAction(db, one.account, id))!)
  return [...rows.map((row) => row.awaiting_approvals.given), one.rule.needed - Number(/^\d+/.exec(who!)![0])]
}

const everywhere = (given: number) => Array(7).fill(given)

/** What is stored stays as the last entry says. */
const stored = async (one: ApprovalScene, id: number) =>
  (await readAction(gate.database.db, one.account, id))!.approvals_given

test('an approval that has ended counts nowhere that shows how many there are, and counts again with the right to it', async () => {
  const one = await approvalScene(gate, { needed: 3 })
  const { bea } = one.people
  const inGroup = (change: 'add' | 'remove', name: Name) =>
    changeGroupMembers(one.administration, one.group, { [change]: [one.people[name].memberId] })
  await inGroup('remove', 'dan')
  await one.delegate('cy', 'dan')
  const id = await one.awaiting()
  await one.press('bea', id)
  await one.press('dan', id)
  expect(await shownOf(one, id)).toEqual(everywhere(2))
  expect((await one.open('cy', id)).text).toContain('Approved by Bea, Dan for Cy.')

  await inGroup('remove', 'bea')
  expect(await shownOf(one, id)).toEqual(everywhere(1))
  const card = (await one.open('cy', id)).text
  expect(card).toContain('Approved by Dan for Cy. The approval of Bea does not count now.')
  await inGroup('add', 'bea')
  expect(await shownOf(one, id)).toEqual(everywhere(2))

  const [delegation] = await listDelegations(one.administration)
  await endDelegation(one.administration, delegation!.delegation_id)
  expect(await shownOf(one, id)).toEqual(everywhere(1))

  await one.setActive(bea, false)
  expect(await shownOf(one, id)).toEqual(everywhere(0))
  expect((await one.open('cy', id)).text).toContain('Nobody else approved yet.')
  await one.setActive(bea, true)
  expect(await shownOf(one, id)).toEqual(everywhere(0))

  expect(await stored(one, id)).toBe(2)
  expect(await one.verified()).toMatchObject({ ok: true })
})

test('an approver who is demoted counts no more where a tier is the rule, and two names of one mailbox count once', async () => {
  const one = await approvalScene(gate, { needed: 4, from: { tier: 'guarded_write' } })
  const { bea, cy } = one.people
  const id = await one.awaiting()
  await one.press('bea', id)
  await one.press('cy', id)
  await one.setTier(bea, 'read_only')
  expect(await shownOf(one, id)).toEqual(everywhere(1))
  await one.setTier(bea, 'write')
  expect(await shownOf(one, id)).toEqual(everywhere(2))
  // Cy is Bea by another name from now on: the claim counts them once.
  await one.setIdentity(cy, { email: bea.email!.replace('@', '+cy@') })
  expect(await shownOf(one, id)).toEqual(everywhere(1))
  expect(await stored(one, id)).toBe(2)
})

test('the repeat of a proposal is answered as it was, whatever was approved since', async () => {
  const one = await approvalScene(gate, { needed: 2 })
  const propose = () => one.client.propose(one.actor, 'Lunch is at noon.', 'lunch')
  const first = await propose()
  const id = first.body.id as number
  await one.confirm(id)
  await one.press('bea', id)
  expect((await propose()).body).toEqual(first.body)
  await one.press('cy', id)
  expect((await propose()).body).toEqual(first.body)
})
