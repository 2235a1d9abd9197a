import { type Json, canonical } from '../gate/canonical.ts'
import type { EntryKind } from '../gate/lifecycle.ts'

/** The version of the entry's form. */
const entryVersion = 1

/** One event, as it is hashed and kept for ever. Holds ids and digests, never payloads, addresses or secrets. */
export interface Entry {
  kind: EntryKind
  /** Who: a member's id, `admin` (the command line), `admin:<id>` (one in the console), or `system`. */
  actor: string
  /** The API key's id, where one was used. */
  key?: string | undefined
  /** What else makes the event whole. */
  data?: { [key: string]: Json | undefined }
  /** Hex SHA-256 over salt and payload, on the entry that brings a payload. */
  payloadDigest?: string | undefined
}

/**
 * The canonical JSON of an entry after `{"action":<id>,`: the row's id is known only under the ledger's lock, and
 * `action` sorts first.
 * @source RFC 8785; the hashed text is `account seq at \n {"action":…}`, see the append function
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
