import { randomUUID } from 'node:crypto'
import { type Db } from '../../src/db/connect.ts'
import { type Tier } from '../../src/gate/tier.ts'
import { hashKey, mintKey, randomBase62 } from '../../src/keys/api-key.ts'
import { entryTail } from '../../src/ledger/entry.ts'

export interface TestMember {
  memberId: string
  name: string
  email: string | null
  slack: string | null
}

export interface TestAccount {
  account: string
  key: string
  keyId: string
  addMember(m: { name?: string; email?: string; slack?: string; tier?: Tier }): Promise<TestMember>
  setTier(member: TestMember, tier: Tier | null): Promise<void>
  setActive(member: TestMember, active: boolean): Promise<void>
  suspend(suspend: boolean): Promise<void>
  addCurriculum(c: {
    slug: string
    title: string
    modules: number
    grants: Tier
    validDays?: number
  }): Promise<void>
  pass(member: TestMember, curriculum: string, module: number, at?: Date): Promise<void>
  setPolicy(document: Record<string, unknown>): Promise<void>
  mintKey(options?: { actors?: TestMember[]; expires?: Date }): Promise<{ key: string; keyId: string }>
  revokeKey(keyId: string): Promise<void>
}

const tail = (kind: Parameters<typeof entryTail>[0]['kind']) => entryTail({ kind, actor: 'admin' })

/** A new account with one key, and the changes an administrator can make to it. */
export async function freshAccount(db: Db): Promise<TestAccount> {
  const account = `acct_${randomBase62(16)}`
  await db.once((sql) => sql`select gate.create_account(${account}, 'Test')`)
  const made = {
    account,
    async addMember(m: { name?: string; email?: string; slack?: string; tier?: Tier }) {
      const memberId = `mem_${randomBase62(16)}`
      const member = { memberId, name: m.name ?? 'Ada', email: m.email ?? null, slack: m.slack ?? null }
      await db.once(
        (
          sql,
        ) => sql`select gate.add_member(${account}, ${memberId}, ${member.name}, ${member.email}, ${member.slack},
          ${randomUUID()}, ${tail('member_changed')})`,
      )
      if (m.tier) await made.setTier(member, m.tier)
      return member
    },
    async setTier(member: TestMember, tier: Tier | null) {
      await db.once(
        (sql) =>
          sql`select gate.set_tier(${account}, ${member.memberId}, ${tier}, ${randomUUID()}, ${tail('tier_set')})`,
      )
    },
    async setActive(member: TestMember, active: boolean) {
      await db.once(
        (sql) => sql`select gate.update_member(${account}, ${member.memberId}, null, null, null, ${active},
          ${randomUUID()}, ${tail('member_changed')})`,
      )
    },
    async suspend(suspend: boolean) {
      await db.once(
        (sql) =>
          sql`select gate.suspend_account(${account}, ${suspend}, ${randomUUID()}, ${tail('account_suspended')})`,
      )
    },
    async addCurriculum(c: {
      slug: string
      title: string
      modules: number
      grants: Tier
      validDays?: number
    }) {
      await db.once(
        (sql) => sql`select gate.add_curriculum(${account}, ${c.slug}, ${c.title}, ${c.modules}, ${c.grants},
          ${c.validDays ?? null}, ${randomUUID()}, ${tail('curriculum_changed')})`,
      )
    },
    async pass(member: TestMember, curriculum: string, module: number, at?: Date) {
      await db.once(
        (
          sql,
        ) => sql`select gate.record_pass(${account}, ${member.memberId}, ${curriculum}, ${module}, ${at ?? null},
          ${randomUUID()}, ${tail('pass_recorded')})`,
      )
    },
    async setPolicy(document: Record<string, unknown>) {
      const rows = await db.once<{ version: number | null }>(
        (sql) => sql`
          select gate.set_policy(${account}, a.policy_version, ${JSON.stringify(document)}::text::json, ${randomUUID()},
            ${tail('policy_set')}) as version
          from gate.tenant(${account}) t(id),
          lateral (select policy_version from gate.account where account_id = t.id offset 0) a`,
      )
      if (!rows[0]?.version) throw new Error('the policy was not set')
    },
    async mintKey(options: { actors?: TestMember[]; expires?: Date } = {}) {
      const key = mintKey()
      const keyId = `key_${randomBase62(16)}`
      await db.once(
        (sql) => sql`select gate.mint_key(${account}, ${keyId}, 'test', ${key.slice(-4)}, ${hashKey(key)},
          ${options.actors?.map((a) => a.memberId) ?? null}, ${options.expires ?? null}, ${randomUUID()}, ${tail('key_minted')})`,
      )
      return { key, keyId }
    },
    async revokeKey(keyId: string) {
      await db.once(
        (sql) => sql`select gate.revoke_key(${account}, ${keyId}, ${randomUUID()}, ${tail('key_revoked')})`,
      )
    },
  }
  return { ...made, ...(await made.mintKey()) }
}
