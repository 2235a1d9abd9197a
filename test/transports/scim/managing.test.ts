import { expect, test } from '@jest/globals'
import { verifyLedger } from '../../../src/ledger/verify.ts'
import { mintKey } from '../../../src/operations/keys/mint-key.ts'
import { putGroup } from '../../../src/operations/directory/groups.ts'
import { gateOn } from '../../cli/gate-command.ts'
import { apiClient } from '../../support/api-client.ts'
import { signedInAdmin } from '../../support/console.ts'
import { formOf } from '../../support/form-of.ts'
import { useConsole } from '../../support/use-gate.ts'
import { scimClient, scimUser } from './client.ts'

const gate = useConsole()
const path = '/console/company/directory'

test('the token is made, rotated and ended in the console, at the command line, by program and from another machine', async () => {
  const { account, addMember } = await gate.account()
  await addMember({ name: 'Grace', email: 'grace@corp.example' })
  await addMember({ name: 'Linus', email: 'linus@corp.example' })
  const context = { db: gate.database.db, account, session: null }
  const works = async (token: string) => (await scimClient(gate.api.url, token).get('/Users')).status === 200

  const admin = await signedInAdmin(gate, account)
  const page = async () => (await admin.open(path)).html
  const made = await admin.send(path, { ...formOf(await page()), name: 'Okta' })
  const first = /<code class="secret">(qgk_\w+)</.exec(made.html)![1]!
  expect([made.text.includes('shown only once'), await works(first)]).toEqual([true, true])
  expect(await page()).not.toContain(first)

  const beside = gateOn({ DATABASE_URL: gate.database.serviceUrl })
  const json = async (run: Promise<{ stdout: string }>) => JSON.parse((await run).stdout)
  const second = await json(
    beside('directory', 'token', '--account', account, '--overlap-hours', '1', '--json'),
  )
  expect(second).toMatchObject({ key_id: expect.stringMatching(/^key_/), old_expires_at: expect.any(String) })
  expect([await works(first), await works(second.token)]).toEqual([true, true])
  const adopted = await json(
    beside('directory', 'adopt', '--account', account, '--email', 'grace@corp.example', '--json'),
  )
  expect(adopted).toEqual({ adopted: 1 })

  const rights = { powers: ['admin:directory.read', 'admin:directory.write', 'admin:keys.write'] as const }
  const office = await mintKey(context, {
    name: 'office',
    expiresAt: null,
    actors: [],
    rights: { powers: [...rights.powers] },
  })
  const api = apiClient(gate.api.url, office.apiKey)
  const third = await api.request('POST', '/api/v1/admin/directory/token', { body: { overlap_hours: 0 } })
  expect([third.status, await works(second.token), await works(third.body.token)]).toEqual([200, false, true])
  // No key makes or rotates one by the way of other keys.
  for (const [to, body] of [
    ['/api/v1/admin/keys', { name: 'x', powers: ['directory'] }],
    [`/api/v1/admin/keys/${third.body.key_id}/rotate`, {}],
  ] as const)
    expect([403, 422]).toContain((await api.request('POST', to, { body })).status)
  await putGroup(context, null, { name: 'Leads' })
  const remote = gateOn({ GATE_KEY: office.apiKey, DATABASE_URL: 'postgres://127.0.0.1:9/none' })
  const remotely = (...argv: string[]) => remote('--url', gate.api.url, ...argv, '--json')
  expect(await json(remotely('directory', 'adopt', '--all'))).toEqual({ adopted: 1 })
  expect(await json(remotely('directory', 'show'))).toMatchObject({
    tokens: [{ name: 'Okta', use: 'directory' }],
    users: 2,
    groups: 1,
  })

  // The console shows whose group it is, and ends the token.
  const groups = await admin.open('/console/groups')
  expect(groups.text).toContain('of the directory')
  const group = /\/console\/groups\/(grp_\w+)"/.exec(groups.html)![1]!
  const locked = await admin.open(`/console/groups/${group}`)
  expect(locked.text).toContain('keeps this group')
  expect(locked.html).not.toContain('Add members')
  await admin.send(`${path}/end`, formOf((await admin.open(`${path}/end`)).html))
  expect(await works(third.body.token)).toBe(false)
  expect((await scimClient(gate.api.url, third.body.token).post('/Users', scimUser('x'))).status).toBe(401)
  expect((await admin.open(`/console/groups/${group}`)).html).toContain('Add members')
  const again = await admin.send(`${path}/end`, formOf((await admin.open(`${path}/end`)).html))
  expect(again.text).toContain('has no token')
  expect(await verifyLedger(gate.database.db, account)).toMatchObject({ ok: true })
})
