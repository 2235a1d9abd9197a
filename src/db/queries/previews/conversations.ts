import type { AdminWrite } from '../../admin-write.ts'
import type { Db } from '../../connect.ts'

/** A conversation with its participants. */
export interface ConversationRow {
  conversation_id: string
  title: string
  created_at: Date
  participants: { memberId: string; email: string | null; slack: string | null }[]
}

/** A page of an account's conversations after `after`, by id, up to `limitRows`. */
export async function pageConversations(
  db: Db,
  account: string,
  page: { after: string; limitRows: number },
): Promise<ConversationRow[]> {
  return db.read(
    (sql) => sql`
      select c.*, coalesce(p.participants, '[]'::json) as participants
      from gate.tenant(${account}) t(id),
      lateral (
        select conversation_id, title, created_at
        from gate.conversation
        where account_id = t.id and conversation_id > ${page.after}
        order by conversation_id
        limit ${page.limitRows}
      ) c,
      lateral (
        select json_agg(json_build_object('memberId', m.member_id, 'email', m.email, 'slack', m.slack)
          order by m.name, m.member_id) as participants
        from gate.participant p
        join gate.member m on m.account_id = p.account_id and m.member_id = p.member_id
        where p.account_id = t.id and p.conversation_id = c.conversation_id
      ) p
      order by c.conversation_id`,
  )
}

/** Whether a member is a participant; false if the conversation does not exist. */
export async function isParticipant(
  db: Db,
  p: { account: string; conversationId: string; memberId: string },
): Promise<boolean> {
  const rows = await db.read(
    (sql) => sql`
      select 1 from gate.tenant(${p.account}) t(id),
      lateral (
        select 1 from gate.participant
        where account_id = t.id and conversation_id = ${p.conversationId} and member_id = ${p.memberId}
        offset 0
      ) found`,
  )
  return rows.length > 0
}

/** Creates a conversation with the given id. @throws if the id is already in use, ignoring case */
export async function createConversation(
  db: Db,
  c: AdminWrite & { conversationId: string; title: string; memberIds: string[] },
): Promise<void> {
  await db.once(
    (sql) => sql`
      select gate.create_conversation(
        p_account => ${c.account}, p_session => ${c.session}, p_conversation => ${c.conversationId}, p_title => ${c.title},
        p_members => ${c.memberIds}, p_event => ${c.eventId})`,
  )
}

export interface ParticipantChange extends AdminWrite {
  conversationId: string
  memberId: string
}

/** `missing`: the conversation does not exist. `unchanged`: nothing had to change. */
export type ParticipantOutcome = 'missing' | 'unchanged' | 'changed'

/** Adds a participant to a conversation. */
export async function addParticipant(db: Db, c: ParticipantChange): Promise<ParticipantOutcome> {
  const rows = await db.run<{ outcome: ParticipantOutcome }>(
    (sql) => sql`
      select gate.add_participant(
        p_account => ${c.account}, p_session => ${c.session}, p_conversation => ${c.conversationId}, p_member => ${c.memberId},
        p_event => ${c.eventId}
      ) as outcome`,
  )
  return rows[0]!.outcome
}

/** Removes a participant from a conversation. */
export async function removeParticipant(db: Db, c: ParticipantChange): Promise<ParticipantOutcome> {
  const rows = await db.once<{ outcome: ParticipantOutcome }>(
    (sql) => sql`
      select gate.remove_participant(
        p_account => ${c.account}, p_session => ${c.session}, p_conversation => ${c.conversationId}, p_member => ${c.memberId},
        p_event => ${c.eventId}
      ) as outcome`,
  )
  return rows[0]!.outcome
}
