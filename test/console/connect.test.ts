import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { agentClientIds, agentClients } from '../../src/keys/agent-clients.ts'
import { apiClient } from '../support/api-client.ts'
import { type Visitor, signedInAdmin, signedInByMail, startConsole } from '../support/console.ts'
import { formOf } from '../support/form-of.ts'
import type { TestGate } from '../support/gate.ts'

const path = '/console/connect'

let gate: TestGate
beforeAll(async () => {
  gate = await startConsole()
}, 60_000)
afterAll(() => gate.stop())

let companies = 0
async function company() {
  const account = await gate.account()
  const email = `ada${++companies}@example.com`
  const ada = await account.addMember({ name: 'Ada', email, tier: 'guarded_write' })
  return { email, ...account, ada, root: await signedInAdmin(gate, account.account) }
}

const refreshOf = ({ headers }: { headers: Headers }) => headers.get('refresh')

/** Mints a key on the page of a client. */
async function minted(root: Visitor, client: string, member: string) {
  const page = await root.send(`${path}/${client}`, { member, name: 'Ada’s agent' })
  expect(page.status).toBe(200)
  const [, key] = /<code class="secret">(qgk_\w+)<\/code>/.exec(page.html)!
  const [, waiting] = new RegExp(`href="(${path}/${client}/key_\\w+)"`).exec(page.html)!
  return { page, key: key!, waiting: waiting! }
}

test('a new key is in the lines, once, reads and proposes for one member, and its page waits until it is used', async () => {
  const { root, ada, email } = await company()
  const { page, key, waiting } = await minted(root, 'codex', email)
  expect(page.html).toContain(`http_headers = { Authorization = &quot;Bearer ${key}&quot; }`)
  expect(page.html).toContain(`url = &quot;${gate.api.url}/api/mcp&quot;`)
  expect(page.text).toContain('Reads and proposes every kind of action for 1 member only. Cannot confirm.')
  expect(refreshOf(page)).toBeNull()

  const before = await root.open(waiting)
  expect(before.text).toContain('waiting No call has arrived with this key.')
  expect(before.html).not.toContain(key)
  expect(before.html).not.toContain('<form method="post">')
  expect(refreshOf(before)).toBe(`3; url=${waiting}?refreshed=1`)

  const client = apiClient(gate.api.url, key)
  expect((await client.capability({})).status).toBe(200)
  const after = await root.open(`${waiting}?refreshed=1`)
  expect(after.text).toMatch(/connected The last call arrived (just now|\d+ seconds? ago)/)
  expect(after.text).toMatch(/Acts for Ada guarded_write/)
  expect(after.text).toContain('Decides The member.')
  expect(after.html).toContain(`href="/console/members/${ada.memberId}"`)
  expect(refreshOf(after)).toBe(`30; url=${waiting}?refreshed=2`)
})

test('what the agent may do is that of the key and of its member at this moment', async () => {
  const { root, ada, addMember, mintKey, revokeKey, setTier } = await company()
  const bea = await addMember({ name: 'Bea', email: 'bea@example.com', tier: 'write' })
  const limited = await mintKey({
    actors: [ada, bea],
    powers: ['read', 'propose', 'confirm'],
    kinds: ['refund'],
    actionsPerDay: 5,
    networks: ['10.0.0.0/8'],
  })
  const page = async () => (await root.open(`${path}/claude-code/${limited.keyId}`)).text
  expect(await page()).toContain(
    'Reads, proposes and confirms refunds for 2 members only, at most 5 actions a day, from 10.0.0.0/8.',
  )
  expect(await page()).toMatch(/Ada guarded_write .* Bea write/)
  expect(await page()).toContain('The agent, where the policy lets its word count. Otherwise the member.')
  await setTier(ada, 'read_only')
  expect(await page()).toMatch(/Ada read_only/)
  await revokeKey(limited.keyId)
  const revoked = await root.open(`${path}/claude-code/${limited.keyId}`)
  expect([revoked.text, refreshOf(revoked)]).toEqual([
    expect.stringContaining('This key is revoked or expired.'),
    null,
  ])
})

test('a form sent again mints no second key, leads to the page that waits, and one of no member is refused', async () => {
  const { root, email } = await company()
  const form = formOf((await root.open(`${path}/gemini`)).html)
  const filled = { ...form, member: email }
  expect(filled).toMatchObject({ name: 'Gemini CLI' })
  expect((await root.send(`${path}/gemini`, filled)).status).toBe(200)
  const again = await root.send(`${path}/gemini`, filled)
  expect([again.status, again.headers.get('location')]).toEqual([
    303,
    expect.stringMatching(/^\/console\/connect\/gemini\/key_/),
  ])
  const unknown = await root.send(`${path}/gemini`, { member: 'nobody@example.com', name: 'X' })
  expect([unknown.status, unknown.html]).toEqual([422, expect.stringContaining('href="#member"')])
})

test('an administrator who is a member finds their own address in the form', async () => {
  const { account, ada } = await company()
  await signedInAdmin(gate, account, ada.email!)
  const own = await signedInByMail(gate, ada.email!)
  expect(formOf((await own.open(`${path}/cursor`)).html)).toMatchObject({ member: ada.email })
})

test('every client has a page, those that sign in have no key and say what is missing, and no other is there', async () => {
  const { root, keyId } = await company()
  const { html } = await root.open(path)
  for (const id of agentClientIds) {
    expect(html).toContain(`href="${path}/${id}"`)
    const page = await root.open(`${path}/${id}`)
    if (agentClients[id].is === 'hosted') {
      expect([page.text, page.html]).toEqual([
        expect.stringContaining('OAUTH_URL'),
        expect.not.stringContaining('<form method="post"><input type="hidden" name="form_id"'),
      ])
      expect((await root.send(`${path}/${id}`, { member: 'ada@example.com', name: 'X' })).status).toBe(422)
      expect((await root.open(`${path}/${id}/${keyId}`)).status).toBe(404)
    } else expect(page.html).toContain(`${path}/${id}/${keyId}`)
  }
  expect((await root.open(`${path}/constructor`)).status).toBe(404)
})
