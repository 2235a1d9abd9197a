import { join } from 'node:path'
import type { Db } from '../../src/db/connect.ts'
import { listAdmins } from '../../src/db/queries/accounts/admins.ts'
import { createAccount, listAccounts } from '../../src/db/queries/accounts/accounts.ts'
import { authenticate } from '../../src/db/queries/accounts/authenticate.ts'
import { addCurriculum, listCurricula, recordPass } from '../../src/db/queries/members/curricula.ts'
import { listKeys, revokeKey } from '../../src/db/queries/accounts/keys.ts'
import { type MemberRow, addMember, pageMembers, setTier } from '../../src/db/queries/members/members.ts'
import { type Tier, standing } from '../../src/gate/tier.ts'
import { hashKey, randomBase62 } from '../../src/keys/api-key.ts'
import { type KeyPower, actingPowers } from '../../src/keys/rights.ts'
import { adminWrite } from '../../src/db/admin-write.ts'
import { addAdmin } from '../../src/operations/admins/add-admin.ts'
import type { SecretsKeys } from '../../src/operations/keys/new-key.ts'
import { mintKey } from '../../src/operations/keys/mint-key.ts'
import { canSign } from '../../src/operations/keys/runner-signing.ts'
import { mintRunnerKey } from '../../src/operations/runner-calls/runner-keys.ts'
import { type DemoMember, demoAdmin, demoCurricula, demoMembers } from './demo-roster.ts'
import { seedConversations } from './seed-conversations.ts'
import { readPrivateJson, writePrivateJson } from '../../src/data-dir/private-file.ts'
import { limits } from '../../src/limits.ts'

/**
 * `DATA_DIR/demo.json`, mode 0600.
 * @source docs/quickstart.md#start-the-service
 */
export interface DemoFile {
  base_url: string
  account_id: string
  /** A key with all powers but those of administration. */
  api_key: string
  /** A key that can read and propose. */
  propose_key: string
  /** The key of an agent runner's hook, for a member with `guarded_write`. Absent where nobody has that tier. */
  runner_key?: string | undefined
  console_url?: string | undefined
  temporal_ui_url?: string | undefined
  sandbox_url?: string | undefined
  preview_url?: string | undefined
  members: { name: string; email: string | null; slack: string | null; tier: Tier }[]
}

export type DemoAddresses = Pick<
  DemoFile,
  'base_url' | 'console_url' | 'temporal_ui_url' | 'sandbox_url' | 'preview_url'
>

const accountName = 'Demo'
const keyName = 'demo'
const proposeKeyName = 'demo, proposes only'
const runnerKeyLabel = 'demo runner'

/**
 * Creates the demo account on the first start, and writes `demo.json` on every start. The key in that file is kept while it
 * is valid; otherwise it is revoked and replaced.
 */
export async function ensureDemo(options: {
  db: Db
  dataDir: string
  workspaceRoot: string
  /** Needed last, so that the account is made while the service starts. */
  addresses: DemoAddresses | Promise<DemoAddresses>
  /** Encrypts what the runner key signs with. */
  secretsKeys: SecretsKeys
}): Promise<DemoFile> {
  const { db, dataDir, workspaceRoot, addresses, secretsKeys } = options
  const known = readPrivateJson(demoFile(dataDir)) as DemoFile | undefined
  const isKept = known !== undefined && (await works(db, known.account_id, known.api_key))
  const { accountId, apiKey } = isKept
    ? { accountId: known.account_id, apiKey: known.api_key }
    : await seedDemo(db)
  await seedAdmin(db, accountId)
  const members = await pageMembers(db, accountId, { after: '', limitRows: limits.demoMembersShownMax })
  await seedConversations(db, { account: accountId, members, workspaceRoot })
  const shown = shownMembers(members)
  const file: DemoFile = {
    ...(await addresses),
    account_id: accountId,
    api_key: apiKey,
    propose_key: await proposeKeyOf(db, accountId, isKept ? known.propose_key : undefined),
    runner_key: await runnerKeyOf(db, accountId, {
      known: isKept ? known.runner_key : undefined,
      shown,
      secretsKeys,
    }),
    members: shown,
  }
  writeDemoFile(dataDir, file)
  return file
}

/** Replaces the file atomically. */
export function writeDemoFile(dataDir: string, file: DemoFile): void {
  writePrivateJson(demoFile(dataDir), file)
}

/**
 * Creates or finds the demo account and its members, and mints a key; older demo keys are revoked. The key is minted last:
 * if there is none, an earlier start was interrupted, and the missing parts are created now.
 */
export async function seedDemo(db: Db): Promise<{ accountId: string; apiKey: string }> {
  const found = (await listAccounts(db)).find((account) => account.name === accountName)
  const accountId = found?.account_id ?? `acct_${randomBase62(16)}`
  if (!found) await createAccount(db, accountId, accountName)
  const olderKeys = (await listKeys(db, accountId)).filter((key) => key.name === keyName)
  if (olderKeys.length === 0) {
    await seedCurricula(db, accountId)
    await seedMembers(db, accountId)
  }
  for (const key of olderKeys.filter((older) => older.revoked_at === null)) {
    await revokeKey(db, { ...adminWrite(accountId), keyId: key.key_id })
  }
  return { accountId, apiKey: await mintDemoKey(db, accountId, keyName, [...actingPowers]) }
}

