import type { Db } from '../../db/connect.ts'
import { listNames } from '../../db/queries/actions/timeline.ts'

/** What ids of the ledger are called today: members, keys and administrators. An id that is not there has no name any more. */
export type Names = Map<string, string>

/** Looks up what is an id among what entries name. */
export async function namesOf(db: Db, account: string, ids: unknown[]): Promise<Names> {
  const wanted = [...new Set(ids.filter((id) => typeof id === 'string').map(idOf))].filter((id) =>
    id.includes('_'),
  )
  if (wanted.length === 0) return new Map()
  const rows = await listNames(db, account, wanted)
  return new Map(rows.map(({ id, name }) => [id, name]))
}

/** The id in how an entry names somebody: an administrator in the console is `admin:<id>`. Pure. */
export const idOf = (actor: string): string => actor.replace(/^admin:/, '')
