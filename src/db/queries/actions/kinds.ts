import type { Db } from '../../connect.ts'

/** The kinds of an account's actions, by name, up to `limitRows`: one look into the index for each. */
export async function listKinds(db: Db, account: string, limitRows: number): Promise<string[]> {
  const rows = await db.read<{ kind: string }>(
    (sql) => sql`
      select k.kind from gate.tenant(${account}) t(id),
      lateral (
        with recursive held(kind) as (
          (select a.kind from gate.action a where a.account_id = t.id order by a.kind limit 1)
          union all
          select (
            select n.kind from gate.action n where n.account_id = t.id and n.kind > held.kind order by n.kind limit 1
          ) from held where held.kind is not null
        )
        select kind from held where kind is not null limit ${limitRows}
      ) k
      order by k.kind`,
  )
  return rows.map(({ kind }) => kind)
}
