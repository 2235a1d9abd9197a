import { inviteAdmin } from '../../src/operations/admins/invite-admin.ts'
import type { BenchAccount } from './accounts.ts'
import type { Services } from './services.ts'

/** Signs an administrator in. @returns what builds the request for a page of the console */
export async function administratorOf(
  services: Services,
  { account }: BenchAccount,
): Promise<(path: string) => string> {
  const link = await inviteAdmin({ db: services.db, account, session: null }, 'root@example.com')
  const answer = await fetch(new URL(link, services.apiUrl), {
    method: 'POST',
    redirect: 'manual',
    headers: { 'sec-fetch-site': 'same-origin', 'content-type': 'application/x-www-form-urlencoded' },
  })
  const cookies = answer.headers.getSetCookie().map((cookie) => cookie.split(';', 1)[0]!)
  if (answer.status !== 303) throw new Error(`not signed in: ${answer.status} ${await answer.text()}`)
  return (path) => pageRequest(path, cookies.join('; '))
}

let visits = 0

/** From another address each time, because pages are limited by address. */
function pageRequest(path: string, cookie: string): string {
  const place = ++visits
  const address = `10.${(place >> 16) & 255}.${(place >> 8) & 255}.${place & 255}`
  return (
    `GET ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\ncookie: ${cookie}\r\nx-forwarded-for: ${address}\r\n` +
    'sec-fetch-site: same-origin\r\n\r\n'
  )
}
