import type { TestAccount, TestMember } from './account.ts'
import type { TestDatabase } from './database.ts'

/** Puts a mandate in an account, as if its member had approved it; no entry tells of it. @returns its number */
export async function putMandate(
  database: TestDatabase,
  { account }: Pick<TestAccount, 'account'>,
  { member, keyId, commands = ['npm test'] }: { member: TestMember; keyId: string; commands?: string[] },
): Promise<number> {
  const payload = JSON.stringify({
    runner: 'claude',
    tool: 'Bash',
    cwd: '/work/project',
    commands,
    days: 30,
    pinned_to: [{ path: 'package.json', sha256: 'a'.repeat(64) }, { path: 'Makefile' }],
    rule_digest: '0'.repeat(64),
    required_consent: 'chat',
  }).replaceAll("'", "''")
  const [made] = await database.asSuperuser(`
    with put as (
      insert into gate.action (
        account_id, id, uuid, kind, status, member_id, member, tier_at_request, source, payload, salt, created_at,
        requires_confirmation, result, executed_at)
      select '${account}', 900000 + count(*), gen_random_uuid(), 'runner_mandate', 'executed', '${member.memberId}', 'grace@example.com',
        'guarded_write', 'runner', '${payload}', '\\x00', now(), false, '{"outcome":"done"}', now()
      from gate.action a where a.account_id = '${account}' and a.kind = 'runner_mandate'
      returning account_id, id
    )
    insert into gate.mandate (account_id, action_id, scope, member_id, key_id, granted_at, expires_at)
    select account_id, id, '\\x00', '${member.memberId}', '${keyId}', now(), now() + interval '30 days' from put
    returning action_id::int as id`)
  return made!['id'] as number
}
