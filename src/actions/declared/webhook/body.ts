import type { ActionRow } from '../../../db/queries/actions/actions.ts'

/**
 * What an executor is sent, as JSON text. The same row and receipt always have the same text.
 * @source docs/write-an-executor.md#what-it-receives
 */
export function bodyOf(row: ActionRow, receipt: string): string {
  return JSON.stringify({
    type: 'action.confirmed',
    timestamp: row.decided_at!.toISOString(),
    data: {
      action: row.id,
      uuid: row.uuid,
      account: row.account_id,
      kind: row.kind,
      member: row.member,
      payload: row.payload,
      digest: row.digest,
      consent: {
        strength: row.consent_strength,
        by: row.consent_by,
        at: row.decided_at!.toISOString(),
        channel: row.consent_channel,
      },
      receipt,
    },
  })
}
