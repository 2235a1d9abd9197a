import type { Db } from '../db/connect.ts'
import {
  type ConversationRow,
  type ParticipantChange,
  type ParticipantOutcome,
  addParticipant,
  createConversation,
  pageConversations,
  removeParticipant,
} from '../db/queries/previews/conversations.ts'
import { GateError } from '../errors.ts'
import { adminWrite } from '../db/admin-write.ts'
import { limits } from '../limits.ts'
import { memberLabel } from '../operations/members/actor.ts'
import { localWorkspaces } from '../workspaces/local-workspaces.ts'
import type { WorkspaceId } from '../workspaces/store.ts'
import type { CliContext } from './context.ts'
import { requireAccount, requireMember, requireMemberIds } from '../operations/admin/require-entity.ts'
import { accountId, conversationId, email, line, memberName, slackId } from '../operations/admin/fields.ts'
import { UsageError, defineVerb, optional, repeatable, required } from './verb.ts'

const account = required('ACCOUNT', accountId)
const id = required('CONVERSATION', conversationId)
const participant = {
  account,
  id,
  email: optional('EMAIL', email),
  slack: optional('SLACK_ID', slackId),
}

export const conversationVerbs = {
  create: defineVerb({
    summary: 'Create a conversation and its workspace folder; only participants can see the files',
    options: {
      account,
      id,
      title: required('TITLE', line(limits.titleCharsMax)),
      participant: repeatable('EMAIL', memberName),
    },
    async run(context, given) {
      if (given.participant.length > limits.participantsAtOnceMax) {
        throw new UsageError(
          `--participant can be given at most ${limits.participantsAtOnceMax} times; use add-participant for more`,
        )
      }
      const db = context.db()
      await requireAccount(db, given.account)
      const memberIds = await requireMemberIds(db, given.account, given.participant)
      // Before the conversation is created: if the folder cannot be created, the same command can be repeated.
      const workspace = { account: given.account, conversationId: given.id }
      await localWorkspaces(context.workspaceRoot()).create(workspace)
      await createConversation(db, {
        ...adminWrite(given.account),
        conversationId: given.id,
        title: given.title,
        memberIds,
      })
      return { conversation_id: given.id, workspace: placeOf(context, workspace) }
    },
  }),

  list: defineVerb({
    summary: 'List all conversations with their participants',
    options: { account },
    async run(context, given) {
      await requireAccount(context.db(), given.account)
      const rows: ConversationRow[] = []
      for (let after = ''; ; after = rows.at(-1)!.conversation_id) {
        const page = await pageConversations(context.db(), given.account, {
          after,
          limitRows: limits.conversationsPerPage,
        })
        rows.push(...page)
        if (page.length < limits.conversationsPerPage) break
      }
      return rows.map(({ conversation_id, title, created_at, participants }) => ({
        conversation_id,
        title,
        created_at,
        participants: participants.map(memberLabel),
        workspace: placeOf(context, { account: given.account, conversationId: conversation_id }),
      }))
    },
  }),

  'add-participant': defineVerb({
    summary: 'Add a participant: a member who can see the files of the conversation',
    options: participant,
    exactlyOne: [['email', 'slack']],
    async run(context, given) {
      const { memberId } = await requireMember(context.db(), given)
      await changeParticipant(context, addParticipant, {
        ...adminWrite(given.account),
        conversationId: given.id,
        memberId,
      })
      return { conversation_id: given.id, member_id: memberId, participates: true }
    },
  }),

  'remove-participant': defineVerb({
    summary: 'Remove a participant: takes effect with the next request',
    options: participant,
    exactlyOne: [['email', 'slack']],
    async run(context, given) {
      const { memberId } = await requireMember(context.db(), given)
      await changeParticipant(context, removeParticipant, {
        ...adminWrite(given.account),
        conversationId: given.id,
        memberId,
      })
      return { conversation_id: given.id, member_id: memberId, participates: false }
    },
  }),
}

async function changeParticipant(
  context: CliContext,
  apply: (db: Db, change: ParticipantChange) => Promise<ParticipantOutcome>,
  change: ParticipantChange,
): Promise<void> {
  // Adding or removing the same participant twice is not an error.
  const outcome = await apply(context.db(), change)
  if (outcome !== 'missing') return
  throw new GateError('not_found', `Conversation ${change.conversationId} was not found in this account.`)
}

const placeOf = (context: CliContext, workspace: WorkspaceId): string =>
  localWorkspaces(context.workspaceRoot()).place(workspace)
