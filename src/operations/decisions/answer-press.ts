import { randomUUID } from 'node:crypto'
import type { ActionRow } from '../../db/queries/actions/actions.ts'
import type { Deps } from '../../deps.ts'
import { sendNotice } from '../../providers/send-notice.ts'
import type { ChatPress } from './decide-in-chat.ts'
import { chatOf } from '../consent/channel-by.ts'

/**
 * Says a sentence to who pressed a button in a chat: where they pressed it, which also reaches people of other workspaces;
 * otherwise as a message of the account's app or, where the press tells no action, of the environment's.
 */
export async function answerPress(
  deps: Deps,
  { via, answer, userId }: Pick<ChatPress, 'via' | 'answer' | 'userId'>,
  sentence: string,
  row?: ActionRow,
): Promise<void> {
  if (await answer(sentence)) return
  const chat = row ? await chatOf(deps, via, row) : via === 'slack' ? deps.ownSlack : undefined
  if (!chat || userId === undefined)
    return deps.log.warn({ via, sentence }, 'the outcome of a press in a chat could not be sent to anyone')
  const { state } = await sendNotice(chat, {
    key: randomUUID(),
    message: chat.freezeNotice({ subject: '', text: sentence }),
    address: userId,
    attemptedAt: new Date(),
  })
  if (state !== 'ok')
    deps.log.warn(
      { via, state, sentence },
      'the outcome of a press in a chat could not be sent to the person who pressed',
    )
}
