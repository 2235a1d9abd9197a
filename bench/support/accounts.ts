import { type TestAccount, freshAccount } from '../../test/support/account.ts'
import { demoCurricula } from '../../src/embedded/demo-roster.ts'
import { bareAccount } from '../bare/schema.ts'
import type { Services } from './services.ts'

export interface BenchAccount extends TestAccount {
  /** E-mail addresses of members who can broadcast. */
  proposers: string[]
}

/**
 * An account with two curricula and members who are certified by four passes each; also known to the plain implementation.
 * @param roster  proposers can broadcast; slack and email are members with only one channel
 */
export async function benchAccount(
  services: Services,
  roster: { proposers: number; slack?: number; email?: number; openMax?: number },
): Promise<BenchAccount> {
  const account = await freshAccount(services.db)
  const id = account.account
  for (const { slug, title, modules, grants, valid_days } of demoCurricula) {
    await account.addCurriculum({
      slug,
      title,
      modules,
      grants,
      ...(valid_days === null ? {} : { validDays: valid_days }),
    })
  }
  const short = id.slice(-8).toLowerCase()
  const upper = short.toUpperCase()
  // As superuser, in one statement: ten thousand calls of the administrative functions would take half a minute.
  await services.asSuperuser(`
    insert into gate.member (account_id, member_id, name, email, slack)
      select '${id}', 'mem_p${short}' || n, 'Ada ' || n, 'p' || n || '.${short}@example.com',
        case n % 3 when 0 then 'UP' || n || '${upper}' end
      from generate_series(0, ${roster.proposers - 1}) n
      union all
      select '${id}', 'mem_s${short}' || n, 'Slack ' || n, null, 'U' || lpad(n::text, 6, '0') || '${upper}'
      from generate_series(1, ${roster.slack ?? 0}) n
      union all
      select '${id}', 'mem_e${short}' || n, 'Mail ' || n, 'e' || n || '.${short}@example.com', null
      from generate_series(1, ${roster.email ?? 0}) n;
    insert into gate.pass (account_id, member_id, curriculum, module, passed_at, latest_at)
      select '${id}', 'mem_p${short}' || n, 'safe-sending', module, now(), now()
      from generate_series(0, ${roster.proposers - 1}) n, generate_series(1, 4) module;
    update gate.account set roster_version = roster_version + 1 where account_id = '${id}';
    analyze gate.member, gate.pass;
    ${bareAccount(id)}`)
  if (roster.openMax) await account.setPolicy({ open_max_per_member: roster.openMax })
  return {
    ...account,
    proposers: Array.from({ length: roster.proposers }, (_, n) => `p${n}.${short}@example.com`),
  }
}

/** A key that an agent runner asks with for the first proposer. */
export async function runnerKeyOf(account: BenchAccount): Promise<string> {
  const memberId = `mem_p${account.account.slice(-8).toLowerCase()}0`
  const { key } = await account.mintKey({
    powers: ['runner'],
    actors: [{ memberId, name: '', email: null, slack: null }],
  })
  return key
}
