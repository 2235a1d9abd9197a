import { broadcast } from './broadcast/kind.ts'
import { type ActionKind } from './kind.ts'

export { type ActionKind } from './kind.ts'

/** Every governed kind. A new one is its folder and its line here. */
export const actionKinds: ActionKind[] = [broadcast]
