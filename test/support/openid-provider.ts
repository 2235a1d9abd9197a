import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Provider } from 'oidc-provider'
import { browser } from './connect.ts'
import type { Visitor } from './console.ts'

/** A real OpenID provider. */
export interface RealProvider {
  issuer: string
  /** What its tokens say of a person, by what they log in as. Absent: a subject and a verified mailbox. */
  people: Map<string, Record<string, unknown>>
  /** Signs somebody in to an account of the gate, through the pages of the provider. */
  signIn(
    someone: Visitor,
    account: string,
    login: string,
    query?: string,
  ): Promise<{ there: ReturnType<typeof browser>; answer: Awaited<ReturnType<Visitor['open']>> }>
  stop(): Promise<void>
}

export const providerSecret = 'a secret of the gate'

/** @param gateUrl  where the gate is; accounts: those that it signs in to */
export async function realProvider(gateUrl: string, accounts: string[]): Promise<RealProvider> {
  const people: RealProvider['people'] = new Map()
  const server = createServer()
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const restore = quiet()
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: 'gate',
        client_secret: providerSecret,
        redirect_uris: accounts.map((account) => `${gateUrl}${pathOf(account)}/back`),
        post_logout_redirect_uris: [`${gateUrl}/console/sign-in`],
        response_types: ['code'],
        grant_types: ['authorization_code'],
      },
    ],
    claims: {
      openid: ['sub', 'groups', 'oid'],
      email: ['email', 'email_verified'],
      acr: null,
      auth_time: null,
    },
    conformIdTokenClaims: false,
    cookies: { keys: ['a key of cookies'] },
    features: { devInteractions: { enabled: true } },
    findAccount: (_context, id) => ({
      accountId: id,
      claims: () => ({ sub: id, email: `${id}@one.example`, email_verified: true, ...people.get(id) }),
    }),
  })
  server.on('request', provider.callback())
  return {
    issuer,
    people,
    async signIn(someone, account, login, query = '') {
      const there = browser('same-origin')
      const begun = await someone.open(`${pathOf(account)}/start${query}`)
      const back = await throughProvider(there, { at: begun.headers.get('location')!, login, gateUrl })
      return { there, answer: await someone.open(back) }
    },
    stop: () =>
      new Promise((done) => {
        server.close(() => {
          restore()
          done()
        })
      }),
  }
}

/** The provider says on the console that it keeps everything in memory, and which of its pages and times are its own. */
function quiet(): () => void {
  const { warn, info } = console
  Object.assign(console, { warn: () => {}, info: () => {} })
  return () => void Object.assign(console, { warn, info })
}

/** Where an account's sign-in with the company is. */
export const pathOf = (account: string): string => `/console/sign-in/company/${account}`

/** Walks the pages of the provider, until it sends the person back to the gate. */
async function throughProvider(
  there: ReturnType<typeof browser>,
  { at: start, login, gateUrl }: { at: string; login: string; gateUrl: string },
) {
  let at = start
  for (let step = 0; step < 12; step++) {
    let page = await there.open(at)
    if (page.status === 200) {
      const action = /action="([^"]+)"/.exec(page.html)![1]!
      const prompt = /name="prompt" value="(\w+)"/.exec(page.html)![1]!
      page = await there.send(new URL(action, at), {
        prompt,
        ...(prompt === 'login' ? { login, password: 'x' } : {}),
      })
    }
    const location = page.headers.get('location')
    if (location === null) throw new Error(`the provider answers ${page.status}: ${page.text}`)
    at = new URL(location, at).href
    if (at.startsWith(gateUrl)) return at
  }
  throw new Error('the provider does not end')
}
