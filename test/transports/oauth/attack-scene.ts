import { Writable } from 'node:stream'
import { pino } from 'pino'
import {
  type AppScene,
  answerApp,
  appScene,
  authorization,
  callMcp,
  codeIn,
  sendForm,
} from '../../support/connected-app.ts'
import { type Visitor, signedInByMail, visitor } from '../../support/console.ts'

/** Names that do not resolve to where they seem to be. */
const names: Record<string, string[]> = {
  'rebound.example': ['93.184.216.34', '10.0.0.2'],
  'private.example': ['10.0.0.1'],
}

/** A gate that apps can be connected to, with Ada signed in, and what attackers send. */
export interface AttackScene extends AppScene {
  ada: Visitor
  account: Awaited<ReturnType<AppScene['gate']['account']>>
  /** What the gate logged, and every code, verifier and token that it must not have. */
  logged: string[]
  secrets: string[]
  token(
    fields: Record<string, string | undefined>,
    headers?: Record<string, string>,
  ): ReturnType<typeof sendForm>
  /** How the tools answer to a token. */
  mcp(given: string | undefined): Promise<number>
  /** A code that Ada's browser took to the app, with what redeems it. */
  freshCode(): Promise<Record<'grant_type' | 'client_id' | 'redirect_uri' | 'code' | 'code_verifier', string>>
  /** The page that an app sends somebody to who is not signed in. */
  opened(
    changed: Record<string, string | undefined>,
    client?: string,
    redirect?: string,
  ): ReturnType<Visitor['open']>
  /** How many connections there are. */
  grants(): Promise<number>
}

export async function attackScene(): Promise<AttackScene> {
  const [logged, secrets]: string[][] = [[], []]
  const out = new Writable({
    write(line, _encoding, done) {
      logged!.push(String(line))
      done()
    },
  })
  const scene = await appScene({
    log: pino({ level: 'trace' }, out),
    network: {
      allowed: ['127.0.0.0/8'],
      resolve: async (host) => {
        if (host === '127.0.0.1') return [{ address: host, family: 4 }]
        return (names[host] ?? []).map((address) => ({ address, family: 4 as const }))
      },
    },
  })
  const { gate, base, home } = scene
  const account = await gate.account()
  await account.addMember({ email: 'ada@example.com', tier: 'guarded_write' })
  const ada = await signedInByMail(gate, 'ada@example.com')
  return {
    ...scene,
    ada,
    account,
    logged: logged!,
    secrets: secrets!,
    async token(fields, headers) {
      const answer = await sendForm(`${base}/oauth/token`, fields, headers)
      for (const name of ['access_token', 'refresh_token'])
        if (answer.body[name]) secrets!.push(answer.body[name])
      return answer
    },
    mcp: (given) => callMcp(`${base}/mcp`, given).then(({ status }) => status),
    async freshCode() {
      const { verifier, path } = authorization(home.client, home.redirect)
      const code = codeIn(await answerApp(ada, path))
      secrets!.push(code, verifier)
      return {
        grant_type: 'authorization_code',
        client_id: home.client,
        redirect_uri: home.redirect,
        code,
        code_verifier: verifier,
      }
    },
    opened: (changed, client = home.client, redirect = home.redirect) =>
      visitor(gate).open(authorization(client, redirect, changed).path),
    grants: async () =>
      Number((await gate.database.asSuperuser('select count(*)::int as n from gate.app_grant'))[0]!['n']),
  }
}
