import type { ActionRow } from '../../db/queries/actions/actions.ts'
import type { Deps } from '../../deps.ts'
import type { CallContext } from '../operation.ts'
import { requireKind } from '../proposals/require-kind.ts'

const msPerMinute = 60_000

/** How long a claim of this action is held; undefined for a kind that is not executed by claim. */
export function leaseMsOf(deps: Deps, row: Pick<ActionRow, 'kind'>): number | undefined {
  const { executor } = requireKind(deps, row.kind)
  return executor?.type === 'claim' ? executor.lease_minutes * msPerMinute : undefined
}

/** Whether a caller has something to execute: by its power, or because some kind is executed by whoever claims it. */
export const canExecute = ({ powers, deps }: CallContext): boolean =>
  powers.includes('execute') || [...deps.kinds.values()].some(({ executor }) => executor?.type === 'claim')
