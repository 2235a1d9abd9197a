import { cardHash } from '../../src/consent/card.ts'
import { readAction } from '../../src/db/queries/actions/actions.ts'
import { verifyLedger } from '../../src/ledger/verify.ts'
import { cardOfRow } from '../../src/operations/consent/card-of-row.ts'
import { decideInConsole } from '../../src/operations/decisions/decide-in-console.ts'
import type { MandateDraft } from '../../src/operations/mandates/mandate-terms.ts'
import { proposeMandate } from '../../src/operations/mandates/sign-mandate.ts'
import type { Session } from '../../src/operations/sign-in/session.ts'
import type { TestMember } from './account.ts'
import { apiClient } from './api-client.ts'
import type { TestGate } from './gate.ts'
import { callTool } from './mcp-tool.ts'
import { sessionOf } from './session.ts'
import { until } from './until.ts'

/** What the policy of the scene allows mandates to be. */
export const ceilings = {
  payout: {
    consent: 'page',
    uses: 60,
    uses_per_day: 60,
    days: 30,
    cents_each: { usd: 10_000 },
    cents: { usd: 50_000 },
    cents_per_day: { usd: 40_000 },
  },
  broadcast: { consent: 'page', uses: 60, uses_per_day: 60, days: 30 },
}

const money = (consent: string) => ({
  bands: { usd: [{ up_to_cents: 1_000_000, tier: 'write', consent }] },
  velocity: 'off',
})

/** A policy under which each payout and each message requires a member's own consent. */
export const strict = {
  kinds: { payout: money('page'), broadcast: { tier: 'guarded_write', consent: 'chat' } },
  mandates: ceilings,
}

let people = 0

/** Approves a proposal on its page, as the console does. */
export async function approveOnPage(gate: TestGate, by: Session, id: number): Promise<void> {
  const row = (await readAction(gate.deps.db, by.account, id))!
  const shown = cardHash(await cardOfRow(gate.deps, row)).toString('hex')
  await decideInConsole(gate.deps, by, id, { does: 'confirm', shown, digest: row.digest! })
}

/** Signs a mandate. @returns its number, once it is in force */
export async function signMandate(gate: TestGate, by: Session, draft: MandateDraft): Promise<number> {
  const { id } = await proposeMandate(gate.deps, by, draft)
  await approveOnPage(gate, by, id)
  await until(
    `mandate ${id} is in force`,
    async () => (await readAction(gate.deps.db, by.account, id))!.status === 'executed',
  )
  return id
}

/** A member's session, as the console has it. */
export const sessionOfMember = async (
  gate: TestGate,
  account: string,
  member: TestMember,
): Promise<Session> =>
  ({
    account,
    memberId: member.memberId,
    adminId: null,
    tokenHash: await sessionOf(gate.deps, account, member.email!),
  }) as unknown as Session

/** A member with `write` in an account with that policy, whose agent has the account's key. */
export async function mandateScene(gate: TestGate) {
  const account = await gate.account()
  const wil = await account.addMember({ name: 'Wil', email: `wil${++people}@example.com`, tier: 'write' })
  await account.setPolicy(strict)
  const session = await sessionOfMember(gate, account.account, wil)
  const draft = (given: Partial<MandateDraft> = {}): MandateDraft => ({
    agent: account.keyId,
    allows: [{ kind: 'payout', cents_each: { usd: 5_000 } }],
    uses: 50,
    uses_per_day: 50,
    cents: { usd: 30_000 },
    cents_per_day: { usd: 20_000 },
    until: new Date(Date.now() + 86_400_000).toISOString(),
    ...given,
  })
  const approve = (id: number, by: Session = session) => approveOnPage(gate, by, id)
  const scene = {
    ...account,
    wil,
    session,
    sessionOfMember: (member: TestMember = wil) => sessionOfMember(gate, account.account, member),
    draft,
    approve,
    /** A mandate that is in force. @returns its number */
    sign: (given: Partial<MandateDraft> = {}, by: Session = session) => signMandate(gate, by, draft(given)),
    tool: (name: string, args: Record<string, unknown>, key = account.key, member: TestMember = wil) =>
      callTool(apiClient(gate.api.url, key), name, { actor: { email: member.email }, ...args }),
    /** Proposes a payout and confirms it with the agent's word. @returns the answer to the confirm */
    async payOut(
      cents: number,
      {
        key = account.key,
        member = wil,
        ...given
      }: { key?: string; member?: TestMember; [field: string]: unknown } = {},
    ) {
      const proposed = await scene.tool('send_payout', { amount_cents: cents, ...given }, key, member)
      if (proposed.body.status !== 'proposed') throw new Error(JSON.stringify(proposed.body))
      return (await scene.tool('confirm_action', { id: proposed.body.id }, key, member)).body
    },
    async tell(message: string) {
      const actor = { email: wil.email }
      const { body } = await account.client.propose(actor, message)
      return (await account.client.confirm(body.id, actor)).body
    },
    debits: (id: number) =>
      gate.database.asSuperuser(
        `select action_id::int as action, cents::int, currency from gate.mandate_debit
         where account_id = '${account.account}' and mandate_id = ${id} order by n`,
      ),
    entries: (kind: string) =>
      gate.database.asSuperuser(
        `select entry::json from gate.ledger where account_id = '${account.account}' and kind = '${kind}' order by seq`,
      ),
    verify: () => verifyLedger(gate.database.db, account.account),
  }
  return scene
}
