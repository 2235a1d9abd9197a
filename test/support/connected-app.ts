import { hash } from 'node:crypto'
import { findMember } from '../../src/db/queries/members/members.ts'
import type { Deps } from '../../src/deps.ts'
import { connectApp } from '../../src/operations/apps/connect-app.ts'
import { type TokenAnswer, issueTokens } from '../../src/operations/apps/issue-tokens.ts'
import { sessionOf } from './session.ts'
import { newToken } from '../../src/keys/link-token.ts'
import type { PageAnswer } from './connect.ts'
import { type Visitor, startConsole } from './console.ts'
import type { GateOptions, TestGate } from './gate.ts'
import { testPort } from './test-port.ts'
import { type AppHome, appHome } from './app-home.ts'

/** A gate that apps can be connected to, and the home of an app: its document, and where it has people sent back to. */
export interface AppScene {
  gate: TestGate
  base: string
  home: AppHome
  stop(): Promise<void>
}

export async function appScene(options: GateOptions = {}): Promise<AppScene> {
  const port = await testPort()
  const base = `http://127.0.0.1:${port}`
  const home = await appHome()
  const gate = await startConsole({
    network: { allowed: ['127.0.0.0/8'] },
    ...options,
    env: { PORT: String(port), OAUTH_URL: base, ...options.env },
  })
  return {
    gate,
    base,
    home,
    async stop() {
      await gate.stop()
      await home.close()
    },
  }
}

/** A request to be connected, with what the app keeps of it. */
export function authorization(
  client: string,
  redirect: string,
  changed: Record<string, string | undefined> = {},
) {
  const verifier = newToken()
  const given: Record<string, string | undefined> = {
    response_type: 'code',
    client_id: client,
    redirect_uri: redirect,
    code_challenge: hash('sha256', verifier, 'base64url'),
    code_challenge_method: 'S256',
    state: 'st&te',
    ...changed,
  }
  return { verifier, path: `/oauth/authorize?${present(given)}` }
}

/** Fields without those that are left out. */
const present = (fields: Record<string, string | undefined>) =>
  new URLSearchParams(
    Object.entries(fields).filter((field): field is [string, string] => field[1] !== undefined),
  )

/** The address of a page that leads on by itself. */
export const leadsTo = ({ headers }: PageAnswer): string => headers.get('refresh')?.split('url=')[1] ?? ''

/** The fields of the form on a page that was sent, as a browser sends them back. */
export function fieldsOn({ html }: PageAnswer): Record<string, string> {
  const main = html.slice(html.indexOf('<main'))
  const inputs = [...main.matchAll(/<input[^>]*>/g)].map(([tag]) => ({
    name: attribute(tag, 'name'),
    value: attribute(tag, 'value'),
    isSent: !/type="checkbox"/.test(tag) || /\bchecked\b/.test(tag),
  }))
  return Object.fromEntries(inputs.filter(({ isSent }) => isSent).map(({ name, value }) => [name, value]))
}

const attribute = (tag: string, name: string): string =>
  (new RegExp(` ${name}="([^"]*)"`).exec(tag.replaceAll(/\s+/g, ' '))?.[1] ?? '')
    .replaceAll('&amp;', '&')
    .replaceAll('&#39;', "'")

/** Opens what an app asks, as a signed-in person, and answers it. @returns where that leads */
export async function answerApp(
  person: Visitor,
  path: string,
  changed: Record<string, string> = { answer: 'connect' },
): Promise<PageAnswer> {
  const first = await person.open(path)
  const page = await person.open(leadsTo(first))
  return person.send('/console/apps/connect', { ...fieldsOn(page), ...changed })
}

/** The code that a person's answer takes to an app. */
export const codeIn = (answer: PageAnswer): string =>
  new URL(answer.headers.get('location') ?? 'http://none.invalid').searchParams.get('code') ?? ''

export interface FormAnswer {
  status: number
  headers: Headers
  // Tests look into answers of every shape.
  body: any
}

/** Sends a form as a program does. */
export async function sendForm(
  url: string,
  fields: Record<string, string | undefined>,
  headers: Record<string, string> = {},
): Promise<FormAnswer> {
  const answer = await fetch(url, { method: 'POST', body: present(fields), headers })
  return { status: answer.status, headers: answer.headers, body: await answer.json() }
}

/** An app that a member has connected, without its pages. @returns its tokens */
export async function connectedApp(
  given: Deps,
  account: string,
  email: string,
  { name = 'Chat' } = {},
): Promise<TokenAnswer> {
  const deps = { ...given, config: { OAUTH_URL: 'https://gate.example', ...given.config } }
  const tokenHash = await sessionOf(deps, account, email)
  const { memberId: member } = (await findMember(deps.db, account, { email }))!
  const verifier = newToken()
  const id = 'https://chat.example/client.json'
  const location = await connectApp(
    deps,
    { account, tokenHash },
    {
      client: { id, name: 'Chat', redirects: [], documentHost: 'chat.example', account: null, secret: null },
      host: 'chat.example',
      name,
      redirect: 'https://chat.example/callback',
      challenge: hash('sha256', verifier, 'buffer'),
      state: undefined,
      powers: ['read', 'propose'],
    },
    {
      member,
      powers: ['read', 'propose'],
      kinds: null,
      actionsPerDay: null,
      centsPerDay: null,
    },
  )
  const code = new URL(location).searchParams.get('code')!
  const fields = { grant_type: 'authorization_code', code, code_verifier: verifier }
  return issueTokens(deps, { id, secret: undefined }, fields)
}

/** Calls a method of MCP at an address, with a token. */
export async function callMcp(
  url: string,
  token: string | undefined,
  method = 'tools/list',
  params: object = {},
): Promise<FormAnswer> {
  const answer = await fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  })
  return { status: answer.status, headers: answer.headers, body: await answer.json() }
}
