import type { AccountKinds, RowOfKind } from '../../actions/account-kinds.ts'
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

/** The kinds that the words about some actions of one account are made with. Nothing is read where none was declared. */
export async function kindsOfRows(
  { kinds }: KindDeps,
  account: string,
  rows: { kind_version?: number | null | undefined }[],
): Promise<AccountKinds> {
  const isDeclared = rows.some(({ kind_version: version }) => (version ?? null) !== null)
  return isDeclared ? kinds.now(account) : kinds.own
}
