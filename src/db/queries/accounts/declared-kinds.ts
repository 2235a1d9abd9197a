import type { KindDocument } from '../../../gate/declared/declared-kind.ts'
import type { AdminWrite } from '../../admin-write.ts'
import type { Db } from '../../connect.ts'

/** A version of a declared kind. */
export interface KindVersionRow {
  kind: string
  version: number
  document: KindDocument
  /** SHA-256 of the document in its RFC 8785 form, hex. */
  digest: string
  created_by: string
  created_at: Date
  /** null: not retired. Only the newest version can be. */
  retired_at: Date | null
}

/** The newest version of each kind that an account declared, and the count of changes that they are as of. */
export interface DeclaredKindRows {
  version: number
  kinds: KindVersionRow[]
}

export type SetKindOutcome = 'set' | 'unchanged' | 'too_many' | 'stale'

/**
 * Stores a document as the next version of its kind.
 * @param k.document  canonical JSON
 * @param k.base  the count of changes that its effect was shown for; null: not shown
 * @returns the version in force; null where nothing was stored
 */
export async function setKind(
  db: Db,
  k: AdminWrite & { kind: string; document: string; kindsMax: number; base: number | null },
): Promise<{ outcome: SetKindOutcome; version: number | null }> {
  const rows = await db.once<{ outcome: SetKindOutcome; version: number | null }>(
    (sql) => sql`
      select r.outcome, r.version from gate.set_kind(
        p_account => ${k.account}, p_session => ${k.session}, p_kind => ${k.kind},
        p_document => ${k.document}::text::json, p_kinds_max => ${k.kindsMax}, p_event => ${k.eventId},
        p_base => ${k.base}) r`,
  )
  return rows[0]!
}

/** Retires a kind. */
export async function retireKind(
  db: Db,
  k: AdminWrite & { kind: string },
): Promise<'retired' | 'unchanged' | 'missing'> {
  const rows = await db.once<{ outcome: 'retired' | 'unchanged' | 'missing' }>(
    (sql) => sql`
      select gate.retire_kind(
        p_account => ${k.account}, p_session => ${k.session}, p_kind => ${k.kind}, p_event => ${k.eventId}) as outcome`,
  )
  return rows[0]!.outcome
}

/** The newest version of each declared kind of an account, retired ones too, by name. */
export async function readDeclaredKinds(db: Db, account: string): Promise<DeclaredKindRows> {
  const rows = await db.read<(KindVersionRow | { kind: null }) & { kinds_version: number }>(
    (sql) => sql`
      select c.kinds_version, k.* from gate.tenant(${account}) t(id),
      lateral (select kinds_version from gate.account where account_id = t.id offset 0) c
      left join lateral (
        select distinct on (kind) kind, version, document, digest, created_by, created_at, retired_at
        from gate.kind where account_id = t.id
        order by kind, version desc
      ) k on true`,
  )
  return {
    version: rows[0]?.kinds_version ?? 0,
    kinds: rows.flatMap((row) => (row.kind === null ? [] : [row as KindVersionRow])),
  }
}

/** All versions of a kind, newest first, up to `limitRows`. */
export async function pageKindVersions(
  db: Db,
  q: { account: string; kind: string; before: number; limitRows: number },
): Promise<KindVersionRow[]> {
  return db.read<KindVersionRow>(
    (sql) => sql`
      select k.* from gate.tenant(${q.account}) t(id),
      lateral (
        select kind, version, document, digest, created_by, created_at, retired_at
        from gate.kind where account_id = t.id and kind = ${q.kind} and version < ${q.before}
        order by version desc
        limit ${q.limitRows}
      ) k
      order by k.version desc`,
  )
}

/** Versions of kinds, in no order: by them actions are shown and executed. */
export async function readKindVersions(
  db: Db,
  account: string,
  versions: { kind: string; version: number }[],
): Promise<KindVersionRow[]> {
  return db.read<KindVersionRow>(
    (sql) => sql`
      select k.* from gate.tenant(${account}) t(id)
      cross join unnest(
        ${versions.map(({ kind }) => kind)}::text[],
        ${versions.map(({ version }) => String(version))}::text[]::integer[]
      ) wanted(kind, version)
      cross join lateral (
        select kind, version, document, digest, created_by, created_at, retired_at
        from gate.kind where account_id = t.id and kind = wanted.kind and version = wanted.version
        offset 0
      ) k`,
  )
}

/** The count of changes of an account's declared kinds; 0: it never declared one. */
export async function kindsVersion(db: Db, account: string): Promise<number> {
  const rows = await db.read<{ version: number }>(
    (sql) => sql`
      select c.version from gate.tenant(${account}) t(id),
      lateral (select kinds_version as version from gate.account where account_id = t.id offset 0) c`,
  )
  return rows[0]?.version ?? 0
}
