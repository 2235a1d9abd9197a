import type { ConsentChannel, IdentityAge } from '../../../gate/consent.ts'
import type { PasskeyAge } from '../../../gate/passkey.ts'
import type { Policy } from '../../../gate/policy.ts'
import type { CurriculumRecord, Tier } from '../../../gate/tier.ts'
import type { Db, Fragment, Sql } from '../../connect.ts'
import type { KeyHolder } from '../accounts/authenticate.ts'

/** The facts about a member that decisions use. `version` increases with every change. */
export interface MemberFacts {
  memberId: string
  name: string
  email: string | null
  slack: string | null
  /** Their object id in the tenant of the account's bot. */
  teams: string | null
  adminTier: Tier | null
  version: number
  curricula: CurriculumRecord[]
  /** When their identities last changed. */
  identities: Record<ConsentChannel, IdentityAge>
  /** Those that were not removed. */
  passkeys: PasskeyFacts[]
}

export interface PasskeyFacts extends PasskeyAge {
  passkeyId: string
  /** Hex, as is `publicKey`. */
  credential: string
  publicKey: string
  transports: string[]
}

/** All facts that a decision is based on, from one read, with the database's clock and the versions to check later. */
export interface Facts {
  /** The active members with one of the given identities: none, one, or two different ones. */
  members: MemberFacts[]
  isSuspended: boolean
  curriculaVersion: number
  rosterVersion: number
  policyVersion: number
  /** Counts the changes of the kinds that the account declared. 0: it never declared one. */
  kindsVersion: number
  /** 0: the account never connected a provider of its own. */
  integrationsVersion: number
  /** The last change of the account's payment provider connection; null: none is known. */
  stripeChange: { change: 'connected' | 'disconnected'; at: Date } | null
  /** null: the account has not set a policy. */
  policy: Policy | null
  now: Date
}

export type Identity = { email: string | null; slack: string | null } | { memberId: string }

/** The member that an API key is bound to, where it is bound to one. */
export const memberOfKey = 'member of the key'

interface FactsRow {
  now: Date
  suspended_at: Date | null
  curricula_version: number
  roster_version: number
  policy_version: number
  kinds_version: number
  integrations_version: number
  stripe_changed_at: Date | null
  stripe_change: 'connected' | 'disconnected' | null
  document: Policy | null
  curricula: CurriculumJson[] | null
  members: MemberJson[] | null
}
type CurriculumJson = Pick<CurriculumRecord, 'slug' | 'title' | 'modules' | 'grants'> & {
  valid_days: number | null
}
interface MemberJson {
  member_id: string
  name: string
  email: string | null
  slack: string | null
  teams: string | null
  admin_tier: Tier | null
  version: number
  created_at: string
  identities: Partial<Record<ConsentChannel, IdentityJson>> | null
  passkeys: (Omit<PasskeyFacts, 'addedAt'> & { addedAt: string })[] | null
  passes: { curriculum: string; module: number; passed_at: string | null; latest_at: string }[] | null
}

interface IdentityJson {
  set_at: string
  changed_at: string | null
  is_confirmed: boolean
}

/** Reads the facts for decisions about a member. Undefined if the account does not exist. */
export async function readFacts(db: Db, account: string, identity: Identity): Promise<Facts | undefined> {
  const [row] = await db.read<FactsRow>(
    (sql) => sql`
      select ${factColumns(sql)}
      from gate.tenant(${account}) t(id), ${factTables(sql, identity)}`,
  )
  return row && toFacts(row)
}

/** Authenticates an API key and reads the facts, in one read. Undefined if the key never existed. */
export async function readFactsByKey(
  db: Db,
  hash: Buffer,
  identity: Identity | typeof memberOfKey,
): Promise<{ holder: KeyHolder; facts: Facts } | undefined> {
  const [row] = await db.read<FactsRow & KeyHolder>(
    (sql) => sql`
      select k.*, ${factColumns(sql)}
      from gate.authenticate(${hash}) k, gate.tenant(k.account_id) t(id), ${
        identity === memberOfKey
          ? factTables(sql, noIdentity, sql`case when cardinality(k.actors) = 1 then k.actors[1] end`)
          : factTables(sql, identity)
      }`,
  )
  return row && { holder: row, facts: toFacts(row) }
}

const factColumns = (sql: Sql) => sql`clock_timestamp() as now, c.*, p.document, s.curricula, m.members`

