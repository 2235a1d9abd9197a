import type { ChatChannel } from '../../../gate/consent.ts'
import type { Db } from '../../connect.ts'

/** A message in a chat that is to show the outcome of its action. */
export interface MessageUpdate {
  account_id: string
  action_id: number
  /** The number of the consent request. */
  n: number
  /** Including this one. */
  tries: number
}

/** Takes due updates of all accounts; other workers skip each for `againMs`, doubled after each try. */
export async function takeMessageUpdates(
  db: Db,
  limitRows: number,
  againMs: number,
): Promise<MessageUpdate[]> {
  return db.once(
    (sql) => sql`select * from gate.take_message_updates(p_limit => ${limitRows}, p_again_ms => ${againMs})`,
  )
}

/** Ends an update: it was done or given up. */
export async function endMessageUpdate(db: Db, u: MessageUpdate): Promise<void> {
  await db.run(
    (sql) => sql`
      select gate.end_message_update(
        p_account => ${u.account_id}, p_id => ${u.action_id}, p_n => ${u.n})`,
  )
}

/** A consent request that was sent in a chat. */
export interface SentRequest {
  via: ChatChannel
  /** The user. */
  address: string
  /** The message's id in the conversation with the user. */
  provider_id: string
  /** The hash of the card that it shows. */
  card: Buffer | null
}

/** A sent request; undefined if it does not exist. */
export async function readSentRequest(
  db: Db,
  { account_id: account, action_id: id, n }: MessageUpdate,
): Promise<SentRequest | undefined> {
  const rows = await db.read<SentRequest>(
    (sql) => sql`
      select q.* from gate.tenant(${account}) t(id),
      lateral (
        select via, address, provider_id, card from gate.consent_request
        where account_id = t.id and action_id = ${id} and n = ${n} and state = 'sent' and via <> 'email'
        offset 0
      ) q`,
  )
  return rows[0]
}
