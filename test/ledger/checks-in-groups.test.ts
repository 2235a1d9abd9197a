import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect } from '@jest/globals'
import { hashKey } from '../../src/keys/api-key.ts'
import { type CheckToRecord, recordChecks } from '../../src/db/queries/actions/checks.ts'
import { readFacts } from '../../src/db/queries/members/facts.ts'
import { verifyLedger } from '../../src/ledger/verify.ts'
import { type TestAccount, type TestMember, freshAccount } from '../support/account.ts'
import { type TestDatabase, freshDatabase } from '../support/database.ts'
import { testRows } from '../support/rows.ts'

let database: TestDatabase
beforeAll(async () => void (database = await freshDatabase()), 60_000)
afterAll(() => database.drop())

/** A check as an API hands it over. `isStale`: the member has changed since they were read. */
async function checkOf(account: TestAccount, member: TestMember, isStale: boolean): Promise<CheckToRecord> {
  const facts = (await readFacts(database.db, account.account, { memberId: member.memberId }))!
  return {
    uuid: randomUUID(),
    memberId: member.memberId,
    member: member.email!,
    tier: 'write',
    source: 'api',
    tierSource: 'admin',
    certified: false,
    keyId: account.keyId,
    apiKey: hashKey(account.key),
    memberVersion: facts.members[0]!.version - (isStale ? 1 : 0),
    curriculaVersion: facts.curriculaVersion,
  }
}

const groups = [
  [true, false],
  [true, true, false, false],
  [false, true],
  [true, false, true, false],
]
testRows(groups.map((group) => [group]))(
  'each row of a group of checks is of its own member, and the ledger verifies',
  async (group) => {
    const account = await freshAccount(database.db)
    const checks: CheckToRecord[] = []
    for (const [n, isStale] of group.entries()) {
      const member = await account.addMember({ email: `m${n}@example.com`, tier: 'write' })
      checks.push(await checkOf(account, member, isStale))
    }
    const outcomes = await recordChecks(database.db, account.account, checks)
    expect(outcomes).toEqual(group.map((isStale) => (isStale ? 'stale' : 'recorded')))
    const rows = await database.asSuperuser(
      `select uuid, member from gate.action where account_id = '${account.account}' order by id`,
    )
    const recorded = checks.filter((_, n) => !group[n]).map(({ uuid, member }) => ({ uuid, member }))
    expect(rows).toEqual(recorded)
    expect(await verifyLedger(database.db, account.account)).toMatchObject({ ok: true })
  },
)
