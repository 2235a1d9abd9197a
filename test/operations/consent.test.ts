import { randomUUID } from 'node:crypto'
import { describe, expect, test } from '@jest/globals'
import { cardHash, cardText } from '../../src/consent/card.ts'
import { readAction } from '../../src/db/queries/actions/actions.ts'
import { remindConsent } from '../../src/db/queries/actions/consent.ts'
import { consentTokenHash, newToken } from '../../src/keys/link-token.ts'
import { verifyLedger } from '../../src/ledger/verify.ts'
import { eraseAsAdmin } from '../../src/operations/actions/erase-payload.ts'
import { cardOfRow } from '../../src/operations/consent/card-of-row.ts'
import { decideAsMember } from '../../src/operations/decisions/decide-as-member.ts'
import { entriesOf, entryKindsOf, overtake } from '../support/ledger-entries.ts'
import { billingScene } from '../support/billing.ts'
import { browser } from '../support/connect.ts'
import {
  askedByMail,
  askedInSlack,
  decideBy,
  linksTo,
  pressInSandbox,
  shownOn,
  slackRequests,
  inOneLine,
} from '../support/consent.ts'
import { useGate } from '../support/use-gate.ts'
import { sessionOf } from '../support/session.ts'
import { callTool } from '../support/mcp-tool.ts'
import { until } from '../support/until.ts'

const gate = useGate()

const asks = (consent: string) => ({ kinds: { broadcast: { tier: 'guarded_write', consent } } })

let people = 0
/** An account whose policy asks for a consent, and a member with both identities who proposed a broadcast. */
async function scene(
  consent: string,
  identities: { email?: string; slack?: string } = bothIdentities(),
  expiresAfterHours = 168,
) {
  const account = await gate.account()
  await account.setPolicy({ ...asks(consent), expires_after_hours: expiresAfterHours })
  const ada = await account.addMember({ name: 'Ada Lovelace', ...identities, tier: 'guarded_write' })
  const actor = ada.email === null ? { provider: 'slack', external_id: ada.slack } : { email: ada.email }
  const proposed = await account.client.propose(actor, 'Lunch is at noon.')
  const id = proposed.body.id as number
  return {
    ...account,
    ada,
    actor,
    id,
    proposed: proposed.body,
    row: async () => (await account.client.get(id)).body,
    /** Gives the member another Slack identity. */
    moveInSlack: (slack: string) =>
      gate.database.asSuperuser(
        // The change must be long ago: an identity that was just changed is not asked.
        `update gate.member set slack = '${slack}', version = version + 1 where account_id = '${account.account}';
         delete from gate.identity_change where account_id = '${account.account}'`,
      ),
    /** Waits until the last request was sent, or refused. */
    lastRequest: (state: 'sent' | 'failed') =>
      until(`the last request is ${state}`, async () => {
        const [request] = await gate.database.asSuperuser(
          `select state from gate.consent_request where account_id = '${account.account}' order by n desc limit 1`,
        )
        return request?.['state'] === state
      }),
    ended: () =>
      until('the row has ended', async () => {
        const { body } = await account.client.get(id)
        return body.status !== 'proposed' && body
      }),
  }
}

const bothIdentities = () => ({ email: `ada${++people}@example.com`, slack: `U0000ADA${people}` })
/** Identities that the stand-in for Slack, or for Resend, refuses. */
const goneFromSlack = () => ({ ...bothIdentities(), slack: `U0GONE${people}` })
const refusedByMail = () => ({ ...bothIdentities(), email: `ada..${people}@example.com` })

test('a floor of chat: the confirm answers 202, the member is asked in Slack, and their click executes it', async () => {
  const { account, client, ada, actor, id, proposed, ended } = await scene('chat')
  expect(proposed.consent_required).toBe('chat')
  const asked = await client.confirm(id, actor)
  expect([asked.status, asked.headers.get('location')]).toEqual([202, `/api/v1/actions/${id}`])
  expect(asked.body).toMatchObject({
    status: 'proposed',
    consent_request: {
      required: 'chat',
      requested_via: 'slack',
      requested_at: expect.any(String),
      next: expect.stringMatching(/Do not confirm again\. Wait with GET .*wait=50/),
    },
  })
  expect(asked.body).not.toHaveProperty('consent')
  const request = await askedInSlack(gate, ada.slack!)
  expect(request.text).toContain('│ Lunch is at noon.')
  expect(request.text).toContain(proposed.digest.slice(0, 4))
  expect(request.message.action).toBe(id)

  expect((await pressInSandbox(gate, request.message)).status).toBe(303)
  const row = await ended()
  expect(row).toMatchObject({
    status: 'executed',
    consent: { strength: 'chat', by: ada.email, channel: 'slack' },
    result: { outcome: 'done', slack: 1 },
  })
  expect(row).not.toHaveProperty('consent_request')
  const entries = await entriesOf(gate.database, account, id)
  expect(entries.map(({ kind }) => kind)).toEqual([
    'proposed',
    'consent_requested',
    'consent_message_frozen',
    'confirmed',
    'delivered',
    'executed',
  ])
  expect(entries[3]!.entry).toMatchObject({
    actor: ada.memberId,
    key: null,
    data: { strength: 'chat', channel: 'slack', card: expect.stringMatching(/^[0-9a-f]{64}$/) },
  })
  await until('the outcome is told', async () =>
    slackRequests(gate, ada.slack!)[0]!.text.includes('Message sent'),
  )
  expect(slackRequests(gate, ada.slack!)[0]!.token).toBeUndefined()
  expect(slackRequests(gate, ada.slack!)[0]!.text).toMatch(
    /Approved in Slack by Ada Lovelace, \S+ \S+ UTC\. Message sent to 1 person\./,
  )
  expect(await verifyLedger(gate.database.db, account)).toMatchObject({ ok: true })
})

