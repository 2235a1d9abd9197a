import type { Db } from '../db/connect.ts'
import type { ParsedEntry } from '../ledger/checker.ts'
import { listNames } from '../db/queries/actions/timeline.ts'

/** The current names of ids in the ledger: members, keys, administrators and groups, and of apps their hosts. Ids without a current name are missing. */
export type Names = Map<string, string>

/** Looks up the names of all ids in a list of values. */
export async function namesOf(db: Db, account: string, ids: unknown[]): Promise<Names> {
  const wanted = [...new Set(ids.filter((id) => typeof id === 'string').map(idOf))].filter((id) =>
    id.includes('_'),
  )
  if (wanted.length === 0) return new Map()
  const rows = await listNames(db, account, wanted)
  return new Map(rows.map(({ id, name }) => [id, name]))
}

/** The id of an actor in an entry: an administrator in the console is `admin:<id>`. Pure. */
export const idOf = (actor: string): string => actor.replace(/^admin:/, '')

/** The ids that an entry names: who caused it, with which key, and about whom. Pure. */
export function idsIn({ content: { actor, key, data = {} } }: { content: ParsedEntry }): unknown[] {
  return [
    actor,
    key,
    data['member'],
    data['key'],
    data['admin'],
    data['app'],
    data['group'],
    data['approver'],
    data['from'],
    data['to'],
    data['for'],
  ]
}
