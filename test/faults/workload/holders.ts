import { type TestPasskey, testPasskey } from '../../support/authenticator.ts'
import { browser } from '../../support/connect.ts'
import { addPasskey } from '../../support/passkeys.ts'
import { until } from '../../support/until.ts'
import type { System } from '../system/system.ts'
import { type Reply, patienceMs, replyOf } from './answers.ts'
import type { Lane } from './load.ts'

/** A member who is signed in at the console, in a browser that has a passkey of theirs. */
export interface Holder {
  email: string
  browser: ReturnType<typeof browser>
  passkey: TestPasskey
}

let browsers = 0

/** Signs a member in by a link to their mailbox, and adds a passkey on the page, before any fault. */
export async function makeHolder({ service }: System, email: string): Promise<Holder> {
  const api = service.urlOf('api')
  // An address of its own: sign-ins are limited by network.
  const address = { 'x-forwarded-for': `10.9.${++browsers}.1` }
  const visitor = browser('same-origin', address, patienceMs)
  await visitor.send(`${api}/console/sign-in`, { email })
  const path = await until(`a link to ${email}`, async () => {
    const mail = service.provider.emails.findLast(({ to, text }) => to === email && linkIn(text))
    return mail && linkIn(mail.text)
  })
  await visitor.send(api + path)
  // Browsers know the machine's own address as `localhost` alone.
  const origin = Object.assign(new URL(api), { hostname: 'localhost' }).origin
  const at = {
    cookies: visitor.cookies,
    open: (page: string) => visitor.open(api + page),
    send: (page: string, fields?: Record<string, string>) => visitor.send(api + page, fields),
  }
  return { email, browser: visitor, passkey: await addPasskey(at, testPasskey({ origin })) }
}

const linkIn = (text: string) => /\/console\/sign-in\/[\w-]{43}/.exec(text)?.[0]

/** Sends a form of the console. @returns with where it leads, if it was taken */
export async function sendForm(
  { anyApi }: Lane,
  { browser }: Holder,
  path: string,
  form: Record<string, string>,
): Promise<{ reply: Reply; to?: string | undefined }> {
  let to: string | undefined
  const reply = await replyOf(async () => {
    const { status, headers, text } = await browser.send(anyApi() + path, form)
    if (status === 303) to = headers.get('location') ?? undefined
    const code = text.includes('is unknown.') ? 'outcome_unknown' : 'unavailable'
    return {
      status: status === 303 ? 200 : status,
      headers,
      body: { code: status === 503 ? code : undefined },
    }
  })
  return { reply, to }
}