test('a floor of page: the link in the mailbox shows the card, and its form executes it', async () => {
  const { account, client, ada, actor, id, ended } = await scene('page')
  const asked = await client.confirm(id, actor)
  expect(asked.body.consent_request).toMatchObject({ required: 'page', requested_via: 'email' })
  const { link, text, subject } = await askedByMail(gate, ada.email!)
  expect(subject).toBe('Approval requested: Message to every active member')
  expect(text).toContain('│ Lunch is at noon.')
  const visitor = browser()
  const page = await visitor.open(link)
  expect([page.status, page.text]).toEqual([200, expect.stringContaining('│ Lunch is at noon.')])
  const done = await visitor.send(link, { does: 'confirm', shown: shownOn(page.html) })
  expect([done.status, done.text]).toEqual([
    200,
    expect.stringContaining('You approved this. Message sent to 1 person.'),
  ])
  expect(await ended()).toMatchObject({
    status: 'executed',
    consent: { strength: 'page', by: ada.email, channel: 'email' },
  })
  // The page says what it was about, now and whenever the link is opened again; what was written only now.
  const about =
    /Message to every active member Number: #1 Proposed: \S+ \S+ UTC, by agent &quot;test&quot; Decided: \S+ \S+ UTC, with the link in the e-mail/
  expect(done.text.replace('Message: “Lunch is at noon.” ', '')).toMatch(about)
  expect(done.text).toContain('Message: “Lunch is at noon.” Number: #1')
  const again = await visitor.open(link)
  expect([again.status, again.text]).toEqual([410, expect.stringMatching(about)])
  expect(again.text).not.toContain('Lunch')
  expect(again.html).not.toContain('name="does"')
  const twice = await visitor.send(link, { does: 'decline', shown: shownOn(page.html) })
  expect([twice.status, twice.text]).toEqual([410, expect.stringMatching(about)])
  expect(await verifyLedger(gate.database.db, account)).toMatchObject({ ok: true })
})

test('over MCP the same: the row with consent_request is a result, and it executes by itself', async () => {
  const { client, ada, actor, id, ended } = await scene('chat')
  const { isError, body } = await callTool(client, 'confirm_action', { id, actor })
  expect([isError, body.consent_request?.required]).toEqual([false, 'chat'])
  await pressInSandbox(gate, (await askedInSlack(gate, ada.slack!)).message)
  expect(await ended()).toMatchObject({ status: 'executed', consent: { strength: 'chat' } })
})

test('a policy may ask by amount: a small refund goes by the word of the agent, a large one and every payout by a page', async () => {
  const { account, writer, tool } = await billingScene(gate)
  const page = (tier: string) => ({ bands: { usd: [{ tier, consent: 'page' }] } })
  const refund = {
    bands: {
      usd: [{ up_to_cents: 10_000, tier: 'write', consent: 'agent_attested' }, ...page('write').bands.usd],
    },
  }
  await account.setPolicy({ kinds: { refund, payout: page('write') } })
  const small = await tool('issue_refund', { payment: 'pi_Sandbox05', amount_cents: 4_500 }, writer)
  expect(small.body.consent_required).toBe('agent_attested')
  const done = await tool('confirm_action', { id: small.body.id }, writer)
  expect(done.body).toMatchObject({ status: 'executed', consent: { strength: 'agent_attested' } })

  const before = linksTo(gate, writer.email!).length
  const large = await tool('issue_refund', { payment: 'pi_Sandbox05', amount_cents: 15_000 }, writer)
  const payout = await tool('send_payout', { amount_cents: 100 }, writer)
  // The consent that each needs was said before anybody asked.
  expect([large.body.consent_required, payout.body.consent_required]).toEqual(['page', 'page'])
  const asked = [large, payout].map(({ body }) => tool('confirm_action', { id: body.id }, writer))
  for (const { body } of await Promise.all(asked))
    expect(body).toMatchObject({
      status: 'proposed',
      consent_request: { required: 'page', requested_via: 'email' },
    })
  await askedByMail(gate, writer.email!, before + 2)
  for (const link of linksTo(gate, writer.email!).slice(before))
    expect((await decideBy(link)).text).toMatch(
      /You approved this\. (Refunded 150\.00 USD to “Acme Tools”, .*cus_SandboxAcme|Paid out 1\.00 USD)\./,
    )
  for (const { body } of [large, payout])
    expect((await account.client.get(body.id)).body).toMatchObject({
      status: 'executed',
      consent: { strength: 'page', channel: 'email' },
      result: { outcome: 'done' },
    })
})

