import type { ApprovalRule } from '../../src/gate/approvals/rule.ts'
import { verifyLedger } from '../../src/ledger/verify.ts'
import { changeGroupMembers, createGroup } from '../../src/operations/groups/groups.ts'
import type { TestMember } from '../support/account.ts'
import { type Visitor, signedInByMail } from '../support/console.ts'
import { formOf } from '../support/form-of.ts'
import type { TestGate } from '../support/gate.ts'
import { entriesOf } from '../support/ledger-entries.ts'
import { changeField } from '../../src/web/edit-form.ts'
import { until } from '../support/until.ts'

const delegationsPath = '/console/delegations'
let scenes = 0

export type Name = 'ada' | 'bea' | 'cy' | 'dan'

/** An account whose broadcasts others must approve: Ada acts, Bea, Cy and Dan are in the group of approvers. */
export async function approvalScene(gate: TestGate, rule: Partial<ApprovalRule> = {}) {
  const n = ++scenes
  const account = await gate.account()
  const member = (name: string) =>
    account.addMember({ name, email: `${name.toLowerCase()}@${n}.example`, tier: 'guarded_write' })
  const [ada, bea, cy, dan] = [
    await member('Ada'),
    await member('Bea'),
    await member('Cy'),
    await member('Dan'),
  ]
  const people: Record<Name, TestMember> = { ada, bea, cy, dan }
  const administration = { db: gate.database.db, account: account.account, session: null }
  const group = await createGroup(administration, 'Leads')
  const ids = [bea, cy, dan].map(({ memberId }) => memberId)
  await changeGroupMembers(administration, group, { add: ids })
  const full: ApprovalRule = {
    needed: 2,
    from: { group },
    distinct_from: ['proposer', 'agent_owner'],
    min_strength: 'page',
    ...rule,
  }
  const setRule = (approvals: ApprovalRule | undefined) =>
    account.setPolicy({
      kinds: {
        broadcast: { tier: 'guarded_write', consent: 'agent_attested', ...(approvals ? { approvals } : {}) },
      },
    })
  await setRule(full)
  const browsers = new Map<Name, Visitor>()
  const browserOf = async (name: Name): Promise<Visitor> => {
    const known = browsers.get(name) ?? (await signedInByMail(gate, people[name].email!))
    browsers.set(name, known)
    return known
  }
  /** A day from now, as a date field has it. */
  const dayIn = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)
  const delegateIn = async (visitor: Visitor, deputy: Name, more: Record<string, string> = {}) => {
    const { html } = await visitor.open(delegationsPath)
    const given = { deputy: people[deputy].email!, until: dayIn(7), kinds: '', reason: 'On holiday', ...more }
    return visitor.send(delegationsPath, { ...formOf(html), ...given })
  }
  const actor = { email: ada.email }
  const propose = async (message = 'Lunch is at noon.') =>
    (await account.client.propose(actor, message)).body.id as number
  const confirm = (id: number) => account.client.confirm(id, actor)
  const pathOf = (id: number) => `/console/proposals/${id}`
  const row = async (id: number) => (await account.client.get(id)).body
  return {
    ...account,
    administration,
    group,
    rule: full,
    setRule,
    people,
    actor,
    browserOf,
    pathOf,
    row,
    dayIn,
    delegateIn,
    signedInAs: (address: string) => signedInByMail(gate, address),
    delegate: async (name: Name, deputy: Name, more?: Record<string, string>) =>
      delegateIn(await browserOf(name), deputy, more),
    async endIn(name: Name, delegation: string) {
      const visitor = await browserOf(name)
      const path = `${delegationsPath}/${delegation}/end`
      const page = await visitor.open(path)
      return page.status === 200 ? visitor.send(path, formOf(page.html)) : page
    },
    propose,
    confirm,
    /** An action whose member consented. */
    async awaiting() {
      const id = await propose()
      await confirm(id)
      return id
    },
    open: async (name: Name, id: number) => (await browserOf(name)).open(pathOf(id)),
    async press(
      name: Name,
      id: number,
      does: 'confirm' | 'decline' = 'confirm',
      more: Record<string, string> = {},
    ) {
      const visitor = await browserOf(name)
      const { html } = await visitor.open(pathOf(id))
      return visitor.send(pathOf(id), { ...formOf(html), does, ...more })
    },
    /** Changes the message, sees version 2, and approves that. */
    async change(name: Name, id: number, message: string) {
      const visitor = await browserOf(name)
      const { html } = await visitor.open(pathOf(id))
      const changed = { ...formOf(html), does: 'edit', [changeField('message')]: message }
      const second = await visitor.send(pathOf(id), changed)
      return visitor.send(pathOf(id), { ...formOf(second.html), does: 'confirm' })
    },
    executed: (id: number) =>
      until('executed', async () => {
        const now = await row(id)
        return now.status === 'executed' && now
      }),
    entries: async (id: number, ...kinds: string[]) =>
      (await entriesOf(gate.database, account.account, id)).filter(({ kind }) => kinds.includes(kind)),
    verified: () => verifyLedger(gate.database.db, account.account),
  }
}

export type ApprovalScene = Awaited<ReturnType<typeof approvalScene>>
