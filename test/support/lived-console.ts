import { setPolicy } from '../../src/operations/policy/set-policy.ts'
import type { TestAccount, TestMember } from './account.ts'
import type { ApiClient } from './api-client.ts'
import { connectAsMember, goodForm, linkFor } from './connect.ts'
import type { TestGate } from './gate.ts'
import { callTool } from './mcp-tool.ts'

/** Text that must be shown as text wherever it stands. */
export const markup = `<img src=x onerror=alert(1)>"'&<script>alert(2)</script>`

export interface LivedConsole {
  account: TestAccount & { client: ApiClient }
  grace: TestMember
  /** Actions by their outcome. */
  rows: Record<'check' | 'executed' | 'refund' | 'denied' | 'cancelled' | 'open' | 'connected', number>
}

/** An account that has something to show on every page that reads: every name and message in it is markup. */
export async function livedConsole(gate: TestGate): Promise<LivedConsole> {
  const account = await gate.account()
  const { client } = account
  const grace = await account.addMember({
    name: `Grace ${markup}`,
    email: 'grace@example.com',
    tier: 'write',
  })
  await account.addMember({ name: 'Barbara', email: 'barbara@example.com', slack: 'U0BARBARA' })
  const actor = { email: 'grace@example.com' }
  const proposed = async (message: string, by = actor) => (await client.propose(by, message)).body.id

  await client.capability(actor)
  const executed = await proposed(`Lunch is at noon. ${markup}`)
  await client.confirm(executed, actor)
  const refund = await callTool(client, 'issue_refund', {
    actor,
    payment: 'pi_Sandbox05',
    amount_cents: 4_500,
  })
  await client.confirm(refund.body.id, actor)
  const denied = await proposed('Me too!', { email: 'barbara@example.com' })
  const cancelled = await proposed('On second thought')
  await client.cancel(cancelled, actor)
  const open = await proposed('Waiting for a word')
  const link = await linkFor(client, actor, 'stripe')
  await connectAsMember(gate, link.url, goodForm.stripe)

  const cli = { db: gate.deps.db, kinds: gate.deps.kinds, account: account.account, session: null }
  await setPolicy(cli, { open_max_per_member: 20 })
  await setPolicy(cli, {
    kinds: {
      refund: {
        bands: {
          usd: [{ up_to_cents: 7_500, tier: 'guarded_write', consent: 'agent_attested' }],
          eur: [{ tier: 'write', consent: 'agent_attested' }],
        },
        velocity: { actions_per_day: 20, cents_per_day: { usd: 100_000 } },
      },
    },
  })
  const rows = { check: 1, executed, refund: refund.body.id, denied, cancelled, open, connected: link.id }
  return { account, grace, rows }
}

/** Adds confirms of a member, each so long after its proposal: for the page about how members decide. */
export async function confirmsOf(
  gate: TestGate,
  account: string,
  memberId: string,
  tookMs: number[],
): Promise<void> {
  await gate.database.asSuperuser(`
    insert into gate.action (account_id, id, uuid, kind, status, member_id, member, tier_at_request, source, payload,
      created_at, requires_confirmation, decision, decided_at, closed_reason)
    select '${account}', 10000 + l.made + n, gen_random_uuid(), 'refund', 'cancelled', '${memberId}', 'x', 'write', 'api',
      '{}', now() - interval '1 day' - took * interval '1 millisecond', true, 'confirm', now() - interval '1 day',
      'refused'
    from (select count(*) as made from gate.action where account_id = '${account}') l,
      unnest(array[${tookMs.join()}]::float8[]) with ordinality u(took, n)`)
}
