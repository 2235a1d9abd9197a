import { type Db } from '../../db/connect.ts'
import { listNames } from '../../db/queries/story.ts'

/** What ids of the ledger are called today: members and keys by id. An id that is not there has no name any more. */
export type Names = Map<string, string>

/** Looks up what is an id of a member or a key among what entries name. */
export async function namesOf(db: Db, account: string, ids: unknown[]): Promise<Names> {
  const wanted = [...new Set(ids.filter((id): id is string => typeof id === 'string' && id.includes('_')))]
  if (wanted.length === 0) return new Map()
  const rows = await listNames(db, account, wanted)
  return new Map(rows.map(({ id, name }) => [id, name]))
}
