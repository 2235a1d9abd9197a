import { createHash, hash } from 'node:crypto'
import { v5 as uuidv5 } from 'uuid'
import type { ActionRow } from '../db/queries/actions/actions.ts'
import { type Json, canonical } from '../gate/canonical.ts'
import type { Recipient } from '../gate/reach.ts'

export const sha256 = (...parts: (string | Buffer)[]): Buffer => {
  if (parts.length === 1) return hash('sha256', parts[0]!, 'buffer')
  const all = createHash('sha256')
  for (const part of parts) all.update(part)
  return all.digest()
}

/** The hash that identifies a frozen set of recipients. */
export function recipientsHash(recipients: Recipient[]): Buffer {
  return sha256(canonical(recipients.map((r) => [r.memberId, r.channel, r.address])))
}

/** Salted, so that the digest of an erased payload reveals nothing. */
export function payloadDigest(salt: Buffer, payload: Json): string {
  return sha256(salt, canonical(payload)).toString('hex')
}

/**
 * The `digest` of an action: SHA-256 over its canonical JSON.
 * @source docs/rest.md#fields-of-an-action: RFC 8785 form of `{ account, id, kind, member, payload, rationale?, recipients }`
 */
export function actionDigest(row: {
  account: string
  id: number
  kind: string
  member: string
  payload: Json
  rationale?: string
  recipients: string | null
}): string {
  return sha256(canonical(row)).toString('hex')
}

/** What the digest of a row should be, from its content. */
export const digestOfRow = ({
  account_id: account,
  id,
  kind,
  member,
  payload,
  rationale,
  recipients,
}: Pick<
  ActionRow,
  'account_id' | 'id' | 'kind' | 'member' | 'payload' | 'rationale' | 'recipients'
>): string =>
  actionDigest({
    account,
    id,
    kind,
    member,
    payload: payload as Json,
    ...(rationale === null ? {} : { rationale }),
    recipients: recipients?.toString('hex') ?? null,
  })

/** A deterministic event id: the same event gets the same id on every attempt. */
export function eventId(scope: string, ...parts: (string | number)[]): string {
  return uuidv5(parts.join('\n'), uuidv5(scope, uuidv5.URL))
}

/** Everything that the calls of a mandate have in common beside their commands, hashed. Pure. */
export const mandateScope = (
  { runner, tool, cwd }: { runner: Json; tool: Json; cwd: Json },
  { keyId, memberId }: { keyId: string | null; memberId: string | null },
): Buffer => sha256(canonical(['mandate', memberId, keyId, runner, tool, cwd]))

/** What stands in the rows of an erased member instead of their name. */
export const erased = 'erased'
