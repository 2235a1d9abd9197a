import { slackSignature } from '../../src/providers/slack/signature.ts'
import { sandboxApp } from '../../src/providers/sandbox-app.ts'
import type { SandboxMessage } from '../../dev/sandbox/message-store.ts'
import { type PageAnswer, browser } from './connect.ts'
import type { TestGate } from './gate.ts'
import { until } from './until.ts'

/** A request to decide, as it stands in a member's Slack. */
export interface SlackRequest {
  message: SandboxMessage
  /** What its blocks say, entities read. */
  text: string
  /** What both buttons carry; undefined where they are gone. */
  token: string | undefined
}

/** The requests that are in a member's Slack, oldest first. */
export function slackRequests(gate: TestGate, user: string): SlackRequest[] {
  return gate.sandbox
    .messages(1_000)
    .filter(({ channel, to, blocks }) => channel === 'slack' && to === user && blocks !== undefined)
    .map((message) => {
      const blocks = message.blocks as SlackBlock[]
      const token = blocks.find(({ type }) => type === 'actions')?.elements?.[0]?.value
      return { message, text: shownInSlack(blocks).join('\n'), token }
    })
    .toReversed()
}

/** Waits until a member was asked so many times in Slack; answers the last request. */
export const askedInSlack = (gate: TestGate, user: string, times = 1): Promise<SlackRequest> =>
  until(`${user} is asked in Slack`, async () => slackRequests(gate, user)[times - 1])

const mails = (gate: TestGate, address: string) =>
  gate.sandbox
    .messages(1_000)
    .filter(({ channel, to, text }) => channel === 'email' && to === address && /\/decide\//.test(text))
    .toReversed()

/** The decision links that are in a mailbox, oldest first. */
export const linksTo = (gate: TestGate, address: string): string[] =>
  mails(gate, address).map(({ text }) => /https?:\/\/\S+\/decide\/[\w-]{43}/.exec(text)![0])

/** Waits until a member was asked so many times by e-mail; answers the last mail and its link. */
export async function askedByMail(
  gate: TestGate,
  address: string,
  times = 1,
): Promise<{ link: string; text: string; subject: string }> {
  return until(`${address} is asked by e-mail`, async () => {
    const mail = mails(gate, address)[times - 1]
    return mail && { link: linksTo(gate, address)[times - 1]!, text: mail.text, subject: mail.subject! }
  })
}

export interface Click {
  token: string
  user: string
  action?: string
  team?: string
  ts?: string
  /** Instead of what Slack sends of a workspace's own app; `undefined`: left out. */
  instead?: Record<string, unknown>
}

/** The body of a click, as Slack sends it. */
export function clickBody({
  token,
  user,
  action = 'gate_approve',
  team = 'TSANDBOX',
  ts = '1.1',
  instead = {},
}: Click): string {
  return new URLSearchParams({
    payload: JSON.stringify({
      type: 'block_actions',
      team: { id: team, domain: 'sandbox' },
      user: { id: user, username: 'x', team_id: team },
      api_app_id: 'ASANDBOX',
      container: { type: 'message', message_ts: ts, channel_id: `D${user}` },
      channel: { id: `D${user}` },
      actions: [
        { type: 'button', block_id: 'gate_decision', action_id: action, value: token, action_ts: ts },
      ],
      ...instead,
    }),
  }).toString()
}

/** Posts an interaction as Slack would, or nearly. */
export async function interact(
  apiUrl: string,
  body: string,
  how: { atMs?: number; secret?: string; signature?: string } = {},
): Promise<Response> {
  const timestamp = String(Math.floor((how.atMs ?? Date.now()) / 1_000))
  const signature =
    how.signature ??
    slackSignature({ timestamp, body: Buffer.from(body) }, how.secret ?? sandboxApp.signingSecret)
  return fetch(`${apiUrl}/integrations/slack/interactions`, {
    method: 'POST',
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      'x-slack-request-timestamp': timestamp,
      'x-slack-signature': signature,
    },
    body,
  })
}

/** Presses a button on the page of the stand-in, as a person there would. */
export const pressInSandbox = (gate: TestGate, message: SandboxMessage, action = 'gate_approve') =>
  fetch(new URL('/slack/press', gate.sandbox.url), {
    method: 'POST',
    redirect: 'manual',
    body: new URLSearchParams({ message: message.id, action }),
  })

/** What the form of a decision page carries. */
export const shownOn = (html: string): string => /name="shown" value="([0-9a-f]{64})"/.exec(html)![1]!

/** A block of a message: plain text, a quote, or buttons. */
export interface SlackBlock {
  type: string
  text?: { type: string; text: string; emoji?: boolean }
  elements?: { type?: string; value?: string; elements?: { type: string; text: string }[] }[]
}

/** What blocks show: entities are read in plain text, and are characters in a quote. */
export const shownInSlack = (blocks: SlackBlock[]): string[] =>
  blocks.flatMap(({ type, text, elements = [] }) => {
    if (type === 'section') return [readEntities(text!.text)]
    return type === 'rich_text'
      ? elements.map((quote) => quote.elements!.map((one) => one.text).join(''))
      : []
  })

const readEntities = (text: string) =>
  text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&')

/** Opens a decision link as a person would, and presses a button. */
export async function decideBy(link: string, does = 'confirm', visitor = browser()): Promise<PageAnswer> {
  const page = await visitor.open(link)
  if (page.status !== 200) return page
  return visitor.send(link, { does, shown: shownOn(page.html) })
}

/** Puts together again what a card breaks where a window would. */
export const inOneLine = (text: string): string => text.replaceAll('\n┊ ', '')
