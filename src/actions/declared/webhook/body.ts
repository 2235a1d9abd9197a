import { type Json, canonical } from '../../../gate/canonical.ts'
import type { ActionRow } from '../../../db/queries/actions/actions.ts'

/**
 * What an executor is sent, as JSON text. The same row and receipt always have the same text, in later releases too: a stored
 * body that differs is not sent.
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

/**
 * Whether a stored body has the content of the row, so that a body that somebody planted is not sent. The receipt is not
 * compared: it is signed, and the key may have been rotated since. Pure.
 */
export function isBodyOf(row: ActionRow, body: string): boolean {
  try {
    const stored = JSON.parse(body) as Json
    const receipt = (stored as { data: { receipt: string } }).data.receipt
    return canonical(stored) === canonical(JSON.parse(bodyOf(row, receipt)) as Json)
  } catch {
    return false
  }
}
