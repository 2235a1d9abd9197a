import { type PolicyVersionRow, pagePolicies } from '../../db/queries/accounts/policies.ts'
import type { Policy } from '../../gate/policy.ts'
import { policyLines } from '../../gate/policy-lines.ts'
import { parseEntry } from '../../ledger/checker.ts'
import { limits } from '../../limits.ts'
import type { DiffLine } from '../diff-lines.ts'
import { accountPolicy } from './account-policy.ts'
import { type Names, idOf, namesOf } from '../names-of-ids.ts'
import type { AccountKinds } from '../../actions/account-kinds.ts'
import { type PolicyDeps, policyFacts } from './policy-in-force.ts'
import { noPolicyVersion } from './document-to-store.ts'
import { diffPolicies } from './diff-policies.ts'

/** A version of the policy, and what it changed. */
export interface PolicyVersion {
  version: number
  /** The policy with the current defaults. */
  policy: Policy
  /** The stored document: the digest in the ledger is computed over its canonical form. Null for the first version. */
  document: Partial<Policy> | null
  /** Null for the first version: the defaults, set by nobody. */
  at: Date | null
  /** The actor in the ledger; null where it is not recorded. */
  by: string | null
  /** The name of the actor, if known. */
  byName: string | undefined
  /** What they wrote about it. */
  note: string | null
  /** The version whose document it set again. */
  restores: number | null
  /** The sequence number of its ledger entry. */
  seq: number | null
  /** Every line of this version, and the removed lines of the previous one. */
  lines: DiffLine[]
}

/**
 * The versions of an account's policy below `before`, newest first, down to the initial defaults.
 * @param before  null: starts with the version in force
 * @returns a page, and the `before` of the next one, if there is one
 * @throws GateError `not_found`
 */
export async function policyHistory(
  deps: PolicyDeps,
  account: string,
  before: number | null,
): Promise<{ inForce: number; versions: PolicyVersion[]; next: number | undefined }> {
  const { policyVersion, kindsVersion } = await policyFacts(deps, account)
  const rows = await pagePolicies(deps.db, account, {
    before: Math.min(before ?? Infinity, policyVersion + 1),
    // One more row: each version is compared with the previous one.
    limitRows: limits.policyVersionsPerPage + 1,
  })
  const shown = rows.slice(0, limits.policyVersionsPerPage)
  const kinds = await deps.kinds.of(account, kindsVersion)
  const names = await namesOf(deps.db, account, shown.map(actorOf))
  const versions = shown.map((row, i) => versionOf(kinds, row, rows[i + 1], names))
  const isWhole = rows.length <= limits.policyVersionsPerPage
  const isAtDefaults = isWhole && (before === null || before > 1)
  return {
    inForce: policyVersion,
    versions: isAtDefaults ? [...versions, defaults(kinds)] : versions,
    next: isWhole ? undefined : shown.at(-1)!.version,
  }
}

/** One version. @throws GateError `not_found` */
export async function policyVersion(
  deps: PolicyDeps,
  account: string,
  version: number,
): Promise<PolicyVersion> {
  await policyFacts(deps, account)
  const kinds = await deps.kinds.now(account)
  if (version === 1) return defaults(kinds)
  const rows = await pagePolicies(deps.db, account, { before: version + 1, limitRows: 2 })
  if (rows[0]?.version !== version) throw noPolicyVersion(version)
  return versionOf(kinds, rows[0], rows[1], await namesOf(deps.db, account, [actorOf(rows[0])]))
}

function versionOf(
  kinds: AccountKinds,
  row: PolicyVersionRow,
  before: PolicyVersionRow | undefined,
  names: Names,
): PolicyVersion {
  const policy = policyUnder(kinds, row)
  const by = actorOf(row)
  return {
    version: row.version,
    policy,
    document: row.document,
    at: row.created_at,
    by,
    byName: by === null ? undefined : names.get(idOf(by)),
    note: row.note,
    restores: restoredBy(row),
    seq: row.seq,
    lines: diffPolicies(before ? policyUnder(kinds, before) : defaults(kinds).policy, policy),
  }
}

/** Version 1 is not stored: it is the default policy of an account that has set none. */
function defaults(kinds: AccountKinds): PolicyVersion {
  const policy = accountPolicy({ policy: null, policyVersion: 1 }, kinds.values())
  const lines = policyLines(policy).map((text): DiffLine => ({ text, change: 'same' }))
  const unset = {
    document: null,
    at: null,
    by: null,
    byName: undefined,
    note: null,
    restores: null,
    seq: null,
  }
  return { version: 1, policy, ...unset, lines }
}

function actorOf({ entry }: PolicyVersionRow): string | null {
  const actor = entry === null ? null : parseEntry(entry)?.actor
  return typeof actor === 'string' ? actor : null
}

function restoredBy({ entry }: PolicyVersionRow): number | null {
  const restores = entry === null ? null : parseEntry(entry)?.data?.['restores']
  return typeof restores === 'number' ? restores : null
}

const policyUnder = (kinds: AccountKinds, { document, version }: PolicyVersionRow): Policy =>
  accountPolicy({ policy: document, policyVersion: version }, kinds.values())
