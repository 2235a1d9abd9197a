import { limits } from '../../limits.ts'
import { conversationId, line, memberName } from '../../operations/entered-fields.ts'
import { requireMember } from '../../operations/members/require-member.ts'
import { memberLabel } from '../../operations/members/actor.ts'
import {
  createConversation,
  listConversations,
  setParticipant,
} from '../../operations/workspaces/conversations.ts'
import { localWorkspaces } from '../../workspaces/local-workspaces.ts'
import { account } from '../account-option.ts'
import { type CliContext, adminContextOf } from '../context.ts'
import { who } from '../options.ts'
import { UsageError, defineVerb, repeatable, required } from '../verb.ts'

/** Participants that are created together with their conversation, in one ledger entry. */
const participantsAtOnceMax = 100

const id = required('CONVERSATION', conversationId, 'Id of the conversation', 'project-1')
const participant = { account, id, ...who }

export const conversationVerbs = {
  create: defineVerb({
    summary: 'Create a conversation and its workspace folder; only participants can see the files',
    options: {
      account,
      id,
      title: required('TITLE', line(limits.titleCharsMax), 'Title of the conversation', 'Launch page'),
      participant: repeatable(
        'EMAIL',
        memberName,
        'A participant, by e-mail or Slack user ID',
        'ada@my.example',
      ),
    },
    shown: ['participant'],
    async run(context, given) {
      if (given.participant.length > participantsAtOnceMax) {
        throw new UsageError(
          `--participant can be given at most ${participantsAtOnceMax} times; use add-participant for more`,
        )
      }
      await createConversation(adminContextOf(context, given.account), workspacesOf(context), {
        conversationId: given.id,
        title: given.title,
        participants: given.participant,
      })
      return { conversation_id: given.id, workspace: placeOf(context, given.account, given.id) }
    },
  }),

  list: defineVerb({
    summary: 'List all conversations with their participants',
    options: { account },
    empty: (of) => `No conversations. Create one with \`gate conversation create${of}\`.`,
    async run(context, given) {
      const rows = await listConversations({ db: context.db(), account: given.account })
      return rows.map(({ conversation_id, title, created_at, participants }) => ({
        conversation_id,
        title,
        created_at,
        participants: participants.map(memberLabel),
        workspace: placeOf(context, given.account, conversation_id),
      }))
    },
  }),

  'add-participant': defineVerb({
    summary: 'Add a participant: a member who can see the files of the conversation',
    options: participant,
    exactlyOne: [['email', 'slack']],
    run: (context, given) => participate(context, given, true),
  }),

  'remove-participant': defineVerb({
    summary: 'Remove a participant: takes effect with the next request',
    options: participant,
    exactlyOne: [['email', 'slack']],
    run: (context, given) => participate(context, given, false),
  }),
}

async function participate(
  context: CliContext,
  given: { account: string; id: string; email?: string | undefined; slack?: string | undefined },
  participates: boolean,
) {
  const { memberId } = await requireMember(context.db(), given)
  const change = { conversationId: given.id, memberId, participates }
  await setParticipant(adminContextOf(context, given.account), change)
  return { conversation_id: given.id, member_id: memberId, participates }
}

const placeOf = (context: CliContext, account: string, conversationId: string): string =>
  workspacesOf(context).place({ account, conversationId })

/** The folder that contains all workspaces. */
const workspacesOf = (context: CliContext) => localWorkspaces(context.config().WORKSPACE_ROOT)
