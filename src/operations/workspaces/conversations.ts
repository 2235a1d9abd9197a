import {
  type ConversationRow,
  addParticipant,
  createConversation as storeConversation,
  pageConversations,
  removeParticipant,
} from '../../db/queries/previews/conversations.ts'
import { adminWrite } from '../../db/admin-write.ts'
import { GateError } from '../../errors.ts'
import type { Workspaces } from '../../workspaces/store.ts'
import type { AdminContext } from '../admin-context.ts'
import type { MemberName } from '../entered-fields.ts'
import { requireAccount } from '../require-account.ts'
import { requireMemberIds } from '../members/require-member.ts'

/** Conversations that the command line reads at once. */
const conversationsPerPage = 500

/**
 * Creates a conversation and its workspace folder. May be repeated: what exists stays.
 * @throws GateError `not_found` if the account or a participant does not exist
 */
export async function createConversation(
  { db, account, session }: AdminContext,
  workspaces: Pick<Workspaces, 'create'>,
  given: { conversationId: string; title: string; participants: MemberName[] },
): Promise<void> {
  const { conversationId, title } = given
  await requireAccount(db, account)
  const memberIds = await requireMemberIds(db, account, given.participants)
  // Before the conversation is stored: if the folder cannot be created, the same call can be repeated.
  await workspaces.create({ account, conversationId })
  await storeConversation(db, { ...adminWrite(account, session), conversationId, title, memberIds })
}

/** All conversations of an account, by id. @throws GateError `not_found` if the account does not exist */
export async function listConversations({
  db,
  account,
}: Pick<AdminContext, 'db' | 'account'>): Promise<ConversationRow[]> {
  await requireAccount(db, account)
  const rows: ConversationRow[] = []
  for (let after = ''; ; after = rows.at(-1)!.conversation_id) {
    const page = await pageConversations(db, account, { after, limitRows: conversationsPerPage })
    rows.push(...page)
    if (page.length < conversationsPerPage) return rows
  }
}

/**
 * Adds or removes a participant. Doing it twice is not an error.
 * @throws GateError `not_found` if the conversation does not exist
 */
export async function setParticipant(
  { db, account, session }: AdminContext,
  change: { conversationId: string; memberId: string; participates: boolean },
): Promise<void> {
  const { conversationId, memberId, participates } = change
  const apply = participates ? addParticipant : removeParticipant
  const outcome = await apply(db, { ...adminWrite(account, session), conversationId, memberId })
  if (outcome === 'missing')
    throw new GateError('not_found', `Conversation ${conversationId} was not found in this account.`)
}
