import type { ActionKind } from '../../actions/kind.ts'
import type { Deps } from '../../deps.ts'

/** The kind of an action. @throws Error for a kind that only a newer version of this program knows */
export function requireKind(deps: Deps, name: string): ActionKind {
  const kind = deps.kinds.get(name)
  if (!kind) throw new Error(`this program does not know the kind ${name}`)
  return kind
}