async function mintDemoKey(db: Db, account: string, name: string, powers: KeyPower[]): Promise<string> {
  const context = { db, account, session: null }
  const { apiKey } = await mintKey(context, { name, actors: [], expiresAt: null, rights: { powers } })
  return apiKey
}

/** The key of an agent that only proposes. An existing demo account without one gets one too. */
async function proposeKeyOf(db: Db, account: string, known: string | undefined): Promise<string> {
  return keyOf(db, account, { known, name: proposeKeyName }, () =>
    mintDemoKey(db, account, proposeKeyName, ['read', 'propose']),
  )
}

/** The key of an agent runner, for the first member with `guarded_write`. */
async function runnerKeyOf(
  db: Db,
  account: string,
  {
    known,
    shown,
    secretsKeys,
  }: {
    known: string | undefined
    shown: DemoFile['members']
    secretsKeys: SecretsKeys
  },
): Promise<string | undefined> {
  const member = shown.find(({ tier, email }) => tier === 'guarded_write' && email !== null)
  if (!member) return undefined
  const given = {
    label: runnerKeyLabel,
    member: { email: member.email! },
    expiresAt: null,
    networks: [],
    secretsKeys,
  }
  // A key of a former version may have nothing to sign with.
  const good = known !== undefined && (await canSign(db, known)) ? known : undefined
  return keyOf(db, account, { known: good, name: runnerKeyLabel }, async () => {
    const { apiKey } = await mintRunnerKey({ db, account, session: null }, given)
    return apiKey
  })
}

/** The known key while it is valid; otherwise a new one, and older ones of its name are revoked. */
async function keyOf(
  db: Db,
  account: string,
  { known, name }: { known: string | undefined; name: string },
  mintOne: () => Promise<string>,
): Promise<string> {
  if (known !== undefined && (await works(db, account, known))) return known
  const older = (await listKeys(db, account)).filter((key) => key.name === name)
  for (const { key_id: keyId } of older.filter((key) => key.revoked_at === null))
    await revokeKey(db, { ...adminWrite(account), keyId })
  return mintOne()
}

async function works(db: Db, account: string, apiKey: string): Promise<boolean> {
  const holder = await authenticate(db, hashKey(apiKey))
  return holder !== undefined && holder.is_valid && holder.account_id === account
}

/** Adds the demo administrator, unless they were removed. */
async function seedAdmin(db: Db, account: string): Promise<void> {
  if ((await listAdmins(db, account)).length > 0) return
  await addAdmin({ db, account, session: null }, demoAdmin)
}

async function seedCurricula(db: Db, account: string): Promise<void> {
  const there = new Set((await listCurricula(db, account)).map((curriculum) => curriculum.slug))
  for (const curriculum of demoCurricula.filter(({ slug }) => !there.has(slug))) {
    await addCurriculum(db, { ...adminWrite(account), curriculum })
  }
}

async function seedMembers(db: Db, account: string): Promise<void> {
  const there = await pageMembers(db, account, { after: '', limitRows: limits.demoMembersShownMax })
  for (const member of demoMembers) {
    const memberId =
      there.find(({ name }) => name === member.name)?.memberId ?? (await seedMember(db, account, member))
    await seedStanding(db, account, memberId, member)
  }
}

async function seedMember(db: Db, account: string, { name, email, slack }: DemoMember): Promise<string> {
  const memberId = `mem_${randomBase62(16)}`
  await addMember(db, { ...adminWrite(account), memberId, name, email, slack })
  return memberId
}

async function seedStanding(db: Db, account: string, memberId: string, member: DemoMember): Promise<void> {
  for (const { curriculum, upTo, daysAgo } of member.passes ?? []) {
    const at = new Date(Date.now() - daysAgo * msPerDay)
    for (let module = 1; module <= upTo; module++) {
      await recordPass(db, { ...adminWrite(account), memberId, curriculum, module, at })
    }
  }
  const tier = member.adminTier
  if (tier) await setTier(db, { ...adminWrite(account), memberId, tier })
}

const msPerDay = 86_400_000

const shownMembers = (members: MemberRow[]): DemoFile['members'] =>
  members
    .filter((member) => member.isActive)
    .map((member) => ({
      name: member.name,
      email: member.email,
      slack: member.slack,
      tier: standing(member).tier,
    }))
    .toSorted((a, b) => rosterPlace(a) - rosterPlace(b))

function rosterPlace(member: { name: string }): number {
  const place = demoMembers.findIndex(({ name }) => name === member.name)
  return place < 0 ? demoMembers.length : place
}

function demoFile(dataDir: string): string {
  return join(dataDir, 'demo.json')
}
