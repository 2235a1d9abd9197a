import type { Db } from '../../src/db/connect.ts'
import type { Tier } from '../../src/gate/tier.ts'
import { createAccount, suspendAccount } from '../../src/db/queries/accounts/accounts.ts'
import { addCurriculum, recordPass } from '../../src/db/queries/members/curricula.ts'
import { readFacts } from '../../src/db/queries/members/facts.ts'
import { revokeKey, storeKey } from '../../src/db/queries/accounts/keys.ts'
import { addMember, setTier, updateMember } from '../../src/db/queries/members/members.ts'
import { storePolicy } from '../../src/db/queries/accounts/policies.ts'
import { type KeyRights, allRights } from '../../src/keys/rights.ts'
import { hashKey, mintKey, randomBase62 } from '../../src/keys/api-key.ts'
import { adminWrite } from '../../src/db/admin-write.ts'
import { storedSigning } from '../../src/operations/keys/runner-signing.ts'

export interface TestMember {
  memberId: string
  name: string
  email: string | null
  slack: string | null
}

/** Without rights a key may do everything. */
export interface MintOptions extends Partial<Omit<KeyRights, 'actors'>> {
  actors?: TestMember[]
  expires?: Date
}

export interface TestAccount {
  account: string
  key: string
  keyId: string
  addMember(m: {
    name?: string
    email?: string
    slack?: string
    teams?: string
    tier?: Tier
  }): Promise<TestMember>
  setTier(member: TestMember, tier: Tier | null): Promise<void>
  setActive(member: TestMember, active: boolean): Promise<void>
  /** Gives a member another e-mail or Slack identity; an empty text takes one away. */
  setIdentity(member: TestMember, to: { email?: string; slack?: string }): Promise<void>
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
  mintKey(options?: MintOptions): Promise<{ key: string; keyId: string }>
  revokeKey(keyId: string): Promise<void>
}

/** A new account with one key, and the changes an administrator can make to it. */
export async function freshAccount(
  db: Db,
  account: string = `acct_${randomBase62(16)}`,
): Promise<TestAccount> {
  await createAccount(db, account, 'Test')
  const write = () => adminWrite(account)
  const made = {
    account,
    async addMember(m: Parameters<TestAccount['addMember']>[0]) {
      const memberId = `mem_${randomBase62(16)}`
      const member = {
        memberId,
        name: m.name ?? 'Ada',
        email: m.email ?? null,
        slack: m.slack ?? null,
        teams: m.teams ?? null,
      }
      await addMember(db, { ...write(), ...member })
      if (m.tier) await made.setTier(member, m.tier)
      return member
    },
    async setTier({ memberId }: TestMember, tier: Tier | null) {
      await setTier(db, { ...write(), memberId, tier })
    },
    async setActive({ memberId }: TestMember, active: boolean) {
      const unchanged = { name: null, email: null, slack: null }
      await updateMember(db, { ...write(), memberId, ...unchanged, isActive: active })
    },
    async setIdentity({ memberId }: TestMember, { email, slack }: { email?: string; slack?: string }) {
      const to = { name: null, email: email ?? null, slack: slack ?? null, isActive: null }
      await updateMember(db, { ...write(), memberId, ...to })
    },
    async suspend(suspend: boolean) {
      await suspendAccount(db, { ...write(), suspend })
    },
    async addCurriculum(c: {
      slug: string
      title: string
      modules: number
      grants: Tier
      validDays?: number
    }) {
      const { validDays, ...curriculum } = c
      await addCurriculum(db, { ...write(), curriculum: { ...curriculum, valid_days: validDays ?? null } })
    },
    async pass({ memberId }: TestMember, curriculum: string, module: number, at?: Date) {
      await recordPass(db, { ...write(), memberId, curriculum, module, at: at ?? null })
    },
    async setPolicy(document: Record<string, unknown>) {
      const facts = await readFacts(db, account, { email: null, slack: null })
      const kinds = Object.keys((document['kinds'] as object | undefined) ?? {})
      const policy = {
        base: facts!.policyVersion,
        document: JSON.stringify(document),
        kinds,
        note: null,
        restores: null,
        // Tests set what they need: who agrees to a rule is tested by itself.
        withoutApprovals: true,
      }
      if ((await storePolicy(db, { ...write(), ...policy })) === null)
        throw new Error('the policy was not set')
    },
    async mintKey({ actors, expires, ...rights }: MintOptions = {}) {
      const key = mintKey()
      const keyId = `key_${randomBase62(16)}`
      await storeKey(db, {
        ...write(),
        keyId,
        name: 'test',
        last4: key.slice(-4),
        hash: hashKey(key),
        signing: rights.powers?.includes('runner')
          ? await storedSigning(undefined, { account, keyId, apiKey: key })
          : null,
        ...allRights,
        ...rights,
        actors: actors?.map((a) => a.memberId) ?? null,
        expiresAt: expires ?? null,
      })
      return { key, keyId }
    },
    async revokeKey(keyId: string) {
      await revokeKey(db, { ...write(), keyId })
    },
  }
  return { ...made, ...(await made.mintKey()) }
}
