import { type ApiClient } from './api-client.ts'
import { type ToolAnswer, callTool } from './mcp-tool.ts'

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

/** A browser without a mind: it keeps cookies of one host, follows nothing by itself, and says where forms come from. */
export function browser(site: string | undefined = 'same-origin', always: Record<string, string> = {}) {
  const cookies = new Map<string, string>()
  const visit = async (url: string | URL, init: RequestInit = {}): Promise<PageAnswer> => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const response = await fetch(url, {
      redirect: 'manual',
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

/** The whole way of a link to Slack and back. */
export async function installSlack(url: string, visitor = browser()): Promise<PageAnswer> {
  const begun = await visitor.send(url)
  const callback = await allowAtSlack(begun.headers.get('location')!)
  return visitor.open(callback)
}

/** Connects whatever provider, as a person would. */
export async function connect(client: ApiClient, actor: unknown, provider: 'slack' | 'stripe' | 'resend') {
  const { url, id } = await linkFor(client, actor, provider)
  const page = provider === 'slack' ? await installSlack(url) : await browser().send(url, goodForm[provider])
  if (page.status !== 200) throw new Error(`not connected: ${page.status} ${page.text}`)
  return { id, page }
}
