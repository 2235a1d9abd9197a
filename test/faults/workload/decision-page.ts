import { shownOn } from '../../support/consent.ts'
import type { TestPasskey } from '../../support/authenticator.ts'
import { formOf } from '../../support/form-of.ts'
import { signedForm } from '../../support/passkeys.ts'
import type { Dice } from '../schedule/dice.ts'
import { type Reply, patienceMs, replyOf } from './answers.ts'
import type { Decision, DecisionVerb, Journal } from './journal.ts'

/** What a member did on the page of a link, and what they were shown before it. */
export type PageDecision = Pick<Decision, 'reply' | 'shown' | 'edit' | 'reason' | 'isSigned'>

interface Turn {
  url: string
  verb: DecisionVerb
  /** How often they change it before they approve. */
  edits: number
  chance: Dice
  journal: Journal
  /** The member's own, where they have one. */
  passkey: TestPasskey | undefined
}

/**
 * Opens the page of a link and presses a button; some change the proposal first, and some say why they decline. Undefined: there
 * was no page to decide on, so nothing was decided.
 */
export async function decideOnPage(turn: Turn): Promise<PageDecision | undefined> {
  const { url, verb, edits, chance } = turn
  const page = await textOf(url).catch(() => undefined)
  if (page?.status !== 200) return undefined
  if (verb === 'cancel') {
    const reason = chance.isTrue(0.7) ? `Split it in two, please: ${chance.int(1, 999)}.` : undefined
    const form = { does: 'decline', shown: shownOn(page.text), ...(reason === undefined ? {} : { reason }) }
    return { reply: await press(url, form), reason }
  }
  const edit = chance.isTrue(edits) ? changesOn(page.text, chance) : undefined
  if (edit) return approveWithChanges(turn, page.text, edit)
  return pressApprove(turn, page.text)
}

/** Approves what a page shows, signed where it asks for a passkey. Sometimes the passkey has signed a no. */
async function pressApprove(
  { url, chance, journal, passkey }: Turn,
  page: string,
  other: Record<string, string> = {},
): Promise<PageDecision> {
  const isAsked = passkey !== undefined && page.includes('data-nonce=')
  const isNo = isAsked && chance.isTrue(0.1)
  const form = isAsked ? signedForm(page, passkey, isNo ? 'decline' : 'confirm') : formOf(page)
  const reply = await press(url, { ...form, ...other, does: 'confirm' })
  if (isNo && reply.outcome === 'ok')
    journal.odd('a passkey that signed a no is no yes', JSON.stringify(reply))
  return { reply, shown: digestShown(page), isSigned: isAsked && !isNo }
}

/** Approves what the page of the changes shows. Sometimes another version of it is sent, which nobody was shown. */
async function approveWithChanges(
  turn: Turn,
  page: string,
  edit: Record<string, string>,
): Promise<PageDecision | undefined> {
  const { url, chance, journal } = turn
  const body = new URLSearchParams({ ...formOf(page), ...edit, does: 'edit' })
  const review = await textOf(url, { method: 'POST', body, headers: sameSite }).catch(() => undefined)
  if (review?.status === 200 && isRaised(page, edit))
    journal.odd('a member raises no amount', JSON.stringify(edit))
  if (review?.status !== 200) return undefined
  const other = chance.isTrue(0.1) ? changesOn(page, chance) : {}
  return { ...(await pressApprove(turn, review.text, other)), edit }
}

/** What a member changes: one field that the page offers, at times in a way that is refused. Undefined: it offers none. */
function changesOn(page: string, chance: Dice): Record<string, string> | undefined {
  const offered = Object.entries(formOf(page)).filter(([name]) => name.startsWith('change.'))
  if (offered.length === 0) return undefined
  const [name, was] = chance.pick(offered)
  if (name === 'change.recipients') return { [name]: chance.pick(['only in Slack', 'only by e-mail']) }
  if (name !== 'change.amount_cents') return { [name]: `${was} Changed ${chance.int(1, 999_999)}.` }
  const cents = Math.round(Number(was.replaceAll(',', '')) * 100)
  return { [name]: (chance.pick([cents - 1, Math.ceil(cents / 2), cents + 100]) / 100).toFixed(2) }
}

function isRaised(page: string, edit: Record<string, string>): boolean {
  const amount = edit['change.amount_cents']
  return (
    amount !== undefined && Number(amount) > Number(formOf(page)['change.amount_cents']!.replaceAll(',', ''))
  )
}

/** The beginning of the digest that stands on a card. */
export const digestShown = (text: string): string | undefined =>
  /\b[0-9a-f]{4}(?: [0-9a-f]{4}){3}\b/.exec(text)?.[0].replaceAll(' ', '')

async function press(url: string, fields: Record<string, string>): Promise<Reply> {
  let title: string | undefined
  const reply = await replyOf(async () => {
    const body = new URLSearchParams(fields)
    const { status, text } = await textOf(url, { method: 'POST', body, headers: sameSite })
    title = /<title>([^<]*)/.exec(text)?.[1]
    const isLost = text.includes('is unknown.')
    return { status, headers: new Headers(), body: { code: isLost ? 'outcome_unknown' : codeOf(status) } }
  })
  return { ...reply, body: { title } }
}

const sameSite = { 'sec-fetch-site': 'same-origin' }
const codeOf = (status: number) => (status === 503 ? 'unavailable' : undefined)

export async function textOf(url: string, init: RequestInit = {}): Promise<{ status: number; text: string }> {
  const answer = await fetch(url, { ...init, redirect: 'manual', signal: AbortSignal.timeout(patienceMs) })
  return { status: answer.status, text: await answer.text() }
}
