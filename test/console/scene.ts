import { randomBase62 } from '../../src/keys/api-key.ts'
import { type TestPasskey, testPasskey } from '../support/authenticator.ts'
import { parseKeyRing } from '../../src/secrets/key-ring.ts'
import { ringOf } from '../support/connect.ts'
import { addPasskey } from '../support/passkeys.ts'
import { callTool } from '../support/mcp-tool.ts'
import { type Visitor, invitation, signedInByMail } from '../support/console.ts'
import type { TestAccount } from '../support/account.ts'
import type { ApiClient } from '../support/api-client.ts'
import type { TestGate } from '../support/gate.ts'
import { connectedApp } from '../support/connected-app.ts'
import { customerDeletion, declare } from '../support/declared-kind.ts'
import { putMandate } from '../support/mandate.ts'
import { testHook } from '../support/runner.ts'
import { addTool, addUpstream, changeTool } from '../support/tools-behind-gate.ts'
import { addEndpoint } from '../../src/operations/events/endpoints.ts'
import { changeGroupMembers, createGroup } from '../../src/operations/groups/groups.ts'
import { makeConversation } from '../support/site.ts'

/** Text that is markup wherever somebody forgets to escape it. */
export const markup = `<img src=x onerror=alert(1)>"'&<script>alert(2)</script>`

export interface Scene extends TestAccount {
  client: ApiClient
  admin: Visitor
  /** What stands for each named part of a path. */
  params: Record<string, string>
}

