import { readCardNames } from '../../db/queries/actions/consent.ts'
import type { ActionRow } from '../../db/queries/actions/actions.ts'
import type { Deps } from '../../deps.ts'
import type { ChatChannel, ConsentChannel } from '../../gate/consent.ts'
import {
  type DeliveryChannel,
  type Dialogue,
  type UnreadableChannel,
  useOfChat,
} from '../../providers/ports.ts'

/** By what members of an account are reached: the service's own e-mail, or a chat of the account; undefined: it has none. */
export const channelBy = async (
  deps: Deps,
  via: ConsentChannel,
  account: string,
  integrationsVersion: number,
): Promise<DeliveryChannel | UnreadableChannel | undefined> =>
  via === 'email' ? deps.ownEmail : (await deps.channelsOf(account, integrationsVersion))[useOfChat[via]]

/** The chat of an action's account; undefined where it has none with buttons that can be used now. */
export async function chatOf(
  deps: Deps,
  via: ChatChannel,
  { account_id: account, id }: Pick<ActionRow, 'account_id' | 'id'>,
): Promise<(DeliveryChannel & { dialogue: Dialogue }) | undefined> {
  const names = await readCardNames(deps.db, account, id)
  const chat = await channelBy(deps, via, account, names?.integrations_version ?? 0)
  if (!chat || 'unreadable' in chat || !chat.dialogue) return undefined
  return { ...chat, dialogue: chat.dialogue }
}
