import { createHash } from 'node:crypto'
import { v5 as uuidv5 } from 'uuid'
import { type Json, canonical } from '../gate/canonical.ts'
import type { Recipient } from '../gate/reach.ts'

export const sha256 = (...parts: (string | Buffer)[]): Buffer => {
  const hash = createHash('sha256')
  for (const part of parts) hash.update(part)
  return hash.digest()
}

/** The hash that a frozen set of recipients is found by. */
export function recipientsHash(recipients: Recipient[]): Buffer {
  return sha256(canonical(recipients.map((r) => [r.memberId, r.channel, r.address])))
}

/** Salted, so that a payload can be erased and its digest tells nothing. */
export function payloadDigest(salt: Buffer, payload: Json): string {
  return sha256(salt, canonical(payload)).toString('hex')
}

/**
 * The canonical JSON that a row's `digest` is the SHA-256 of, after `{"account":…,"id":…,`.
 * @source docs/rest.md#fields-of-an-action: RFC 8785 form of `{ account, id, kind, member, payload, recipients }`
 */
export function digestTail(row: {
  kind: string
  member: string
  payload: Json
  recipients: Buffer | null
}): string {
  return canonical({ ...row, recipients: row.recipients?.toString('hex') ?? null }).slice(1)
}

/** A row's `digest`, as anyone can compute it from the row and its recipients' digest. */
export function actionDigest(row: {
  account: string
  id: number
  kind: string
  member: string
  payload: Json
  recipients: string | null
}): string {
  return sha256(canonical(row)).toString('hex')
}

/** An id derived from what it stands for: the same event has the same id at every try. */
export function eventId(scope: string, ...parts: (string | number)[]): string {
  return uuidv5(parts.join('\n'), uuidv5(scope, uuidv5.URL))
}