/** An account in which everything that pages show is there, with a name that is markup; and an administrator of it. */
export async function sceneOf(gate: TestGate, mailbox: string, provider = 'stripe'): Promise<Scene> {
  const account = await gate.account()
  const own = await account.addMember({
    name: `Ada ${markup}`,
    email: mailbox,
    slack: 'U0ADA',
    tier: 'write',
  })
  await account.addMember({ name: `Bea ${markup}`, slack: 'U0BEA' })
  await account.addCurriculum({
    slug: 'safe-sending',
    title: `Safe ${markup}`,
    modules: 2,
    grants: 'guarded_write',
  })
  await account.pass(own, 'safe-sending', 1)
  await declare(gate.deps.db, account.account, customerDeletion({ description: `First ${markup}` }))
  await declare(gate.deps.db, account.account, customerDeletion({ description: `Delete ${markup}` }))
  // An MCP server where nobody listens, with a tool in quarantine.
  const upstream = `up-${provider}`
  const described = (words: string) => ({ name: 'write', description: `${words} ${markup}` })
  await addUpstream(gate.database, account, { name: upstream, url: 'http://127.0.0.1:9/mcp' })
  await addTool(gate.database, account, upstream, described('First'))
  await changeTool(gate.database, account, upstream, described('Then'))
  const { body } = await account.client.propose({ email: mailbox }, `Lunch ${markup}`)
  const refund = await callTool(account.client, 'issue_refund', {
    actor: { email: mailbox },
    payment: 'pi_Sandbox05',
    amount_cents: 4500,
  })
  await account.setPolicy({ open_max_per_member: 50, passkey_settles_after_hours: 0, kinds: {} })
  // The row connects it: no key is needed to look at it, or to take it away.
  await gate.database.asSuperuser(`
    insert into gate.integration (account_id, integration_id, provider, state, action_id, member_id, settings, fingerprint, connected_at)
    values ('${account.account}', 'int_${randomBase62(16)}', '${provider}', 'connected', ${refund.body.id}, '${own.memberId}',
      '{"last4":"ount","server":"mail.one.example:465","sandbox":true}', 'x', now())`)
  // The command line seems to have changed it a moment ago.
  await gate.database.asSuperuser(`
    insert into gate.identity_change (account_id, member_id, via, set_at, changed_at, changed_by)
    values ('${account.account}', '${own.memberId}', 'slack', now(), now(), 'admin')`)
  const previewId = `prev_${randomBase62(20).toLowerCase()}`
  await makeConversation(gate, account.account, 'site', [own])
  // A host seems to show it: the row that started it is the one before.
  await gate.database.asSuperuser(`
    insert into gate.preview (account_id, preview_id, conversation_id, action_id, state, started_at, expires_at)
    values ('${account.account}', '${previewId}', 'site', ${refund.body.id}, 'running', now(), now() + interval '1 hour')`)
  // The invitation goes by mail: a printed link is for an administrator alone, and this one is a member too.
  await invitation(gate, account.account, mailbox)
  const admin = await signedInByMail(gate, mailbox)
  await admin.send('/console/keys/new', { name: `Key ${markup}`, power_read: 'on', power_propose: 'on' })
  await connectedApp(gate.deps, account.account, mailbox, { name: `App ${markup}` })
  const [app] = await gate.database.asSuperuser(
    `select grant_id from gate.app_grant where account_id = '${account.account}'`,
  )
  // Another administrator, to have one to remove.
  await invitation(gate, account.account, `second-${mailbox}`)
  const [second] = await gate.database.asSuperuser(
    `select admin_id from gate.admin where account_id = '${account.account}' and email = 'second-${mailbox}'`,
  )
  await gate.database.asSuperuser(`
    insert into gate.company_sign_in (account_id, issuer, client_id, ciphertext, wrapped_key, kid, links_by_mailbox, roles, is_only)
    values ('${account.account}', 'https://id.example', 'gate', 'x', 'x', 'k1', true, '{}', false);
    insert into gate.company_identity (account_id, identity_id, issuer, subject, member_id, linked_by)
    values ('${account.account}', 'idn_${provider.padEnd(16, '0')}', 'https://id.example', 'Sub ${markup.replaceAll("'", "''")}',
      '${own.memberId}', 'company')`)
  // A machine, with a call in the list and one in the ledger.
  const hook = await testHook(gate, account, own)
  await hook.ask({ file_path: '/work/project/README.md' }, { tool: `Read ${markup}` })
  await hook.ask({ file_path: `/root/.ssh/${markup}` }, { tool: 'Read' })
  const mandate = await putMandate(gate.database, account, {
    member: own,
    keyId: hook.keyId,
    commands: [`npm test ${markup}`],
  })
  const passkey = await addPasskey(admin, testPasskey({ origin: originOf(gate) }), markup)
  const administration = { db: gate.deps.db, account: account.account, session: null }
  const group = await createGroup(administration, `Group ${markup}`)
  await changeGroupMembers(administration, group, { add: [own.memberId] })
  const event = `evt_${'0'.repeat(32)}`
  // It signs nothing here.
  const service = { keys: gate.deps.secretsKeys ?? parseKeyRing(ringOf('k1')), allowed: [] }
  const { endpoint } = await addEndpoint(administration, service, {
    url: 'https://example.com/events',
    description: `Endpoint ${markup}`,
    types: null,
    isFull: true,
  })
  await gate.database.asSuperuser(`
    insert into gate.event_delivery (account_id, endpoint_id, event_id, type, at, action_id, state, ended_at, attempts)
    values ('${account.account}', '${endpoint}', '${event}', 'action.proposed', now(), ${body.id}, 'given_up', now(), 10);
    insert into gate.event_attempt (account_id, endpoint_id, event_id, n, at, ms, status, answer)
    values ('${account.account}', '${endpoint}', '${event}', 10, now(), 12, 500, $$${markup}$$)`)
  const delegation = account.account.replace('acct_', 'dlg_')
  await gate.database.asSuperuser(
    `insert into gate.delegation (account_id, delegation_id, from_member, to_member, kinds, until, reason, created_at)
    select m.account_id, '${delegation}', '${own.memberId}', m.member_id, '{refund}', now() + interval '1 day', $$${markup}$$, now()
    from gate.member m where m.account_id = '${account.account}' and m.slack = 'U0BEA'`,
  )
  const device = account.account.replace('acct_', 'dev_')
  await gate.database.asSuperuser(
    `insert into gate.push_device (account_id, device_id, member_id, endpoint, public_key, auth, browser)
    values ('${account.account}', '${device}', '${own.memberId}', 'https://push.example.com/a',
      decode(repeat('04', 65), 'hex'), decode(repeat('00', 16), 'hex'), $$${markup}$$)`,
  )
  // What others must approve, and the admin may execute alone; and what was executed alone.
  const cy = await account.addMember({ name: `Cy ${markup}`, email: `cy-${mailbox}`, tier: 'guarded_write' })
  const waiting = await account.client.propose({ email: cy.email! }, `Emergency ${markup}`)
  await gate.database.asSuperuser(`
    update gate.action set consented_at = now(), approval_rule = '{"needed": 1, "from": {"members": ["${own.memberId}"]},
      "distinct_from": ["proposer"], "min_strength": "page",
      "break_glass": {"members": ["${own.memberId}"], "review_within_hours": 1}}'
    where account_id = '${account.account}' and id = ${waiting.body.id};
    insert into gate.glass_break (account_id, action_id, member_id, digest, channel, card, passkey, reason, at, review_due_at)
    select m.account_id, ${waiting.body.id}, m.member_id, 'x', 'console', '\\x00', '{}', $$${markup}$$, now(), now()
    from gate.member m where m.account_id = '${account.account}' and m.slack = 'U0BEA'`)
  // Another browser, to have a session to end.
  await signedInByMail(gate, mailbox)
  const listed = (await admin.open('/console/sessions')).html
  const session = /\/console\/sessions\/(ses_\w{16})\/end"/.exec(listed)![1]!
  return {
    ...account,
    admin,
    params: {
      admin: String(second!['admin_id']),
      client: 'codex',
      app: String(app!['grant_id']),
      key: account.keyId,
      member: own.memberId,
      session,
      device,
      delegation,
      identity: `idn_${provider.padEnd(16, '0')}`,
      passkey: await passkeyIdOf(gate, passkey),
      mandate: String(mandate),
      id: String(body.id),
      waiting: String(waiting.body.id),
      broken: String(waiting.body.id),
      curriculum: 'safe-sending',
      group,
      endpoint,
      event,
      declared: 'customer_deletion',
      version: '2',
      kind: 'refund',
      preview: previewId,
      entry: '2',
      provider,
      via: 'slack',
      upstream,
      tool: 'write',
    },
  }
}

/** The site that the passkeys of a gate are for: browsers know a machine's own address as localhost alone. */
const originOf = (gate: TestGate): string => gate.api.url.replace('127.0.0.1', 'localhost')

async function passkeyIdOf(gate: TestGate, { credential }: TestPasskey): Promise<string> {
  const [stored] = await gate.database.asSuperuser(
    `select passkey_id from gate.passkey where credential = '\\x${credential.toString('hex')}'`,
  )
  return String(stored!['passkey_id'])
}

/** The address of a page, with what the scene has in the place of its named parts. */
export function addressOf(path: string, params: Record<string, string>): string {
  return path.replaceAll(/:(\w+)/g, (_, name: string) => {
    const value = params[name]
    if (value === undefined) throw new Error(`the scene has nothing for :${name} of ${path}: add it`)
    return value
  })
}