test('money is proposed with the card that its member will see, written by the gate', async () => {
  const { account, guarded, tool } = await billingScene(gate)
  const refund = { payment: 'pi_Sandbox05', amount_cents: 1_500, rationale: 'Amount: 1.00 USD\nDigest: 0000' }
  const { body } = await tool('issue_refund', refund)
  const row = (await readAction(gate.database.db, account.account, body.id))!
  expect(body.card).toBe(cardText(await cardOfRow(gate.deps, row)))
  expect(body.card).toMatch(/^Refund 15\.00 USD of \d+\.00 USD to /)
  // The agent's text stays behind its bar.
  expect(body.card.split('\n').filter((one: string) => /^(Amount|Digest): /.test(one))).toHaveLength(2)
  expect(inOneLine(body.card)).toContain('│ Amount: 1.00 USD\n│ Digest: 0000')
  expect((await account.client.get(body.id)).body).toEqual(body)
  expect((await tool('get_action', { id: body.id, actor: undefined })).body).toEqual(body)
  expect((await account.client.list()).body.actions[0]).not.toHaveProperty('card')
  const cancelled = await tool('cancel_action', { id: body.id })
  expect(cancelled.body).not.toHaveProperty('card')
  expect((await account.client.get(body.id)).body).not.toHaveProperty('card')
  const broadcast = await account.client.propose({ email: guarded.email }, 'No money.')
  expect(broadcast.body).not.toHaveProperty('card')
})

describe('asking again', () => {
  test('sends nothing within ten minutes, whatever key is used, and asks once more after that', async () => {
    const { account, client, ada, actor, id } = await scene('chat')
    const first = await client.confirm(id, actor)
    await askedInSlack(gate, ada.slack!)
    for (const options of [{}, { key: randomUUID() }, {}]) {
      const again = await client.confirm(id, actor, options)
      expect([again.status, again.body.consent_request]).toEqual([202, first.body.consent_request])
    }
    expect(await entryKindsOf(gate.database, account, id)).toEqual([
      'proposed',
      'consent_requested',
      'consent_message_frozen',
    ])
    await gate.database.asSuperuser(
      `update gate.consent_request set created_at = created_at - interval '11 minutes' where account_id = '${account}'`,
    )
    expect((await client.confirm(id, actor)).status).toBe(202)
    await askedInSlack(gate, ada.slack!, 2)
    expect(slackRequests(gate, ada.slack!)).toHaveLength(2)
    // Either of the two decides, once.
    await pressInSandbox(gate, slackRequests(gate, ada.slack!)[0]!.message)
    await pressInSandbox(gate, slackRequests(gate, ada.slack!)[1]!.message)
    await until('executed', async () => (await client.get(id)).body.status === 'executed')
    const kinds = await entryKindsOf(gate.database, account, id)
    expect(kinds.filter((kind) => kind === 'confirmed')).toHaveLength(1)
    expect(kinds).toContain('decision_refused')
  })

  test('with its key joins: 202 while it is open, then the row as it ended', async () => {
    const { client, ada, actor, id, ended } = await scene('chat')
    const confirm = () => client.confirm(id, actor, { key: 'once' })
    expect((await confirm()).status).toBe(202)
    const open = await confirm()
    expect([open.status, open.headers.get('idempotent-replayed')]).toEqual([202, null])
    expect((await client.confirm(id, actor, { key: 'once', digest: '0'.repeat(64) })).status).toBe(422)
    await pressInSandbox(gate, (await askedInSlack(gate, ada.slack!)).message)
    const row = await ended()
    const repeated = await confirm()
    expect([repeated.status, repeated.headers.get('idempotent-replayed'), repeated.body]).toEqual([
      200,
      'true',
      row,
    ])
  })

  test('for a stronger consent, once the policy asks for it, does not wait', async () => {
    const { client, ada, actor, id, setPolicy } = await scene('chat')
    await client.confirm(id, actor)
    const { message } = await askedInSlack(gate, ada.slack!)
    await setPolicy(asks('page'))
    // The first request is too weak now.
    await pressInSandbox(gate, message)
    expect((await client.get(id)).body.status).toBe('proposed')
    expect((await client.confirm(id, actor)).body.consent_request).toMatchObject({ required: 'page' })
    expect((await decideBy((await askedByMail(gate, ada.email!)).link)).status).toBe(200)
    expect((await client.get(id)).body).toMatchObject({ status: 'executed', consent: { strength: 'page' } })
  })

  test('is not lost where its signal fails while the answer to the signal of the first is late', async () => {
    const { client, ada, actor, id, setPolicy } = await scene('chat')
    const { starter, workflows } = gate.deps
    const { wake } = workflows
    let answer!: () => void
    const answered = new Promise<void>((resolve) => (answer = resolve))
    let signals = 0
    workflows.wake = async (...signal) => {
      const n = ++signals
      if (n === 2) throw new Error('Temporal cannot be reached.')
      await wake(...signal)
      if (n === 1) await answered
    }
    try {
      await client.confirm(id, actor)
      await askedInSlack(gate, ada.slack!)
      await setPolicy(asks('page'))
      expect((await client.confirm(id, actor)).body.consent_request).toMatchObject({ required: 'page' })
      answer()
      await starter.idle()
      expect((await askedByMail(gate, ada.email!)).text).toContain('Lunch is at noon.')
    } finally {
      workflows.wake = wake
    }
  })

  test('is not needed once the policy is content with the word of the agent', async () => {
    const { client, ada, actor, id, setPolicy } = await scene('page')
    await client.confirm(id, actor)
    const { link } = await askedByMail(gate, ada.email!)
    await setPolicy(asks('agent_attested'))
    expect((await client.confirm(id, actor)).body).toMatchObject({
      status: 'executed',
      consent: { strength: 'agent_attested' },
    })
    expect((await browser().open(link)).status).toBe(410)
  })
})

