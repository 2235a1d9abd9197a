import type { ActionKind } from '../../actions/kind.ts'
import type { Deps } from '../../deps.ts'

/** The kind of a row that is open: this program must know it, or a newer one made the row. */
export function requireKind(deps: Deps, name: string): ActionKind {
  const kind = deps.kinds.get(name)
  if (!kind) throw new Error(`this program does not know the kind ${name}`)
  return kind
}
