import { isParticipant } from '../../db/queries/previews/conversations.ts'
import { GateError } from '../../errors.ts'
import { type WorkspaceStore, conversationIdForm } from '../../workspaces/store.ts'
import { type ActingMember, actingMember } from '../members/actor.ts'
import type { CallContext } from '../operation.ts'
import type { Actor } from '../schemas.ts'

/**
 * The workspace of a conversation in which the named member participates.
 * @throws GateError `not_found`, the same for an unknown conversation and one in which the member does not participate
 * @source docs/workspaces.md#reference
 */
export async function workspaceOf(
  context: CallContext,
  conversationId: string,
  actor: Actor,
): Promise<WorkspaceStore> {
  const { deps, account } = context
  await participantOf(context, conversationId, actor)
  return deps.workspaces.open({ account, conversationId })
}

/** The named member, who must be a participant of the conversation. @throws GateError `not_found` as above */
export async function participantOf(
  context: CallContext,
  conversationId: string,
  actor: Actor,
): Promise<ActingMember> {
  const { deps, account } = context
  const acting = await actingMember(context, actor)
  if (!conversationIdForm.test(conversationId)) throw workspaceNotFound()
  const { memberId } = acting.member
  if (!(await isParticipant(deps.db, { account, conversationId, memberId }))) throw workspaceNotFound()
  return acting
}

/** One sentence for everything that does not exist or is not visible to this member, so that it does not reveal which. */
export function workspaceNotFound(): GateError {
  return new GateError(
    'not_found',
    'The conversation or file was not found among those of this member. Check conversation_id; list_workspace_files lists the files of a conversation.',
  )
}