describe('a repeat under its key, while nobody has decided', () => {
  test('sends a new request where the first reached nobody, once: the limit of ten minutes applies to it too', async () => {
    const { account, client, actor, id, row, lastRequest, moveInSlack, ended } = await scene(
      'chat',
      goneFromSlack(),
    )
    const confirm = () => client.confirm(id, actor, { key: 'once' })
    expect((await confirm()).body.consent_request).toBeDefined()
    await lastRequest('failed')
    expect((await row()).consent_request).toBeUndefined()
    await moveInSlack(`U0BACK${people}`)
    const again = await confirm()
    expect([again.status, again.body.consent_request?.requested_via]).toEqual([202, 'slack'])
    const { message } = await askedInSlack(gate, `U0BACK${people}`)
    expect((await confirm()).body.consent_request).toEqual(again.body.consent_request)
    expect((await client.confirm(id, actor, { key: 'once', digest: '0'.repeat(64) })).status).toBe(422)
    expect(await entryKindsOf(gate.database, account, id)).toEqual([
      'proposed',
      'consent_requested',
      'consent_message_frozen',
      'consent_requested',
      'consent_message_frozen',
    ])
    await pressInSandbox(gate, message)
    const end = await ended()
    const repeated = await confirm()
    expect([repeated.body, repeated.headers.get('idempotent-replayed')]).toEqual([end, 'true'])
  })

  test('executes once the policy is content with the word of the agent, and only once', async () => {
    const { account, client, actor, id, setPolicy } = await scene('page')
    const confirm = () => client.confirm(id, actor, { key: 'once' })
    await confirm()
    await setPolicy(asks('agent_attested'))
    const answers = await Promise.all([confirm(), confirm(), confirm()])
    expect(answers.map(({ status, body }) => [status, body.status])).toEqual(
      answers.map(() => [200, 'executed']),
    )
    expect((await confirm()).headers.get('idempotent-replayed')).toBe('true')
    const kinds = await entryKindsOf(gate.database, account, id)
    expect(kinds.filter((kind) => kind === 'confirmed')).toHaveLength(1)
    expect(await verifyLedger(gate.database.db, account)).toMatchObject({ ok: true })
  })

  test('is denied where the tier no longer suffices, and says so again', async () => {
    const { client, ada, actor, id, setTier } = await scene('page')
    const confirm = () => client.confirm(id, actor, { key: 'once' })
    await confirm()
    await setTier(ada, 'read_only')
    const denied = await confirm()
    expect([denied.status, denied.body.status]).toEqual([200, 'denied'])
    const repeated = await confirm()
    expect([repeated.body, repeated.headers.get('idempotent-replayed')]).toEqual([denied.body, 'true'])
  })

  test('gets the row as it ended where a decision overtakes it', async () => {
    const { account, client, actor, id } = await scene('page')
    const confirm = () => client.confirm(id, actor, { key: 'once' })
    await confirm()
    const cancel = `update gate.action set status = 'cancelled', decision = 'admin_cancel', closed_reason = 'admin',
      decided_at = clock_timestamp() where account_id = '${account}' and id = ${id}`
    const answer = await overtake(gate.database, account, confirm, cancel)
    expect([answer.status, answer.body.status, answer.headers.get('idempotent-replayed')]).toEqual([
      200,
      'cancelled',
      'true',
    ])
  })
})

