import type { RowOfKind } from '../../actions/account-kinds.ts'
import type { ActionKind } from '../../actions/kind.ts'
import type { Deps } from '../../deps.ts'

type KindDeps = Pick<Deps, 'kinds'>

/**
 * The kind of an action, by the version that it was proposed with. Nothing is read for a kind of the gate's own.
 * @throws Error for a kind that only a newer version of this program knows
 */
export const requireKind = ({ kinds }: KindDeps, row: RowOfKind): Promise<ActionKind> => kinds.ofRow(row)

/** A kind of the gate's own. @throws Error for one that only a newer version of this program knows */
export function requireOwnKind({ kinds: { own } }: KindDeps, name: string): ActionKind {
  const kind = own.get(name)
  if (!kind) throw new Error(`this program does not know the kind ${name}`)
  return kind
}

/** The kind of an action for the words about it; undefined for one that only a newer version of this program knows. */
export const kindOfRow = async ({ kinds }: KindDeps, row: RowOfKind): Promise<ActionKind | undefined> =>
  (await kinds.ofRows(row.account_id, [row]))(row)
