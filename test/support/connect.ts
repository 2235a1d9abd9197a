import { randomBase62 } from '../../src/keys/api-key.ts'
import { connectTokenHash, newToken, sessionTokenHash } from '../../src/keys/link-token.ts'
import type { ApiClient } from './api-client.ts'
import type { TestGate } from './gate.ts'
import { type ToolAnswer, callTool } from './mcp-tool.ts'
import { until } from './until.ts'

/** A ring of one key, for gates that keep credentials. */
export const ringOf = (...kids: string[]): string =>
  kids.map((kid) => `${kid}:${Buffer.alloc(32, kid).toString('base64')}`).join()

export interface PageAnswer {
  status: number
  headers: Headers
  html: string
  /** The page as a person reads it: its texts, one white space between words. */
  text: string
}

/**
 * A browser without a mind: it keeps cookies of one host, follows nothing by itself, and says where forms come from.
 * @param patienceMs  how long it waits for an answer; absent: as long as `fetch` does
 */
export function browser(
  site: string | undefined = 'same-origin',
  always: Record<string, string> = {},
  patienceMs?: number,
) {
  const cookies = new Map<string, string>()
  const visit = async (url: string | URL, init: RequestInit = {}): Promise<PageAnswer> => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const response = await fetch(url, {
      redirect: 'manual',
      ...(patienceMs === undefined ? {} : { signal: AbortSignal.timeout(patienceMs) }),
      ...init,
      headers: {
        ...always,
        ...(cookie === '' ? {} : { cookie }),
        ...(init.headers as Record<string, string>),
      },
    })
    for (const set of response.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(set)!
      if (/max-age=0|expires=thu, 01 jan 1970/i.test(set)) cookies.delete(name!)
      else cookies.set(name!, value!)
    }
    const html = await response.text()
    const text = html
      .replaceAll('<wbr />', '')
      .replace(/<style>[^]*?<\/style>|<[^>]+>/g, ' ')
      .replaceAll('&#39;', "'")
      .replace(/\s+/g, ' ')
      .trim()
    return { status: response.status, headers: response.headers, html, text }
  }
  return {
    cookies,
    open: (url: string | URL, method = 'GET') => visit(url, { method }),
    send: (url: string | URL, fields: Record<string, string> = {}) =>
      visit(url, {
        method: 'POST',
        body: new URLSearchParams(fields),
        headers: site === undefined ? {} : { 'sec-fetch-site': site },
      }),
  }
}

/** What a person enters on each page that has a key to enter. */
export const goodForm = {
  stripe: { key: 'rk_test_51OwnKeyOfTheAccount' },
  resend: { key: 're_OwnKeyOfTheAccount', sender: 'Acme <hello@acme.example>' },
  smtp: {
    server: 'smtp.acme.example:587',
    user: 'gate@acme.example',
    key: 'own pass:word@Of ünser',
    sender: 'Acme <hello@acme.example>',
  },
  teams: {
    key: 'https://prod-1.westus.logic.azure.example:443/workflows/own?api-version=2016-06-01&sig=Own-Secret_1',
    room: 'Announcements',
  },
  teams_bot: {
    tenant: '11111111-2222-4333-8444-555555555555',
    app_id: 'aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee',
    key: 'own~Secret.Of_The-Bot',
  },
} as const

export const askToConnect = (client: ApiClient, actor: unknown, provider: string): Promise<ToolAnswer> =>
  callTool(client, 'connect_integration', { actor, provider })

/** Asks for a link that must be given, and answers it. */
export async function linkFor(
  client: ApiClient,
  actor: unknown,
  provider: string,
): Promise<{ url: string; id: number }> {
  const { body } = await askToConnect(client, actor, provider)
  if (body.status !== 'pending') throw new Error(`no link: ${JSON.stringify(body)}`)
  return { url: body.connect_url, id: body.action.id }
}

/** At Slack's stand-in: presses Allow, and answers where it leads. */
export async function allowAtSlack(authorizeUrl: string, decision = 'allow'): Promise<string> {
  const page = await (await fetch(authorizeUrl)).text()
  const hidden = [...page.matchAll(/type="hidden" name="([^"]+)" value="([^"]*)">/g)].map(
    ([, name, value]) => [name!, value!.replaceAll('&amp;', '&')],
  )
  const answer = await fetch(authorizeUrl, {
    method: 'POST',
    redirect: 'manual',
    body: new URLSearchParams([...hidden, ['decision', decision]] as [string, string][]),
  })
  return answer.headers.get('location')!
}