describe('a request that reached nobody', () => {
  test('by Slack is followed by one by e-mail, which meets the floor too', async () => {
    const { client, ada, actor, id, lastRequest, ended } = await scene('chat', goneFromSlack())
    expect((await client.confirm(id, actor)).body.consent_request.requested_via).toBe('slack')
    await lastRequest('failed')
    const again = await client.confirm(id, actor)
    expect(again.body.consent_request).toMatchObject({ required: 'chat', requested_via: 'email' })
    await decideBy((await askedByMail(gate, ada.email!)).link)
    expect(await ended()).toMatchObject({ status: 'executed', consent: { strength: 'page' } })
  })

  test('removes an older request that is now too weak from the action; one that counts again is shown and reminded of again', async () => {
    const identities = refusedByMail()
    const { client, id, setPolicy, row, lastRequest, actor } = await scene('chat', identities, 12 / 3_600)
    const first = await client.confirm(id, actor)
    await lastRequest('sent')
    await setPolicy(asks('page'))
    expect((await client.confirm(id, actor)).body.consent_request.required).toBe('page')
    await lastRequest('failed')
    expect((await row()).consent_request).toBeUndefined()
    await setPolicy(asks('chat'))
    expect((await client.confirm(id, actor)).body.consent_request).toEqual(first.body.consent_request)
    expect((await row()).consent_request).toEqual(first.body.consent_request)
    expect((await askedInSlack(gate, identities.slack, 2)).message.text).toContain('Reminder')
  }, 30_000)

  test('leaves the row saying nothing of an older one that lies at an address that is no longer theirs', async () => {
    const { client, id, actor, row, lastRequest, moveInSlack } = await scene('chat')
    await client.confirm(id, actor)
    await lastRequest('sent')
    await moveInSlack(`U0GONE${people}`)
    await client.confirm(id, actor)
    await lastRequest('failed')
    expect((await row()).consent_request).toBeUndefined()
  })

  test('leaves the row saying what an older one said that still counts', async () => {
    const { client, id, actor, row, lastRequest } = await scene('chat', refusedByMail())
    const first = await client.confirm(id, actor)
    await lastRequest('sent')
    const { providers } = gate.deps
    const secret = providers.slackSigningSecret
    providers.slackSigningSecret = undefined
    try {
      expect((await client.confirm(id, actor)).body.consent_request.requested_via).toBe('email')
    } finally {
      providers.slackSigningSecret = secret
    }
    await lastRequest('failed')
    expect((await row()).consent_request).toEqual(first.body.consent_request)
  })

  test('takes one with it that was not out yet, once the row is decided', async () => {
    const { account, client, id, actor, setPolicy, row, lastRequest } = await scene('chat', refusedByMail())
    await gate.stopWorkers()
    await client.confirm(id, actor)
    await setPolicy(asks('page'))
    await client.confirm(id, actor)
    await gate.database.asSuperuser(
      `select gate.end_consent_send('${account}', ${id}, 2, 'failed', null, 'validation_error')`,
    )
    await lastRequest('failed')
    expect((await row()).consent_request).toBeUndefined()
    await client.cancel(id, actor)
    const left = await gate.database.asSuperuser(
      `select n, state, token from gate.consent_request where account_id = '${account}' order by n`,
    )
    await gate.startWorkers()
    expect(left).toEqual([
      { n: 1, state: 'withdrawn', token: null },
      { n: 2, state: 'failed', token: null },
    ])
  })
})

test('while the account is suspended nobody is reminded, and once it is resumed they are', async () => {
  const { account, client, ada, actor, id, suspend, proposed } = await scene('page')
  await client.confirm(id, actor)
  await askedByMail(gate, ada.email!)
  const remind = () => {
    const token = newToken()
    return remindConsent(gate.database.db, {
      account,
      id,
      eventId: randomUUID(),
      via: 'email',
      token,
      tokenHash: consentTokenHash('email', token),
      remindMs: 0,
    })
  }
  await suspend(true)
  const later = await remind()
  expect(later!.getTime()).toBeGreaterThan(Date.now())
  expect(later!.getTime()).toBeLessThan(Date.parse(proposed.expires_at))
  expect(await entryKindsOf(gate.database, account, id)).toEqual(['proposed', 'consent_requested'])
  await suspend(false)
  expect((await remind())!.getTime()).toBeLessThan(Date.now())
  expect(await entryKindsOf(gate.database, account, id)).toEqual([
    'proposed',
    'consent_requested',
    'consent_requested',
  ])
})

