import { kindOfDocument } from '../../actions/declared/kind-of-document.ts'
import { performerOf } from '../../actions/declared/performers.ts'
import { type Card, cardOf } from '../../consent/card.ts'
import type { ActionRow } from '../../db/queries/actions/actions.ts'
import type { KindDocument } from '../../gate/declared/declared-kind.ts'
import { samplePayload } from './sample-payload.ts'

/** The decision card of an action of a kind, with made-up values, before the kind is stored. */
export function sampleCard(
  document: KindDocument,
  { version, accountName, now }: { version: number; accountName: string; now: Date },
): Card {
  const kind = kindOfDocument(document, version, performerOf(document))
  const row: SampleRow = {
    id: 0,
    kind: document.kind,
    kind_version: version,
    payload: samplePayload(document),
    source: 'api',
    member: 'member@example.com',
    requested_by: 'example agent',
    requested_host: null,
    rationale: 'Example of a reason.',
    expires_at: new Date(now.getTime() + (kind.expiresAfterMs ?? msPerDay)),
    digest: '0'.repeat(64),
    facts: null,
    duplicate_of: null,
    reach_slack: 0,
    reach_email: 0,
    reach_unreachable: 0,
    reach_teams: 0,
  }
  return cardOf({ row: row as ActionRow, kind, accountName, memberName: 'Example Member' })
}

/** What a card shows of a row. */
type SampleRow = Pick<
  ActionRow,
  | 'id'
  | 'kind'
  | 'kind_version'
  | 'payload'
  | 'source'
  | 'member'
  | 'requested_by'
  | 'requested_host'
  | 'rationale'
  | 'expires_at'
  | 'digest'
  | 'facts'
  | 'duplicate_of'
  | 'reach_slack'
  | 'reach_email'
  | 'reach_unreachable'
  | 'reach_teams'
>

const msPerDay = 86_400_000
