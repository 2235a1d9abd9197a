import { clickBody } from '../../support/consent.ts'
import type { FaultProvider } from '../../support/fault-provider.ts'
import { slackSignature } from '../../../src/providers/slack/signature.ts'
import { type System, slackApp } from '../system/system.ts'
import { answered } from './answered.ts'
import { replyOf } from './answers.ts'
import { type PageDecision, decideOnPage, digestShown, textOf } from './decision-page.ts'
import type { DecisionVerb } from './journal.ts'
import type { Lane } from './load.ts'

/** A request to decide that has arrived at a member. */
export interface Asked {
  marker: string
  account: string
  /** The id of the member who is asked; unknown of what no agent of this load proposed. */
  by: string | undefined
  /** They must approve what was proposed for another member. */
  isApprover: boolean
  via: 'email' | 'slack'
  /** The path of the link, or what the buttons carry. */
  token: string
  user: string
  /** The digest on the card in Slack. */
  shown?: string | undefined
}

/** What has arrived and was not answered, read from the stand-ins as it comes. */
interface MemberView {
  take(lane: Lane, of: 'member' | 'approver'): Asked | undefined
  /** The other requests to approve the same. */
  takeBeside(asked: Asked): Asked[]
}

let view: MemberView
export const memberRequests = (): MemberView => view

/** Starts to read what the stand-ins receive. */
export function memberView({ service: { provider } }: System): void {
  const waiting = { member: [] as Asked[], approver: [] as Asked[] }
  let [mails, requests] = [0, 0]
  const read = (lane: Lane) => {
    const found = [...askedByMail(provider, mails), ...askedInSlack(provider, requests)]
    ;[mails, requests] = [provider.emails.length, provider.requests.length]
    for (const arrived of found) {
      const asked = whoIsAsked(lane, arrived)
      waiting[asked.isApprover ? 'approver' : 'member'].push(asked)
    }
  }
  view = {
    take(lane, of) {
      read(lane)
      const some = waiting[of]
      return some.length === 0
        ? undefined
        : some.splice(lane.chance.int(0, Math.min(9, some.length - 1)), 1)[0]
    },
    takeBeside({ marker }) {
      const beside = waiting.approver.filter((one) => one.marker === marker)
      waiting.approver = waiting.approver.filter((one) => one.marker !== marker)
      return beside
    },
  }
}

type Arrived = Omit<Asked, 'account' | 'by' | 'isApprover'>

function whoIsAsked({ journal, scenes }: Lane, arrived: Arrived): Asked {
  const { marker, user } = arrived
  const intent = journal.intents.find((one) => one.marker === marker)
  const scene = scenes.find(({ account }) => account === intent?.account) ?? scenes[0]!
  const member = intent && scene.members.find(({ email, slack }) => user === email || user === slack)
  const isApprover = member !== undefined && member.email !== intent?.actor
  return { ...arrived, account: scene.account, by: member?.memberId, isApprover }
}

function askedByMail({ emails }: FaultProvider, from: number): Arrived[] {
  return emails.slice(from).flatMap(({ to, text }) => {
    const token = /\/decide\/[\w-]{43}/.exec(text)?.[0]
    const marker = /mark-\d+-end/.exec(text)?.[0]
    return token && marker ? [{ marker, via: 'email' as const, token, user: to }] : []
  })
}

function askedInSlack({ requests }: FaultProvider, from: number): Arrived[] {
  return requests.slice(from).flatMap(({ call, form }) => {
    if (call !== 'chat.postMessage' || form['blocks'] === undefined) return []
    const marker = /mark-\d+-end/.exec(form['blocks'])?.[0]
    const blocks = JSON.parse(form['blocks']) as { type: string; elements?: { value?: string }[] }[]
    const token = blocks.find(({ type }) => type === 'actions')?.elements?.[0]?.value
    const user = (form['channel'] ?? '').slice(1)
    return token && marker
      ? [{ marker, via: 'slack' as const, token, user, shown: digestShown(form['blocks']) }]
      : []
  })
}

/** A member's turn: answers one request. */
export async function memberTurn(lane: Lane): Promise<void> {
  const asked = view.take(lane, 'member')
  if (asked) await answerRequest(lane, asked, { confirms: 0.75, edits: 0.6 })
}

/** How often somebody approves, and changes it before. */
interface Habits {
  confirms: number
  edits: number
}

/** Answers a request to decide, sometimes twice. */
export async function answerRequest(lane: Lane, asked: Asked, { confirms, edits }: Habits): Promise<void> {
  const verb: DecisionVerb = lane.chance.isTrue(confirms) ? 'confirm' : 'cancel'
  for (let again = 0; again < 2; again++) {
    const decided =
      asked.via === 'email' ? await byLink(lane, asked, verb, edits) : await byButton(lane, asked, verb)
    if (!decided) return
    const { account, marker, via, by } = asked
    lane.journal.decisions.push({ account, marker, verb, via, ...(by && { by }), ...decided })
    answered(lane, { member: verb, via, by, of: marker, ...decided })
    const { reply } = decided
    if (reply.outcome !== 'unknown' && !lane.chance.isTrue(0.1)) return
  }
}

function byLink(
  { chance, journal, scenes, anyApi }: Lane,
  { token, user }: Asked,
  verb: DecisionVerb,
  edits: number,
) {
  const holder = scenes.flatMap(({ holders }) => holders).find(({ email }) => email === user)
  return decideOnPage({ url: anyApi() + token, verb, edits, chance, journal, passkey: holder?.passkey })
}

/** Slack's own request after a click. Its answer only says that it came: what was decided stays unknown. */
async function byButton(
  lane: Lane,
  { token, user, shown }: Asked,
  verb: DecisionVerb,
): Promise<PageDecision> {
  const action = verb === 'confirm' ? 'gate_approve' : 'gate_decline'
  const body = clickBody({ token, user, action, team: slackApp.team })
  const timestamp = String(Math.floor(Date.now() / 1_000))
  const signature = slackSignature({ timestamp, body: Buffer.from(body) }, slackApp.signingSecret)
  const reply = await replyOf(async () => {
    const { status } = await textOf(`${lane.anyApi()}/integrations/slack/interactions`, {
      method: 'POST',
      body,
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        'x-slack-request-timestamp': timestamp,
        'x-slack-signature': signature,
      },
    })
    return { status, headers: new Headers(), body: {} }
  })
  return { shown, reply: reply.outcome === 'ok' ? { ...reply, outcome: 'unknown' } : reply }
}
