import { type TestAccount, freshAccount } from '../../test/support/account.ts'
import { demoCurricula } from '../../dev/embedded/demo-roster.ts'
import { bareAccount } from '../bare/schema.ts'
import type { Services } from './services.ts'

export interface BenchAccount extends TestAccount {
  /** E-mail addresses of members who can broadcast. */
  proposers: string[]
  /** The ids of these members. */
  memberIds: string[]
  /** How many members it has: the recipients of a broadcast. */
  members: number
}

/**
 * An account with two curricula and members who are certified by four passes each; also known to the plain implementation.
 * @param roster  proposers can broadcast; slack and email are members with only one channel
 */
export async function benchAccount(
  services: Services,
  roster: Roster & { openMax?: number },
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
  const size = roster.proposers + (roster.slack ?? 0) + (roster.email ?? 0)
  const memberIds = await (size > addedMax ? plantMembers : addMembers)(services, account, roster)
  await services.asSuperuser(`
    analyze gate.member, gate.pass;
    ${bareAccount(id)}`)
  if (roster.openMax) await account.setPolicy({ open_max_per_member: roster.openMax })
  return {
    ...account,
    members: size,
    proposers: numbered(roster.proposers, (n) => proposerOf(id, n)),
    memberIds,
  }
}

/** More members than these are planted: to add ten thousand would take half a minute. */
const addedMax = 200

interface Roster {
  proposers: number
  slack?: number
  email?: number
}

const shortOf = (account: string): string => account.slice(-8).toLowerCase()
const proposerOf = (account: string, n: number): string => `p${n}.${shortOf(account)}@example.com`
const slackOf = (account: string, name: string): string => `U${name}${shortOf(account).toUpperCase()}`

/** Adds members as an administrator does. The account's ledger is verified after the case. */
async function addMembers(
  { ledgers }: Services,
  account: TestAccount,
  { proposers, slack = 0, email = 0 }: Roster,
): Promise<string[]> {
  const id = account.account
  const memberIds: string[] = []
  for (let n = 0; n < proposers; n++) {
    const channels = { email: proposerOf(id, n), ...(n % 3 === 0 ? { slack: slackOf(id, `P${n}`) } : {}) }
    const member = await account.addMember({ name: `Ada ${n}`, ...channels })
    for (let module = 1; module <= 4; module++) await account.pass(member, 'safe-sending', module)
    memberIds.push(member.memberId)
  }
  for (let n = 1; n <= slack; n++)
    await account.addMember({ name: `Slack ${n}`, slack: slackOf(id, String(n).padStart(6, '0')) })
  for (let n = 1; n <= email; n++)
    await account.addMember({ name: `Mail ${n}`, email: `e${n}.${shortOf(id)}@example.com` })
  ledgers.add(id)
  return memberIds
}

/** Writes members into the tables, past the ledger. */
async function plantMembers(
  services: Services,
  { account: id }: TestAccount,
  { proposers, slack = 0, email = 0 }: Roster,
): Promise<string[]> {
  const short = shortOf(id)
  const upper = short.toUpperCase()
  await services.asSuperuser(`
    insert into gate.member (account_id, member_id, name, email, slack)
      select '${id}', 'mem_p${short}' || n, 'Ada ' || n, 'p' || n || '.${short}@example.com',
        case n % 3 when 0 then 'UP' || n || '${upper}' end
      from generate_series(0, ${proposers - 1}) n
      union all
      select '${id}', 'mem_s${short}' || n, 'Slack ' || n, null, 'U' || lpad(n::text, 6, '0') || '${upper}'
      from generate_series(1, ${slack}) n
      union all
      select '${id}', 'mem_e${short}' || n, 'Mail ' || n, 'e' || n || '.${short}@example.com', null
      from generate_series(1, ${email}) n;
    insert into gate.pass (account_id, member_id, curriculum, module, passed_at, latest_at)
      select '${id}', 'mem_p${short}' || n, 'safe-sending', module, now(), now()
      from generate_series(0, ${proposers - 1}) n, generate_series(1, 4) module;
    update gate.account set roster_version = roster_version + 1 where account_id = '${id}'`)
  return numbered(proposers, (n) => `mem_p${short}${n}`)
}

const numbered = (count: number, name: (n: number) => string): string[] =>
  Array.from({ length: count }, (_, n) => name(n))

/** A key that an agent runner asks with for the first proposer. */
export async function runnerKeyOf(account: BenchAccount): Promise<string> {
  const [memberId = ''] = account.memberIds
  const { key } = await account.mintKey({
    powers: ['runner'],
    actors: [{ memberId, name: '', email: null, slack: null }],
  })
  return key
}
