import type { SandboxMessage } from '../../dev/sandbox/message-store.ts'
import { inviteAdmin } from '../../src/operations/admins/invite-admin.ts'
import { type PageAnswer, browser } from './connect.ts'
import { type GateOptions, type TestGate, startGate } from './gate.ts'
import { until } from './until.ts'

export interface Visitor {
  cookies: Map<string, string>
  /** Opens a page by its path. */
  open(path: string, method?: string): Promise<PageAnswer>
  /** Sends a form of it. */
  send(path: string, fields?: Record<string, string>): Promise<PageAnswer>
}

/** A gate that takes a visitor's address from a proxy: each visitor has one of their own, with bounds of its own. */
export const startConsole = (options: GateOptions = {}): Promise<TestGate> =>
  startGate({ workers: false, ...options, env: { TRUST_PROXY: 'true', ...options.env } })

let visitors = 0

/** A browser at the console, where nobody is signed in. */
export function visitor(gate: TestGate, site?: string): Visitor {
  const place = ++visitors
  const { cookies, open, send } = browser(site, { 'x-forwarded-for': `10.0.${place >> 8}.${place & 255}` })
  return {
    cookies,
    open: (path, method) => open(new URL(path, gate.api.url), method),
    send: (path, fields) => send(new URL(path, gate.api.url), fields),
  }
}

/** The path of a link that the command line would print. */
export const invitation = (gate: TestGate, account: string, email: string): Promise<string> =>
  inviteAdmin({ db: gate.database.db, account, session: null }, email)

/** Somebody who was invited as an administrator, and signed in. */
export async function signedInAdmin(
  gate: TestGate,
  account: string,
  email = 'root@example.com',
): Promise<Visitor> {
  return throughLink(visitor(gate), await invitation(gate, account, email))
}

/** Somebody who asked for a link to their mailbox, and signed in by it. */
export async function signedInByMail(gate: TestGate, email: string): Promise<Visitor> {
  const someone = visitor(gate)
  return throughLink(someone, await linkByMail(gate, someone, email))
}

/** Asks for a link, and waits for the mail. @returns the path of the first link in it */
export async function linkByMail(gate: TestGate, someone: Visitor, email: string): Promise<string> {
  // Other mails may come meanwhile: requests to decide.
  const links = () =>
    mailsTo(gate, email).flatMap(({ text }) => /\/console\/sign-in\/[\w-]{43}/.exec(text)?.[0] ?? [])
  const before = links().length
  await someone.send('/console/sign-in', { email })
  return until(`a link to ${email}`, async () => links()[before])
}

/** The mails to an address that the sandbox keeps, oldest first. */
export const mailsTo = (gate: TestGate, email: string): SandboxMessage[] =>
  gate.sandbox
    .messages()
    .filter(({ channel, to }) => channel === 'email' && to.toLowerCase() === email.toLowerCase())
    .toReversed()

async function throughLink(someone: Visitor, path: string): Promise<Visitor> {
  const answer = await someone.send(path)
  if (answer.status !== 303) throw new Error(`not signed in: ${answer.status} ${answer.text}`)
  return someone
}
