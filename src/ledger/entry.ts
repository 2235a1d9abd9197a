import { type Json, canonical } from '../gate/canonical.ts'
import type { EntryKind } from '../gate/lifecycle.ts'

/** The format version of entries that this code writes. */
const entryVersion = 1

/** One event, as it is hashed and stored for ever. Contains ids and digests, never payloads, addresses or secrets. */
export interface Entry {
  kind: EntryKind
  /** Who acted: a member's id, `admin` (the command line), `admin:<id>` (the console), or `system`. */
  actor: string
  /** The id of the API key, if one was used. */
  key?: string | undefined
  /** Further fields of the event. */
  data?: { [key: string]: Json | undefined }
  /** Hex SHA-256 over salt and payload, on entries with a payload. */
  payloadDigest?: string | undefined
}

/**
 * The canonical JSON of an entry after `{"action":<id>,`: the id is assigned under the ledger's lock, and `action` sorts
 * first.
 * @source RFC 8785; the hashed text is `account seq at \n {"action":…}`, see the SQL function gate_private.append
 */
export function entryTail(entry: Entry): string {
  return canonical({
    actor: entry.actor,
    data: entry.data ?? {},
    key: entry.key ?? null,
    kind: entry.kind,
    payload_digest: entry.payloadDigest ?? null,
    v: entryVersion,
  }).slice(1)
}