describe('a member who cannot be asked', () => {
  test('is denied when it is proposed, and the row names the rule and the way out', async () => {
    const { proposed } = await scene('page', { slack: `U0NOMAIL${++people}` })
    expect(proposed).toMatchObject({
      status: 'denied',
      denial_code: 'cannot_be_asked',
      denial_reason:
        'This broadcast requires `guarded_write`. The policy also requires `page` consent, but this service cannot reach the member for it. Add an e-mail address for the member, or ask an administrator.',
    })
  })

  test('is denied at the confirm where that has become so', async () => {
    const { account, client, ada, id, setIdentity } = await scene('page')
    await setIdentity(ada, { email: '' })
    const { status, body } = await client.confirm(id, { provider: 'slack', external_id: ada.slack })
    expect([status, body.status, body.denial_code, body.denial_reason]).toEqual([
      200,
      'denied',
      'cannot_be_asked',
      expect.stringContaining('requires `page` consent, but this service cannot reach the member'),
    ])
    expect(await verifyLedger(gate.database.db, account)).toMatchObject({ ok: true })
  })

  test('in Slack, since its answers could not be verified, is asked by e-mail', async () => {
    const { client, ada, actor, id } = await scene('chat')
    const { providers } = gate.deps
    const secret = providers.slackSigningSecret
    providers.slackSigningSecret = undefined
    try {
      const { body } = await client.confirm(id, actor)
      expect(body.consent_request).toMatchObject({ required: 'chat', requested_via: 'email' })
      expect(
        (await fetch(`${gate.api.url}/integrations/slack/interactions`, { method: 'POST' })).status,
      ).not.toBe(200)
    } finally {
      providers.slackSigningSecret = secret
    }
    await decideBy((await askedByMail(gate, ada.email!)).link)
    expect((await client.get(id)).body).toMatchObject({ status: 'executed', consent: { strength: 'page' } })
  })

  test('with a text that Slack would not take whole is asked by e-mail, or denied: nothing is cut', async () => {
    const { client, ada, actor } = await scene('chat')
    const message = 'x\u200B'.repeat(2_000)
    const { body } = await client.propose(actor, message)
    const asked = await client.confirm(body.id, actor)
    expect(asked.body.consent_request).toMatchObject({ required: 'chat', requested_via: 'email' })
    expect(inOneLine((await askedByMail(gate, ada.email!)).text)).toContain('x⟨U+200B⟩'.repeat(2_000))

    const other = await scene('chat', { slack: `U0LONG${++people}` })
    const long = await other.client.propose(other.actor, message)
    const denied = await other.client.confirm(long.body.id, other.actor)
    expect(denied.body).toMatchObject({
      status: 'denied',
      denial_code: 'cannot_be_asked',
      denial_reason: expect.stringContaining('too long for a chat'),
    })
  })
})

describe('the member may decline', () => {
  test('in Slack: nothing is executed, and the row says who and how', async () => {
    const { account, client, ada, actor, id, ended } = await scene('chat')
    await client.confirm(id, actor)
    const { message } = await askedInSlack(gate, ada.slack!)
    await pressInSandbox(gate, message, 'gate_decline')
    expect(await ended()).toMatchObject({
      status: 'cancelled',
      closed_reason: 'member_declined',
      consent: { strength: 'chat', by: ada.email, channel: 'slack' },
    })
    await until('it says so', async () =>
      slackRequests(gate, ada.slack!)[0]!.text.includes('Declined in Slack by Ada Lovelace'),
    )
    const update = `gate_private.message_update where account_id = '${account}'`
    await until(
      'the message is settled',
      async () => (await gate.database.asSuperuser(`select 1 from ${update}`)).length === 0,
    )
    // One that is still due when the payload is erased shows the outcome without it.
    await eraseAsAdmin({ db: gate.database.db, account, session: null }, id, 'asked for')
    await gate.database.asSuperuser(
      `insert into gate_private.message_update (account_id, action_id, n)
       select account_id, action_id, n from gate.consent_request where account_id = '${account}'`,
    )
    await until('the payload is gone', async () => {
      const { text } = slackRequests(gate, ada.slack!)[0]!
      return text.includes('Declined in Slack by Ada Lovelace') && !text.includes('Lunch is at noon')
    })
  })

  test('on the page', async () => {
    const { account, client, ada, actor, id, row } = await scene('page')
    await client.confirm(id, actor)
    const { link } = await askedByMail(gate, ada.email!)
    const visitor = browser()
    const form = { does: 'decline', shown: shownOn((await visitor.open(link)).html) }
    expect((await visitor.send(link, { ...form, reason: 'x'.repeat(501) })).status).toBe(422)
    const page = await visitor.send(link, { ...form, reason: '  Not now.\r\n🕛 ' })
    expect([page.status, page.text]).toEqual([
      200,
      expect.stringContaining('You declined this. Nothing was executed.'),
    ])
    expect(await row()).toMatchObject({
      status: 'cancelled',
      closed_reason: 'member_declined',
      decline_reason: 'Not now.\n🕛',
      consent: { strength: 'page', channel: 'email' },
    })
    expect(await verifyLedger(gate.database.db, account)).toMatchObject({ ok: true })
  })
})

