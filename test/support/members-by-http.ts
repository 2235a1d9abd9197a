import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { askedByMail, decideBy } from './consent.ts'
import { browser } from './connect.ts'
import { customerDeletion, declare } from './declared-kind.ts'
import { formOf } from './form-of.ts'
import type { TestGate } from './gate.ts'

interface Decision {
  email: string
  /** Which of the member's consent requests so far. */
  times?: number
  does?: 'confirm' | 'decline'
  /** Fields that the member changes before they approve. */
  changes?: Record<string, string>
}

const card = [
  { label: 'Customer', value: '/customer/id', format: 'text' },
  { label: 'Why', value: '/why', format: 'text' },
]
const editableDeletion = customerDeletion({ card, editable: ['/why'] })

/** Accounts, and members who decide, for test programs in other languages and processes. */
export async function startMembers(gate: TestGate) {
  let accounts = 0

  async function account({
    email = `ada-${(accounts += 1)}@example.com`,
    kind = editableDeletion,
  }: { email?: string; kind?: Record<string, unknown> } = {}) {
    const account = await gate.account()
    const reader = `rea-${email}`
    await account.addMember({ name: 'Ada', email, tier: 'guarded_write' })
    await account.addMember({ name: 'Rea', email: reader, tier: 'read_only' })
    await declare(gate.deps.db, account.account, kind)
    return { url: gate.api.url, account: account.account, key: account.key, email, reader }
  }

  async function decide({ email, times = 1, does = 'confirm', changes }: Decision) {
    const { link } = await askedByMail(gate, email, times)
    if (!changes) return { status: (await decideBy(link, does)).status }
    const visitor = browser()
    const form = formOf((await visitor.open(link)).html)
    const changed = Object.entries(changes).map(([name, text]) => [`change.${name}`, text])
    const review = await visitor.send(link, { ...form, ...Object.fromEntries(changed), does: 'edit' })
    return { status: (await visitor.send(link, { ...formOf(review.html), does: 'confirm' })).status }
  }

  const does: Record<string, (asked: any) => Promise<unknown>> = { '/account': account, '/decide': decide }
  const server = createServer(async (request, response) => {
    const sent: Buffer[] = []
    for await (const bytes of request) sent.push(bytes as Buffer)
    const answer = await does[request.url!]!(JSON.parse(Buffer.concat(sent).toString() || '{}')).then(
      (body) => ({ status: 200, body }),
      (error: unknown) => ({ status: 500, body: { error: String(error) } }),
    )
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(JSON.stringify(answer.body))
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  return {
    account,
    decide,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: () => new Promise((closed) => server.close(closed).closeAllConnections()),
  }
}
