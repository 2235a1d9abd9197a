import type { ActionRow, FormerVersion } from '../../db/queries/actions/actions.ts'
import type { Edit } from '../../db/queries/actions/decide.ts'
import { canonical, type Json } from '../../gate/canonical.ts'
import { type ReachColumns, outlets, outletsOf } from '../../gate/reach.ts'
import { eventId } from '../../ledger/digest.ts'

/** Version 2 as the claim stores it; undefined where the member changed nothing. */
export const editOf = ({ uuid, former, ...row }: ActionRow): Edit | undefined =>
  former
    ? {
        eventId: eventId(uuid, 'edited'),
        payload: canonical(row.payload as Json),
        facts: row.facts && canonical(row.facts),
        channel: channelLeft(former, row),
        digest: row.digest!,
        duplicateOf: row.duplicate_of,
      }
    : undefined

/** The only channel by which version 2 still reaches members; null: as version 1. */
function channelLeft(former: FormerVersion, row: ReachColumns): string | null {
  const isWhole = outlets.every((outlet) => (former[`reach_${outlet}`] ?? 0) === row[`reach_${outlet}`])
  return isWhole ? null : outletsOf(row)[0]!
}