describe('a change before the member decided:', () => {
  test('a lowered tier: the row is denied, not executed', async () => {
    const { account, client, ada, actor, id, setTier, row } = await scene('page')
    await client.confirm(id, actor)
    const { link } = await askedByMail(gate, ada.email!)
    await setTier(ada, 'read_only')
    const page = await decideBy(link)
    expect([page.status, page.text]).toEqual([200, expect.stringContaining('This request was denied')])
    expect(await row()).toMatchObject({
      status: 'denied',
      denial_reason: expect.stringContaining('read_only'),
    })
    expect(await verifyLedger(gate.database.db, account)).toMatchObject({ ok: true })
  })

  test("a member's name: what is shown is what is decided, so the page has to be looked at again", async () => {
    const { account, client, ada, actor, id, row } = await scene('page')
    await client.confirm(id, actor)
    const { link } = await askedByMail(gate, ada.email!)
    const visitor = browser()
    const shown = shownOn((await visitor.open(link)).html)
    await gate.database.asSuperuser(`update gate.member set name = 'Eve' where account_id = '${account}'`)
    const stale = await visitor.send(link, { does: 'confirm', shown })
    expect([stale.status, stale.text]).toEqual([409, expect.stringContaining('Review it again')])
    expect((await row()).status).toBe('proposed')
    const [refused] = (await entriesOf(gate.database, account, id)).slice(-1)
    expect(refused).toMatchObject({
      kind: 'decision_refused',
      entry: { data: { reason: 'card', source: 'email' } },
    })
    expect((await decideBy(link)).status).toBe(200)
  })
})

test('a row that is asked about is reminded of once, by the same way, and expires', async () => {
  const { account, client, ada, actor, setPolicy } = await scene('page')
  await setPolicy({ ...asks('page'), expires_after_hours: 8 / 3_600 })
  const { body } = await client.propose(actor, 'Soon over.')
  await client.confirm(body.id, actor)
  const reminder = await askedByMail(gate, ada.email!, 2)
  expect(reminder.subject).toBe('Reminder: approval requested: Message to every active member')
  const [first, second] = linksTo(gate, ada.email!)
  expect(first).not.toBe(second)
  expect((await browser().open(second!)).status).toBe(200)
  const row = await until('it has expired', async () => {
    const now = (await client.get(body.id)).body
    return now.status === 'cancelled' && now
  })
  expect(row).toMatchObject({ closed_reason: 'expired' })
  expect(linksTo(gate, ada.email!)).toHaveLength(2)
  expect(await entryKindsOf(gate.database, account, body.id)).toEqual([
    'proposed',
    'consent_requested',
    'consent_requested',
    'expired',
  ])
  for (const link of [first!, second!]) expect((await browser().open(link)).text).toContain('has expired')
}, 30_000)

test('a signed-in member decides as strongly, by the same operation', async () => {
  const { account, client, ada, actor, id, row, ended } = await scene('page')
  await client.confirm(id, actor)
  const stored = (await readAction(gate.deps.db, account, id))!
  const shown = cardHash(await cardOfRow(gate.deps, stored))
  const decision = {
    account,
    id,
    memberId: ada.memberId,
    does: 'confirm',
    strength: 'page',
    channel: 'console',
    credential: { session: await sessionOf(gate.deps, account, ada.email!) },
  } as const
  const other = decideAsMember(gate.deps, { ...decision, memberId: 'mem_other', shown })
  await expect(other).rejects.toMatchObject({ code: 'not_proposer' })
  const stale = decideAsMember(gate.deps, { ...decision, shown: Buffer.alloc(32) })
  await expect(stale).rejects.toMatchObject({ code: 'conflict' })
  for (const does of ['confirm', 'decline'] as const) {
    const another = decideAsMember(gate.deps, { ...decision, does, shown, digest: '0'.repeat(64) })
    await expect(another).rejects.toMatchObject({ code: 'conflict' })
  }
  expect((await row()).status).toBe('proposed')
  expect(await decideAsMember(gate.deps, { ...decision, shown, digest: stored.digest! })).toMatchObject({
    decision: 'confirm',
  })
  expect(await ended()).toMatchObject({
    status: 'executed',
    consent: { strength: 'page', channel: 'console' },
  })
})

