import type { Tier } from '../../../src/gate/tier.ts'
import { type MintOptions, type TestAccount, type TestMember, freshAccount } from '../../support/account.ts'
import { type System, moneyAccount } from '../system/system.ts'
import { type Holder, makeHolder } from './holders.ts'
import { declareKinds, declaredKinds } from './own-kinds.ts'
import { policyDocumentsFor } from './policies.ts'

export interface Key {
  key: string
  keyId: string
  /** Since the revocation was answered. */
  isRevoked?: boolean
}

/** An account under load, with what its callers know of it. */
export interface Scene {
  account: string
  admin: TestAccount
  members: TestMember[]
  /** Between which administrators change. */
  policies: readonly Record<string, unknown>[]
  /** Keys of agents, the newest last. Those that were revoked go on being tried for a while. */
  keys: Key[]
  /** The key of a runner's hook, for the first member. */
  hookKey: Key
  /** The key of an executor that claims actions: it can propose and confirm nothing. */
  executorKey: Key
  /** Members who are signed in at the console, with a passkey each. */
  holders: Holder[]
  /** The key of an agent that members sign mandates for: it is not replaced. */
  agentKey: Key
}

const memberCount = 6
const holderCount = 4
const startTiers: Tier[] = ['write', 'write', 'guarded_write', 'guarded_write', 'write', 'read_only']

/** Accounts with members on both channels, keys and a policy, made before any fault. */
export async function makeScenes(system: System, count: number): Promise<Scene[]> {
  const scenes: Scene[] = []
  for (let n = 0; n < count; n++) {
    const admin = await freshAccount(system.service.db, n === 0 ? moneyAccount : undefined)
    await declareKinds(system, admin.account)
    const members: TestMember[] = []
    for (let m = 0; m < memberCount; m++) {
      const slack = m % 2 === 0 ? { slack: `UF${n}M${m}` } : {}
      members.push(
        await admin.addMember({
          name: `Member ${m}`,
          email: `m${m}@a${n}.example`,
          ...slack,
          tier: startTiers[m]!,
        }),
      )
    }
    const policies = policyDocumentsFor(members.map(({ memberId }) => memberId))
    await admin.setPolicy(policies[0]!)
    const holders = members.slice(0, holderCount).map(({ email }) => makeHolder(system, email!))
    const mint = (options?: MintOptions) => admin.mintKey(options)
    scenes.push({
      account: admin.account,
      admin,
      members,
      policies,
      keys: [await mint(), await mint(), { key: admin.key, keyId: admin.keyId }],
      hookKey: await mint({ powers: ['runner'], actors: [members[0]!] }),
      executorKey: await mint({ powers: ['read', 'execute'], kinds: [declaredKinds.claim] }),
      holders: await Promise.all(holders),
      agentKey: await mint(),
    })
  }
  return scenes
}