/** The parts of a gate that sign somebody in beside its mails. */
type Signing = Pick<TestGate, 'database' | 'config'>

/** A browser in which the member whom a link is for is signed in, as if by a link in their mailbox. */
export async function signedInFor(gate: Signing, url: string, visitor = browser()) {
  const session = newToken()
  const link = connectTokenHash(new URL(url).pathname.split('/').at(-1)!)
  const rows = await gate.database.asSuperuser(`
    insert into gate_private.session (token, session_id, account_id, mailbox, member_id, expires_at)
    select '\\x${sessionTokenHash(session).toString('hex')}', 'ses_${randomBase62(16)}', l.account_id, b.hash, a.member_id,
      now() + interval '1 day'
    from gate_private.connect_link l
    join gate.action a on a.account_id = l.account_id and a.id = l.action_id
    join gate_private.mailbox b on b.account_id = a.account_id and b.holder = a.member_id
    where l.token = '\\x${link.toString('hex')}'
    returning session_id`)
  if (rows.length !== 1) throw new Error('the member of this link has no mailbox to sign in by')
  const isSecure = gate.config.PUBLIC_URL?.startsWith('https:')
  visitor.cookies.set(isSecure ? '__Host-session' : 'session', session)
  return visitor
}

type Browser = ReturnType<typeof browser>

/** Brings a key, and opens the page that shows what it changes; where the key is refused, the page that says why. */
export async function bring(
  visitor: Browser,
  url: string,
  form: Record<string, string>,
): Promise<PageAnswer> {
  const answer = await visitor.send(url, form)
  return answer.status === 303 ? visitor.open(new URL(answer.headers.get('location')!, url)) : answer
}

/** The fields that the button of a page sends. */
export const hiddenFields = ({ html }: PageAnswer): Record<string, string> =>
  Object.fromEntries(
    [...html.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)"/g)].map(([, n, v]) => [n!, v!]),
  )

/** Brings a key and confirms what it changes; where something is refused, the page that says why. */
export async function connectBy(
  visitor: Browser,
  url: string,
  form: Record<string, string>,
): Promise<PageAnswer> {
  const review = await bring(visitor, url, form)
  return review.status === 200 ? visitor.send(url, hiddenFields(review)) : review
}

/** The same as the member whom the link is for. */
export const connectAsMember = async (
  gate: Signing,
  url: string,
  form: Record<string, string>,
): Promise<PageAnswer> => connectBy(await signedInFor(gate, url), url, form)

/** The whole way of a link to Slack and back, for somebody who is signed in: to the page that shows what changes. */
export async function allowSlack(visitor: Browser, url: string): Promise<PageAnswer> {
  const begun = await visitor.send(url)
  const callback = await allowAtSlack(begun.headers.get('location')!)
  const back = await visitor.open(callback)
  return back.status === 200 ? visitor.open(url) : back
}

/** The same, and confirms it. */
export async function installSlack(visitor: Browser, url: string): Promise<PageAnswer> {
  const review = await allowSlack(visitor, url)
  return review.status === 200 ? visitor.send(url, hiddenFields(review)) : review
}

/** Connects whatever provider, as the member would. */
export async function connect(
  gate: Signing,
  client: ApiClient,
  actor: unknown,
  provider: 'slack' | 'stripe' | 'resend' | 'smtp' | 'teams' | 'teams_bot',
) {
  const { url, id } = await linkFor(client, actor, provider)
  const visitor = await signedInFor(gate, url)
  const page =
    provider === 'slack'
      ? await installSlack(visitor, url)
      : await connectBy(visitor, url, goodForm[provider])
  if (page.status !== 200 && page.status !== 202)
    throw new Error(`not connected: ${page.status} ${page.text}`)
  // The page waits for a while alone.
  await until(`${provider} is in use`, async () => (await client.get(id)).body.status === 'executed')
  return { id, page }
}

/** Has the account that an account's money moves through be changed then. */
export const stripeChanged = (gate: Signing, account: string, when: string) =>
  gate.database.asSuperuser(
    `update gate.account set stripe_changed_at = ${when}, stripe_change = 'connected' where account_id = '${account}'`,
  )
