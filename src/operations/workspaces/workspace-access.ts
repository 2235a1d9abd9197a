import { isParticipant } from '../../db/queries/previews/conversations.ts'
import { GateError } from '../../errors.ts'
import { type WorkspaceStore, conversationIdForm } from '../../workspaces/store.ts'
import { type ActingMember, actingMember } from '../members/actor.ts'
import type { CallContext } from '../operation.ts'
import type { Actor } from '../schemas.ts'

/**
 * The files of a conversation that the named member takes part in.
 * @throws GateError `not_found`, in the same words, where they do not and where there is no such conversation
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

/** The named member, who takes part in a conversation. @throws GateError `not_found` as above */
export async function participantOf(
  context: CallContext,
  conversationId: string,
  actor: Actor,
): Promise<ActingMember> {
  const { deps, account } = context
  const acting = await actingMember(context, actor)
  if (!conversationIdForm.test(conversationId)) throw nothingThere()
  const { memberId } = acting.member
  if (!(await isParticipant(deps.db, { account, conversationId, memberId }))) throw nothingThere()
  return acting
}

/** One sentence for whatever is not there or not for this member: from the answer nobody learns which. */
export function nothingThere(): GateError {
  return new GateError(
    'not_found',
    'This member takes part in no such conversation, or it has no such file: list its files to see which there are.',
  )
}
