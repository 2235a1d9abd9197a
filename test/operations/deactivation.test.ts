import { expect, test } from '@jest/globals'
import { setMemberActive } from '../../src/operations/members/set-member-active.ts'
import { mintKey } from '../../src/operations/keys/mint-key.ts'
import { approvalScene } from '../approvals/scene.ts'
import { connectedApp } from '../support/connected-app.ts'
import { entriesOf } from '../support/ledger-entries.ts'
import { sessionOfMember, signMandate, strict } from '../support/mandate-scene.ts'
import { storePasskey } from '../support/stored-passkey.ts'
import { until } from '../support/until.ts'
import { useConsole } from '../support/use-gate.ts'
import { whileTampered } from '../ledger/tampered.ts'

const gate = useConsole({ workers: true })

/** Bea, with everything that a member can have, who approved an action of Ada's and consented to one of her own. */
async function scene() {
  const one = await approvalScene(gate, {
    needed: 1,
    escalate_after_minutes: 60,
    escalate_to: { tier: 'write' },
  })
  const { account, people, rule } = one
  const { bea } = people
  await one.setTier(bea, 'write')
  await one.setPolicy(strict)
  const by = await sessionOfMember(gate, account, bea)
  const { memberId } = bea
  const { passkeyId } = await storePasskey(gate.database.db, { account, memberId, session: by.tokenHash })
  const agent = await mintKey(one.administration, {
    name: 'her own',
    expiresAt: null,
    actors: [{ email: bea.email! }],
  })
  const mandate = await signMandate(gate, by, {
    agent: agent.keyId,
    allows: [{ kind: 'broadcast' }],
    until: new Date(Date.now() + 86_400_000).toISOString(),
  } as never)
  const app = await connectedApp(gate.deps, account, bea.email!)
  await one.setRule({ ...rule, needed: 2 })
  const [hers, adas] = [
    (await one.client.propose({ email: bea.email }, 'Of Bea.')).body.id as number,
    await one.propose('Of Ada.'),
  ]
  await one.client.confirm(hers, { email: bea.email })
  await one.confirm(adas)
  await one.press('bea', adas)
  // She is asked about a third one, and on a device.
  const open = await one.propose('Of Ada, too.')
  await one.confirm(open)
  const requests = () =>
    gate.database.asSuperuser(`
      select q.state, q.token is null as is_gone, t.used_at is not null as is_over
      from gate.consent_request q
      left join gate_private.consent_token t using (account_id, action_id, n)
      where q.account_id = '${account}' and q.action_id = ${open} and q.member_id = '${memberId}'`)
  await until('she is asked', async () => (await requests()).length > 0)
  await gate.database.asSuperuser(`
    insert into gate.push_device (account_id, device_id, member_id, endpoint, public_key, auth)
    values ('${account}', 'dev_0123456789abcdef', '${memberId}', 'https://push.example', decode(repeat('00', 65), 'hex'),
      decode(repeat('00', 16), 'hex'))`)
  const api = (bearer: string) =>
    fetch(`${gate.api.url}/api/v1/actions`, { headers: { authorization: `Bearer ${bearer}` } })
  return { ...one, requests, bea, by, passkeyId, agent, mandate, app, hers, adas, api }
}

test('a deactivation ends everything that a member had, in one entry, and to activate them gives none of it back', async () => {
  const one = await scene()
  const { bea, administration, account } = one
  const before = (await entriesOf(gate.database, account)).length
  await setMemberActive(administration, bea.memberId, false)
  const told = (await entriesOf(gate.database, account)).slice(before)
  // Workers write beside it.
  const [ended, ...more] = told.filter(({ entry }) => entry.actor === 'admin')
  expect([ended!.kind, more]).toEqual(['member_changed', []])
  expect(ended!.entry.data['ended']).toEqual({
    apps: [expect.stringMatching(/^app_/)],
    keys: expect.arrayContaining([one.agent.keyId]),
    passkeys: [one.passkeyId],
    mandates: [one.mandate],
    approvals: [one.hers, one.adas],
  })
  expect(await one.verified()).toMatchObject({ ok: true })
  for (const [table, change, found] of tampered)
    expect(await whileTampered(gate.database, account, table, change, one.verified)).toMatchObject(found)
  await setMemberActive(administration, bea.memberId, true)
  // Sessions, tokens and keys.
  expect((await one.open('bea', one.adas)).status).not.toBe(200)
  expect((await one.api(one.app.access_token)).status).toBe(401)
  expect((await one.api(one.agent.apiKey)).status).toBe(401)
  // Her consent and her approval: each is asked for again, and counts again.
  expect((await one.row(one.hers)).status).toBe('proposed')
  await one.press('cy', one.adas)
  expect((await one.row(one.adas)).consent).toBeUndefined()
  await one.press('dan', one.adas)
  expect((await one.row(one.adas)).consent).toBeDefined()
  await one.client.confirm(one.hers, { email: bea.email })
  await one.press('cy', one.hers)
  await one.press('dan', one.hers)
  expect((await one.row(one.hers)).consent).toBeDefined()
  const rest = await gate.database.asSuperuser(`
    select (select count(*)::int from gate.push_device where account_id = '${account}') as devices,
      (select count(*)::int from gate.passkey where account_id = '${account}' and removed_at is null) as passkeys,
      (select count(*)::int from gate.mandate where account_id = '${account}' and ended_at is null) as mandates`)
  expect(rest).toEqual([{ devices: 0, passkeys: 0, mandates: 0 }])
  expect((await one.requests()).filter(({ is_over: isOver }) => !isOver)).toEqual([])
  expect(await one.verified()).toMatchObject({ ok: true })
})

const tampered = [
  ['gate.approval', 'update gate.approval set ended_at = null where $ours', { ok: false, place: 'action 2' }],
  [
    'gate.mandate',
    'update gate.mandate set ended_at = null, ended_by = null where $ours',
    { ok: false, place: 'action 1' },
  ],
  ['gate.passkey', 'update gate.passkey set removed_at = null, removed_by = null where $ours', { ok: false }],
  ['gate.app_grant', 'update gate.app_grant set ended_at = null where $ours', { ok: false }],
  ['gate.api_key', 'update gate.api_key set revoked_at = null where $ours', { ok: false }],
] as const
