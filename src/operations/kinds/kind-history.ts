import { type KindVersionRow, pageKindVersions } from '../../db/queries/accounts/declared-kinds.ts'
import { limits } from '../../limits.ts'
import type { AccountContext } from '../admin-context.ts'
import { idOf, namesOf } from '../names-of-ids.ts'
import type { DiffLine } from '../diff-lines.ts'
import { noKind, readKinds } from './declared-kinds.ts'
import { diffKinds } from './kind-lines.ts'

const kindVersionsPerPage = 10

/** A version of a kind, and the name of who declared it, if known. */
export type NamedKind = KindVersionRow & { byName: string | undefined }

/** A version of a kind, and what it changed. */
export type KindVersion = NamedKind & {
  /** Every line of this version, and those of the previous one that it does not have. */
  lines: DiffLine[]
}

/** The newest version of every declared kind with who declared it, retired ones too, by name. @throws GateError `not_found` */
export const listKinds = async (context: AccountContext): Promise<NamedKind[]> =>
  withNames(context, await readKinds(context))

/**
 * The versions of a kind below `before`, newest first.
 * @param before  absent: starts with the newest
 * @returns a page, and the `before` of the next one, if there is one
 * @throws GateError `not_found` where there is none
 */
export async function kindHistory(
  context: AccountContext,
  kind: string,
  before: number = limits.kindVersionMax,
): Promise<{ versions: KindVersion[]; next: number | undefined }> {
  const perPage = kindVersionsPerPage
  // One more row: each version is compared with the previous one.
  const rows = await versionsBelow(context, { kind, before, limitRows: perPage + 1 })
  if (rows.length === 0) throw noKind(kind)
  return {
    versions: rows.slice(0, perPage).map((row, n) => compared(row, rows[n + 1])),
    next: rows.length > perPage ? rows[perPage - 1]!.version : undefined,
  }
}

/** One version. @throws GateError `not_found` */
export async function kindVersion(
  context: AccountContext,
  kind: string,
  version: number,
): Promise<KindVersion> {
  const [row, previous] = await versionsBelow(context, { kind, before: version + 1, limitRows: 2 })
  if (row?.version !== version) throw noKind(kind, version)
  return compared(row, previous)
}

const versionsBelow = async (
  context: AccountContext,
  page: { kind: string; before: number; limitRows: number },
): Promise<NamedKind[]> =>
  withNames(context, await pageKindVersions(context.db, { account: context.account, ...page }))

const compared = (row: NamedKind, previous: NamedKind | undefined): KindVersion => ({
  ...row,
  lines: diffKinds(previous?.document, row.document),
})

async function withNames({ db, account }: AccountContext, rows: KindVersionRow[]): Promise<NamedKind[]> {
  const names = await namesOf(
    db,
    account,
    rows.map(({ created_by: by }) => by),
  )
  return rows.map((row) => ({ ...row, byName: names.get(idOf(row.created_by)) }))
}
