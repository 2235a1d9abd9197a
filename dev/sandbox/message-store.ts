import { createHash } from 'node:crypto'
import { openJsonLines } from './json-lines.ts'
import type { ChannelUse } from '../../src/providers/ports.ts'
import { limits } from '../../src/limits.ts'

export interface SandboxMessage {
  id: string
  channel: ChannelUse
  to: string
  subject?: string
  /** The text as the recipient would see it. */
  text: string
  /** Only a mail may have it. */
  html?: string
  /** UTC ISO 8601. */
  at: string
  /** The id of the message within its conversation, and the metadata it carries; of a bot, which bot it is. */
  ts?: string
  metadata?: unknown
  /** Blocks of a chat, shown instead of the text. */
  blocks?: unknown
  /** Slack attachments, shown below it. */
  attachments?: unknown
  /** The button of it that was pressed last, by its label. */
  pressed?: string
  /** The number of the action that it is about, from what the provider call carried for programs. */
  action?: number
}

/** An e-mail address, a Slack user, or a room or person in Teams. */
export interface Mailbox extends Pick<SandboxMessage, 'to' | 'channel'> {
  count: number
}

/** The stored answer for a repeated idempotency key. */
export interface KeptAnswer {
  requestHash: string
  status: number
  body: unknown
}

export type MessageStore = ReturnType<typeof openMessageStore>

/** One line of the file: everything one request stored, so that a crash keeps all of it or nothing. */
interface StoredLine {
  messages: SandboxMessage[]
  /** Changed messages: `chat.update`. */
  changed?: SandboxMessage[]
  key?: string
  answer?: KeptAnswer
}

/**
 * Stores the newest messages and the answers for repeated keys. Appended to the file before a request is answered, so a
 * crash loses nothing that was answered.
 * @param dataFile  JSON Lines; absent: memory only
 */
export function openMessageStore(dataFile?: string) {
  let messages: SandboxMessage[] = []
  const answers = new Map<string, KeptAnswer>()
  const file = openJsonLines<StoredLine>(dataFile)
  for (const line of file.read()) take(line)
  file.rewrite(remembered())

  return {
    append(line: StoredLine): void {
      file.append(line)
      take(line)
    },
    answerTo: (key: string) => answers.get(key),
    newest: (limit: number = limits.sandboxMessagesMax, mailbox?: string) =>
      messages
        .slice(-limits.sandboxMessagesMax)
        .filter(({ to }) => mailbox === undefined || to === mailbox)
        .slice(-limit)
        .toReversed(),
    mailboxes,
    find: (id: string) => messages.findLast((message) => message.id === id),
    newestFirst,
    close: () => file.close(),
  }

  function take({ messages: added, changed = [], key, answer }: StoredLine): void {
    for (const message of changed) {
      const place = messages.findLastIndex(({ id }) => id === message.id)
      if (place !== -1) messages[place] = message
    }
    messages.push(...added)
    // Trimmed rarely: moving 20,000 references for each message would cost more than serving it.
    if (messages.length > 2 * limits.sandboxMessagesMax) messages = messages.slice(-limits.sandboxMessagesMax)
    if (!key || !answer) return
    answers.set(key, answer)
    if (answers.size > limits.sandboxAnswersMax) answers.delete(answers.keys().next().value!)
  }

  /** Who got messages, and how many; the newest first. */
  function mailboxes(): Mailbox[] {
    const counts = new Map<string, Mailbox>()
    for (const { to, channel } of messages.slice(-limits.sandboxMessagesMax).toReversed()) {
      const mailbox = counts.get(to) ?? { to, channel, count: 0 }
      counts.set(to, { ...mailbox, count: mailbox.count + 1 })
    }
    return [...counts.values()].slice(0, limits.sandboxMailboxesMax)
  }

  function* newestFirst(): Generator<SandboxMessage> {
    for (let index = messages.length - 1; index >= 0; index -= 1) yield messages[index]!
  }

  function remembered(): StoredLine[] {
    messages = messages.slice(-limits.sandboxMessagesMax)
    const lines: StoredLine[] = []
    for (let start = 0; start < messages.length; start += 100)
      lines.push({ messages: messages.slice(start, start + 100) })
    for (const [key, answer] of answers) lines.push({ messages: [], key, answer })
    return lines
  }
}

export function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

/** The number of an action as a provider call carries it. */
export function actionNumber(given: unknown): number | undefined {
  const number = Number(given)
  return Number.isSafeInteger(number) && number > 0 ? number : undefined
}
