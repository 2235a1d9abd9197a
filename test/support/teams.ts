import type { SandboxMessage } from '../../dev/sandbox/message-store.ts'
import { type CardButton, buttonsOf, cardText } from '../../dev/sandbox/teams/adaptive-card.ts'
import { pressActivity } from '../../dev/sandbox/teams/bot.ts'
import { type ConnectorKey, type TokenParts, connectorToken } from '../../dev/sandbox/teams/bot-keys.ts'
import { goodForm } from './connect.ts'
import type { TestGate } from './gate.ts'
import { until } from './until.ts'

/** A request to decide, as it stands in a person's Teams. */
export interface TeamsRequest {
  message: SandboxMessage
  text: string
  buttons: CardButton[]
}

/** The requests that are in a person's Teams, oldest first. */
export const teamsRequests = (gate: TestGate, person: string): TeamsRequest[] =>
  gate.sandbox
    .messages(1_000)
    .filter(({ channel, to }) => channel === 'teams_bot' && to === person)
    .map((message) => ({ message, text: cardText(message.blocks), buttons: buttonsOf(message.blocks) }))
    .toReversed()

/** Waits until a person was asked so many times in Teams; answers the last request. */
export const askedInTeams = (gate: TestGate, person: string, times = 1): Promise<TeamsRequest> =>
  until(`${person} is asked in Teams`, async () => teamsRequests(gate, person)[times - 1])

/** How a press differs from what Teams sends. */
export interface Press {
  verb?: string
  /** Replaces parts of the activity; undefined: left out. */
  activity?: Record<string, unknown>
  token?: TokenParts
  /** Instead of the connector's. */
  key?: ConnectorKey
  /** The whole header. */
  authorization?: string
  /** The whole body. */
  body?: string
  /** Makes the bytes of the body from its text. */
  spoil?: (text: string) => Buffer
}

/** Sends a press to the gate as Teams would, or nearly. */
export async function pressInTeams(
  gate: TestGate,
  { message, buttons }: TeamsRequest,
  {
    verb = 'gate_approve',
    activity = {},
    token,
    key = gate.sandbox.connector,
    authorization,
    body,
    spoil = Buffer.from,
  }: Press = {},
): Promise<{ status: number; says: string | undefined }> {
  const serviceUrl = new URL('/teams-bot/service/', gate.sandbox.url).href
  const button = buttons.find((one) => one.verb === verb) ?? { verb, data: {} }
  const { app } = message.metadata as { app: string }
  const answer = await fetch(`${gate.api.url}/teams/messages`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json; charset=utf-8',
      authorization: authorization ?? `Bearer ${connectorToken(key, { app, serviceUrl }, token)}`,
    },
    body: new Uint8Array(
      spoil(body ?? JSON.stringify({ ...pressActivity(message, button, serviceUrl), ...activity })),
    ),
  })
  const said = (await answer.json().catch(() => ({}))) as { value?: string }
  return { status: answer.status, says: said.value }
}

/** The bot that `connect` connects. */
export const ownBot = { tenant: goodForm.teams_bot.tenant, app: goodForm.teams_bot.app_id }