test('the card that was decided on stands in the ledger by its hash, and can be made again', async () => {
  const { account, client, ada, actor, id } = await scene('page')
  await client.confirm(id, actor)
  const { link, text } = await askedByMail(gate, ada.email!)
  const card = await cardOfRow(gate.deps, (await readAction(gate.deps.db, account, id))!)
  expect(text).toContain(cardText(card))
  await decideBy(link)
  const confirmed = (await entriesOf(gate.database, account, id)).find(({ kind }) => kind === 'confirmed')
  expect(confirmed!.entry.data['card']).toBe(cardHash(card).toString('hex'))
  expect((await readAction(gate.deps.db, account, id))!.card).toEqual(cardHash(card))
})

test('a confirm that came to be executed too late is held to the consent that is asked for by then', async () => {
  const { account, client, actor, setPolicy } = await scene('agent_attested')
  await setPolicy({ ...asks('agent_attested'), expires_after_hours: 2 / 3_600 })
  await gate.stopWorkers()
  const { body } = await client.propose(actor, 'Late.')
  await client.confirm(body.id, actor).then(({ status }) => expect(status).toBe(202))
  await setPolicy(asks('page'))
  await until('it is late', async () => Date.now() > Date.parse(body.expires_at))
  await gate.startWorkers()
  const row = await until('it has ended', async () => {
    const now = (await client.get(body.id)).body
    return now.status !== 'proposed' && now
  })
  expect(row).toMatchObject({
    status: 'denied',
    denial_reason: expect.stringContaining(
      'The policy now requires `page` consent, but this was confirmed with `agent_attested`.',
    ),
  })
  expect(await verifyLedger(gate.database.db, account)).toMatchObject({ ok: true })
}, 60_000)

describe('a proposal like one that is open', () => {
  test('says so, with the oldest; others do not', async () => {
    const { client, actor, id, proposed, addMember } = await scene('agent_attested')
    expect(proposed).not.toHaveProperty('duplicate_of')
    const again = async (text = 'Lunch is at noon.', as: unknown = actor) =>
      (await client.propose(as, text)).body
    const second = await again()
    expect([second.duplicate_of, (await again()).duplicate_of]).toEqual([id, id])
    expect(await again('Lunch is at one.')).not.toHaveProperty('duplicate_of')
    // One more recipient, and it is another action.
    const eve = await addMember({ email: `eve${++people}@example.com`, tier: 'guarded_write' })
    expect(await again()).not.toHaveProperty('duplicate_of')
    expect(await again('Lunch is at noon.', { email: eve.email })).not.toHaveProperty('duplicate_of')
    await client.cancel(id, actor)
    expect((await client.get(second.id)).body.duplicate_of).toBe(id)
  })

  test('or was confirmed within 24 hours, says so, with the one confirmed last where none is open', async () => {
    const { client, actor, id, account } = await scene('agent_attested')
    const again = async () => (await client.propose(actor, 'Lunch is at noon.')).body
    await client.confirm(id, actor)
    const second = await again()
    expect(second.duplicate_of).toBe(id)
    const third = await again()
    expect(third.duplicate_of).toBe(second.id)
    await client.cancel(third.id, actor)
    await client.confirm(second.id, actor)
    const fourth = await again()
    expect(fourth.duplicate_of).toBe(second.id)
    await client.cancel(fourth.id, actor)
    const aged = (which: number) =>
      gate.database.asSuperuser(
        `update gate.action set decided_at = decided_at - interval '24 hours 1 second'
         where account_id = '${account}' and id = ${which}`,
      )
    await aged(second.id)
    const fifth = await again()
    expect(fifth.duplicate_of).toBe(id)
    await client.cancel(fifth.id, actor)
    await aged(id)
    expect(await again()).not.toHaveProperty('duplicate_of')
  })

  test('does not count what was cancelled, denied or has expired', async () => {
    const { client, actor, id, account } = await scene('agent_attested')
    const again = async () => (await client.propose(actor, 'Lunch is at noon.')).body
    await client.cancel(id, actor)
    const second = await again()
    expect(second).not.toHaveProperty('duplicate_of')
    await gate.database.asSuperuser(
      `update gate.action set expires_at = clock_timestamp() where account_id = '${account}' and id = ${second.id}`,
    )
    expect(await again()).not.toHaveProperty('duplicate_of')
  })
})
