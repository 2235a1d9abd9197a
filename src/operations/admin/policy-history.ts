import { diffArrays } from 'diff'
import { type PolicyVersionRow, pagePolicies } from '../../db/queries/accounts/policies.ts'
import type { Policy } from '../../gate/policy.ts'
import { policyLines } from '../../gate/policy-lines.ts'
import { parseEntry } from '../../ledger/checker.ts'
import { limits } from '../../limits.ts'
import { GateError } from '../../errors.ts'
import { accountPolicy } from '../proposals/account-policy.ts'
import { type Names, idOf, namesOf } from './names.ts'
import { type PolicyDeps, policyFacts } from './policy.ts'

/** One line of two policies in words, side by side. */
export interface DiffLine {
  text: string
  change: 'added' | 'removed' | 'same'
}

/** A version of the policy, and what it changed. */
export interface PolicyVersion {
  version: number
  /** What it says over today's defaults. */
  policy: Policy
  /** As it was set and stored: the digest in the ledger is of its canonical form. Null of the first version. */
  document: Partial<Policy> | null
  /** Null of the first version: the defaults, set by nobody. */
  at: Date | null
  /** Who set it, as the ledger names them; null where it does not tell. */
  by: string | null
  /** What they are called, where that is known. */
  byName: string | undefined
  /** The place of its entry in the ledger. */
  seq: number | null
  /** Every line of it, and of the version before what is gone. */
  lines: DiffLine[]
}

/** What the second policy says otherwise than the first, line by line. Pure. */
export function diffPolicies(before: Policy, after: Policy): DiffLine[] {
  return diffArrays(policyLines(before), policyLines(after)).flatMap(({ value, added, removed }) =>
    value.map((text): DiffLine => ({ text, change: added ? 'added' : removed ? 'removed' : 'same' })),
  )
}

/**
 * The versions of an account's policy below `before`, the newest first, down to the defaults that it began with.
 * @param before  null: from the one in force on
 * @returns a page, and the `before` of the next one while there is more
 * @throws GateError `not_found` where there is no such account
 */
export async function policyHistory(
  deps: PolicyDeps,
  account: string,
  before: number | null,
): Promise<{ inForce: number; versions: PolicyVersion[]; next: number | undefined }> {
  const { policyVersion } = await policyFacts(deps, account)
  const rows = await pagePolicies(deps.db, account, {
    before: Math.min(before ?? Infinity, policyVersion + 1),
    // One more: each is told by what it changed of the one before it.
    limitRows: limits.policyVersionsPerPage + 1,
  })
  const shown = rows.slice(0, limits.policyVersionsPerPage)
  const names = await namesOf(deps.db, account, shown.map(actorOf))
  const versions = shown.map((row, i) => versionOf(deps, row, rows[i + 1], names))
  const isWhole = rows.length <= limits.policyVersionsPerPage
  const isAtDefaults = isWhole && (before === null || before > 1)
  return {
    inForce: policyVersion,
    versions: isAtDefaults ? [...versions, defaults(deps)] : versions,
    next: isWhole ? undefined : shown.at(-1)!.version,
  }
}

/** One version. @throws GateError `not_found` where the account never had it */
export async function policyVersion(
  deps: PolicyDeps,
  account: string,
  version: number,
): Promise<PolicyVersion> {
  await policyFacts(deps, account)
  if (version === 1) return defaults(deps)
  const rows = await pagePolicies(deps.db, account, { before: version + 1, limitRows: 2 })
  if (rows[0]?.version !== version)
    throw new GateError('not_found', `This account's policy never had a version ${version}.`)
  return versionOf(deps, rows[0], rows[1], await namesOf(deps.db, account, [actorOf(rows[0])]))
}

function versionOf(
  deps: Pick<PolicyDeps, 'kinds'>,
  row: PolicyVersionRow,
  before: PolicyVersionRow | undefined,
  names: Names,
): PolicyVersion {
  const policy = policyOf(deps, row)
  const by = actorOf(row)
  return {
    version: row.version,
    policy,
    document: row.document,
    at: row.created_at,
    by,
    byName: by === null ? undefined : names.get(idOf(by)),
    seq: row.seq,
    lines: diffPolicies(before ? policyOf(deps, before) : defaults(deps).policy, policy),
  }
}

/** Version 1 is stored nowhere: it is what holds for an account that sets nothing. */
function defaults({ kinds }: Pick<PolicyDeps, 'kinds'>): PolicyVersion {
  const policy = accountPolicy({ policy: null, policyVersion: 1 }, kinds.values())
  const lines = policyLines(policy).map((text): DiffLine => ({ text, change: 'same' }))
  return { version: 1, policy, document: null, at: null, by: null, byName: undefined, seq: null, lines }
}

function actorOf({ entry }: PolicyVersionRow): string | null {
  const actor = entry === null ? null : parseEntry(entry)?.actor
  return typeof actor === 'string' ? actor : null
}

const policyOf = ({ kinds }: Pick<PolicyDeps, 'kinds'>, { document, version }: PolicyVersionRow): Policy =>
  accountPolicy({ policy: document, policyVersion: version }, kinds.values())