const noIdentity = { email: null, slack: null }

/** @param wanted  the member's id, where it is not in the identity */
function factTables(sql: Sql, identity: Identity, wanted?: Fragment) {
  const { email, slack, memberId } = { email: null, slack: null, memberId: null, ...identity }
  return sql`lateral (
        select suspended_at, curricula_version, roster_version, policy_version, kinds_version, integrations_version,
          stripe_changed_at, stripe_change
        from gate.account where account_id = t.id offset 0
      ) c
      left join lateral (
        select document from gate.policy where account_id = t.id and version = c.policy_version offset 0
      ) p on true,
      lateral (
        select json_agg(json_build_object(
          'slug', slug, 'title', title, 'modules', modules, 'grants', grants, 'valid_days', valid_days
        ) order by slug) as curricula
        from gate.curriculum where account_id = t.id and retired_at is null
      ) s,
      lateral (
        select json_agg(json_build_object(
          'member_id', f.member_id, 'name', f.name, 'email', f.email, 'slack', f.slack, 'teams', f.teams,
          'admin_tier', f.admin_tier, 'version', f.version, 'created_at', f.created_at, 'identities', (
            select json_object_agg(i.via, json_build_object(
              'set_at', i.set_at, 'changed_at', i.changed_at, 'is_confirmed', i.confirmed_at is not null))
            from gate.identity_change i
            where i.account_id = t.id and i.member_id = f.member_id
          ), 'passkeys', (
            select json_agg(json_build_object(
              'passkeyId', k.passkey_id, 'credential', encode(k.credential, 'hex'),
              'publicKey', encode(k.public_key, 'hex'), 'transports', k.transports, 'isDeviceBound', k.is_device_bound,
              'addedAt', k.created_at) order by k.created_at, k.passkey_id)
            from gate.passkey k
            where k.account_id = t.id and k.member_id = f.member_id and k.removed_at is null
          ), 'passes', (
            select json_agg(json_build_object(
              'curriculum', curriculum, 'module', module,
              'passed_at', case when revoked_at is null then passed_at end, 'latest_at', latest_at))
            from gate.pass p
            where p.account_id = t.id and p.member_id = f.member_id
          ))) as members
        from (
          select * from gate.member
          where account_id = t.id and is_active
            and (member_id = ${wanted ?? sql`${memberId}`} or lower(email) = lower(${email}) or slack = ${slack})
          limit 2
        ) f
      ) m`
}

function toFacts(row: FactsRow): Facts {
  const curricula = row.curricula ?? []
  return {
    members: (row.members ?? []).map((member) => toMember(member, curricula)),
    isSuspended: row.suspended_at !== null,
    curriculaVersion: row.curricula_version,
    rosterVersion: row.roster_version,
    policyVersion: row.policy_version,
    kindsVersion: row.kinds_version,
    integrationsVersion: row.integrations_version,
    stripeChange: row.stripe_changed_at &&
      row.stripe_change && { change: row.stripe_change, at: row.stripe_changed_at },
    policy: row.document,
    now: row.now,
  }
}

function toMember(member: MemberJson, curricula: CurriculumJson[]): MemberFacts {
  const passes = member.passes ?? []
  const identity = (via: ConsentChannel): IdentityAge => {
    const kept = member.identities?.[via]
    return {
      changedAt: kept?.changed_at ? new Date(kept.changed_at) : null,
      isConfirmed: kept?.is_confirmed ?? false,
    }
  }
  return {
    memberId: member.member_id,
    name: member.name,
    email: member.email,
    slack: member.slack,
    teams: member.teams,
    adminTier: member.admin_tier,
    version: member.version,
    identities: { slack: identity('slack'), teams: identity('teams'), email: identity('email') },
    passkeys: (member.passkeys ?? []).map((one) => ({ ...one, addedAt: new Date(one.addedAt) })),
    curricula: curricula.map((c) => ({
      slug: c.slug,
      title: c.title,
      modules: c.modules,
      grants: c.grants,
      validDays: c.valid_days,
      passes: passes
        .filter((pass) => pass.curriculum === c.slug)
        .map((pass) => ({
          module: pass.module,
          passedAt: pass.passed_at === null ? null : new Date(pass.passed_at),
          latestAt: new Date(pass.latest_at),
        })),
    })),
  }
}
