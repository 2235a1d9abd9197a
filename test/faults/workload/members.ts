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
interface Asked {
  marker: string
  account: string
  via: 'email' | 'slack'
  /** The path of the link, or what the buttons carry. */
  token: string
  user: string
  /** The digest on the card in Slack. */
  shown?: string | undefined
}

/** What has arrived and was not answered, read from the stand-ins as it comes. */
interface MemberView {
  take(lane: Lane): Asked | undefined
}

let view: MemberView

/** Starts to read what the stand-ins receive. */
export function memberView({ service: { provider } }: System): void {
  const waiting: Asked[] = []
  let [mails, requests] = [0, 0]
  view = {
    take({ chance, scenes, journal }) {
      const accountOf = (marker: string) => journal.intents.find((one) => one.marker === marker)?.account
      const found = [...askedByMail(provider, mails), ...askedInSlack(provider, requests)]
      ;[mails, requests] = [provider.emails.length, provider.requests.length]
      for (const asked of found) {
        const account = accountOf(asked.marker) ?? scenes[0]!.account
        waiting.push({ ...asked, account })
      }
      return waiting.length === 0
        ? undefined
        : waiting.splice(chance.int(0, Math.min(9, waiting.length - 1)), 1)[0]
    },
  }
}

function askedByMail({ emails }: FaultProvider, from: number): Omit<Asked, 'account'>[] {
  return emails.slice(from).flatMap(({ to, text }) => {
    const token = /\/decide\/[\w-]{43}/.exec(text)?.[0]
    const marker = /mark-\d+-end/.exec(text)?.[0]
    return token && marker ? [{ marker, via: 'email' as const, token, user: to }] : []
  })
}

function askedInSlack({ requests }: FaultProvider, from: number): Omit<Asked, 'account'>[] {
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

/** A member's turn: answers one request, sometimes twice. */
export async function memberTurn(lane: Lane): Promise<void> {
  const asked = view.take(lane)
  if (!asked) return
  const verb: DecisionVerb = lane.chance.isTrue(0.75) ? 'confirm' : 'cancel'
  for (let again = 0; again < 2; again++) {
    const decided =
      asked.via === 'email' ? await byLink(lane, asked, verb) : await byButton(lane, asked, verb)
    if (!decided) return
    const { account, marker, via } = asked
    lane.journal.decisions.push({ account, marker, verb, via, ...decided })
    answered(lane, { member: verb, via, of: marker, ...decided })
    const { reply } = decided
    if (reply.outcome !== 'unknown' && !lane.chance.isTrue(0.1)) return
  }
}

function byLink({ chance, journal, scenes, anyApi }: Lane, { token, user }: Asked, verb: DecisionVerb) {
  const holder = scenes.flatMap(({ holders }) => holders).find(({ email }) => email === user)
  return decideOnPage({ url: anyApi() + token, verb, chance, journal, passkey: holder?.passkey })
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
