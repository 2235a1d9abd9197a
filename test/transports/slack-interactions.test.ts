import { expect, test } from '@jest/globals'
import postgres from 'postgres'
import { entriesOf, entryKindsOf, waiting } from '../support/ledger-entries.ts'
import { askedInSlack, clickBody, interact, pressInSandbox, slackRequests } from '../support/consent.ts'
import { cancelAsAdmin } from '../../src/operations/decisions/cancel-as-admin.ts'
import { verifyLedger } from '../../src/ledger/verify.ts'
import { consentWorkspaceHash } from '../../src/keys/link-token.ts'
import { moveExpiry } from '../support/expiry.ts'
import { useGate } from '../support/use-gate.ts'
import { testRows } from '../support/rows.ts'
import { until } from '../support/until.ts'

const gate = useGate()

let people = 0
/** A member who is asked in Slack about a broadcast. */
async function asked() {
  const account = await gate.account()
  await account.setPolicy({ kinds: { broadcast: { tier: 'guarded_write', consent: 'chat' } } })
  const slack = `U0000LATE${++people}`
  await account.addMember({ name: 'Ada', slack, tier: 'guarded_write' })
  const actor = { provider: 'slack', external_id: slack }
  const { body } = await account.client.propose(actor, 'Lunch is at noon.')
  await account.client.confirm(body.id, actor)
  const { message, token } = await askedInSlack(gate, slack)
  return {
    ...account,
    id: body.id as number,
    actor,
    slack,
    token: token!,
    message,
    press: () => pressInSandbox(gate, message),
    inSlack: () => slackRequests(gate, slack)[0]!,
    row: async () => (await account.client.get(body.id)).body,
  }
}

/** Holds the lock that every decision of an account needs, as a database under load does. */
async function holdLedger(account: string) {
  const holder = postgres(gate.database.superuserUrl, { max: 1, onnotice: () => {} })
  await holder.unsafe('begin')
  await holder.unsafe(`select 1 from gate.ledger_head where account_id = '${account}' for update`)
  return {
    /** Breaks the connection of what a click waits in: the statement, and its one repeat. A workflow may wait there too. */
    async breakWaiting() {
      const broken = new Set<unknown>()
      await until('both were broken', async () => {
        const rows = await gate.database.asSuperuser(
          `select pid, pg_terminate_backend(pid) from pg_stat_activity
           where datname = '${gate.database.name}' and wait_event_type = 'Lock'
             and query ~ 'gate\\.(claim_decision|note_refusal)'`,
        )
        for (const { pid } of rows) broken.add(pid)
        return broken.size >= 2
      })
    },
    release: () => holder.end({ timeout: 2 }),
  }
}

test('a click that takes longer than Slack waits is acknowledged; what it comes to is waited for before the service ends', async () => {
  const one = await asked()
  const ledger = await holdLedger(one.account)
  const pressed = await one.press()
  expect([pressed.status, (await one.row()).status]).toEqual([303, 'proposed'])
  // The page goes to the message, which says that the press was taken. A browser decodes the name of a place.
  const [page, place] = pressed.headers.get('location')!.split('#') as [string, string]
  const inbox = await (
    await fetch(new URL(page, gate.sandbox.url), { headers: { accept: 'text/html' } })
  ).text()
  const there = inbox
    .slice(inbox.indexOf(`<article id="${decodeURIComponent(place)}">`))
    .split('</article>')[0]
  expect(there).toContain('<strong>Approve</strong> was pressed')
  const ended = gate.deps.background.idle()
  let isEnded = false
  void ended.then(() => (isEnded = true))
  await until('the click waits for the ledger', async () => (await waiting(gate.database)) > 0)
  expect(isEnded).toBe(false)
  await ledger.release()
  await ended
  expect(one.inSlack().text).toMatch(/Approved in Slack by Ada, \S+ \S+ UTC\./)
  // Where the machine is busy, the execution outlasts the click, and the message is updated when it ends.
  await until('the message says what came of it', async () =>
    one.inSlack().text.includes('UTC. Message sent to 1 person.'),
  )
  expect((await one.row()).status).toBe('executed')
})

test('a click whose answer is lost after it was acknowledged: the message says that its outcome is unknown, and its buttons still decide', async () => {
  const one = await asked()
  const ledger = await holdLedger(one.account)
  expect((await one.press()).status).toBe(303)
  await ledger.breakWaiting()
  await until('the message says so', async () => one.inSlack().text.includes('is unknown'))
  expect([one.inSlack().token, (await one.row()).status]).toEqual([one.token, 'proposed'])
  expect(one.inSlack().text).toContain('│ Lunch is at noon.')
  await ledger.release()
  expect((await one.press()).status).toBe(303)
  await until('executed', async () => (await one.row()).status === 'executed')
  await until('the message says it', async () => one.inSlack().text.includes('Message sent to 1 person.'))
  expect(one.inSlack().token).toBeUndefined()
})

test('a click whose answer is lost after it was acknowledged, of a row that was decided meanwhile: the message says that', async () => {
  const one = await asked()
  const ledger = await holdLedger(one.account)
  await one.press()
  await gate.database.asSuperuser(
    `update gate.action set decision = 'cancel', decided_at = clock_timestamp(), status = 'cancelled', closed_reason = 'proposer'
     where account_id = '${one.account}'`,
  )
  await ledger.breakWaiting()
  await until('the message says so', async () => one.inSlack().text.includes('Cancelled by the agent'))
  expect(one.inSlack().token).toBeUndefined()
  await ledger.release()
})

test('somebody else’s click that fails after it was acknowledged leaves the message as it was', async () => {
  const one = await asked()
  const ledger = await holdLedger(one.account)
  const conversation = one.message.id.split(':')[0]!
  const click = clickBody({ token: one.token, user: 'U0EVE', ts: one.message.ts! }).replaceAll(
    'DU0EVE',
    conversation,
  )
  expect((await interact(gate.api.url, click)).status).toBe(200)
  await ledger.breakWaiting()
  await gate.deps.background.idle()
  expect(one.inSlack()).toMatchObject({
    token: one.token,
    text: expect.not.stringContaining('Nothing was decided'),
  })
  await ledger.release()
})

test('a click whose answer is lost in time is acknowledged: that it came to nothing is not certain', async () => {
  const one = await asked()
  const ledger = await holdLedger(one.account)
  const answer = interact(gate.api.url, clickBody({ token: one.token, user: one.slack }))
  await ledger.breakWaiting()
  expect((await answer).status).toBe(200)
  await ledger.release()
  expect(await entryKindsOf(gate.database, one.account, one.id)).not.toContain('confirmed')
})

test('decided elsewhere, each message shows the outcome of its action instead of its buttons', async () => {
  const cancelled = await asked()
  await cancelled.client.cancel(cancelled.id, cancelled.actor)
  const closed = await asked()
  await cancelAsAdmin({ db: gate.database.db, account: closed.account, session: null }, closed.id, 'No.')
  const expired = await asked()
  await moveExpiry(gate.database, expired.account, -8)
  expect((await expired.client.confirm(expired.id, expired.actor)).status).toBe(409)
  const declined = await asked()
  await gate.database.asSuperuser(
    `update gate.action set decision = 'cancel', decided_at = clock_timestamp(), status = 'cancelled',
       closed_reason = 'member_declined', consent_channel = 'console' where account_id = '${declined.account}'`,
  )
  const shown = async (one: typeof cancelled, words: RegExp) => {
    const { text } = await until('the message is updated', async () => !one.inSlack().token && one.inSlack())
    expect(text).toMatch(/│ Lunch is at noon\./)
    expect(text).toMatch(words)
  }
  await shown(cancelled, /Cancelled by the agent, \S+ \S+ UTC\. Nothing was executed\./)
  await shown(closed, /Cancelled by an administrator, \S+ \S+ UTC\. Nothing was executed\./)
  await shown(expired, /Expired, \S+ \S+ UTC\. Nothing was executed\./)
  await shown(declined, /Declined in the console by Ada, \S+ \S+ UTC\. Nothing was executed\./)
  const left = await until('nothing is left to update', async () => {
    const rows = await gate.database.asSuperuser('select 1 from gate_private.message_update')
    return rows.length === 0 && 'none'
  })
  expect(left).toBe('none')
})

test('a message that cannot be updated is tried a bounded number of times, and never holds up a decision', async () => {
  const one = await asked()
  await until('its sending is recorded', async () => {
    const sent = await gate.database.asSuperuser(
      `select 1 from gate.consent_request where account_id = '${one.account}' and state = 'sent'`,
    )
    return sent.length > 0
  })
  // Deleted by the member: Slack does not know it any more.
  await gate.database.asSuperuser(
    `update gate.consent_request set provider_id = '1.1' where account_id = '${one.account}'`,
  )
  expect((await one.client.cancel(one.id, one.actor)).status).toBe(200)
  await until('it is given up', async () => {
    const rows = await gate.database.asSuperuser('select 1 from gate_private.message_update')
    return rows.length === 0
  })
  expect(one.inSlack().token).toBe(one.token)
})

/** The body of an app that is installed for a whole organization. */
const ofOrganization = (team: unknown) => ({
  team,
  is_enterprise_install: true,
  enterprise: { id: 'E1', name: 'Org' },
})
const elsewhere = { id: 'TOTHER', domain: 'other' }

testRows<[string, (one: Asked) => Record<string, unknown>]>([
  ['without a workspace, of a user of this one', () => ofOrganization(null)],
  ['with no field for the workspace', () => ofOrganization(undefined)],
  ['without a workspace, and none of an organization', () => ({ team: null })],
  [
    'of an app installed for the organization that counts as the workspace',
    () => ({ team: { id: 'T9', enterprise_id: 'TSANDBOX' } }),
  ],
  ['with the same button twice', (one) => ({ actions: [approve(one.token), approve(one.token)] })],
  [
    'with another input beside the button',
    (one) => ({ actions: [{ type: 'checkboxes', action_id: 'x' }, approve(one.token)] }),
  ],
  ['without a container', (one) => ({ container: undefined, message: { ts: one.message.ts } })],
  ['without a message or conversation', () => ({ container: undefined, channel: undefined })],
  [
    'with parts of another form',
    () => ({ channel: 7, message: [], enterprise: 'E1', response_url: {}, container: null }),
  ],
])('a press of the member decides, whatever else Slack sends: %s', async (_, instead) => {
  const one = await asked()
  const body = clickBody({ token: one.token, user: one.slack, ts: one.message.ts!, instead: instead(one) })
  expect((await interact(gate.api.url, body)).status).toBe(200)
  await until('executed', async () => (await one.row()).status === 'executed')
  await until('the message shows it', async () => one.inSlack().token === undefined)
})

test('another workspace that somebody writes into the row counts as none: its hash needs the token, which only the message has', async () => {
  const [one, other] = [await asked(), await asked()]
  const write = (workspace: string) =>
    gate.database.asSuperuser(
      `update gate.consent_request set workspace = ${workspace} where account_id = '${one.account}'`,
    )
  const [sent] = await gate.database.asSuperuser(
    `select workspace, token from gate.consent_request where account_id = '${one.account}'`,
  )
  expect(sent).toEqual({ workspace: consentWorkspaceHash(one.token, 'TSANDBOX'), token: null })
  const ofOther = `\\x${consentWorkspaceHash(other.token, elsewhere.id).toString('hex')}`
  for (const forged of [
    'null',
    `sha256('consent workspace ${elsewhere.id}')`,
    `'${ofOther}'`,
    `'${elsewhere.id}'`,
  ]) {
    await write(forged)
    expect(await verifyLedger(gate.database.db, one.account)).toMatchObject({
      ok: false,
      problem: expect.stringContaining('one of its consent requests does not match the ledger'),
    })
    for (const team of [elsewhere, { id: 'TSANDBOX' }])
      await interact(gate.api.url, clickBody({ token: one.token, user: one.slack, instead: { team } }))
  }
  await gate.deps.background.idle()
  const refused = (await entriesOf(gate.database, one.account, one.id)).filter(
    ({ kind, entry }) => kind === 'decision_refused' && entry.data['reason'] === 'other_workspace',
  )
  expect([(await one.row()).status, refused.length]).toEqual(['proposed', 8])
  await write(`'\\x${(sent!['workspace'] as Buffer).toString('hex')}'`)
  expect(await verifyLedger(gate.database.db, one.account)).toMatchObject({ ok: true })
  await interact(gate.api.url, clickBody({ token: one.token, user: one.slack }))
  await until('executed', async () => (await one.row()).status === 'executed')
})

type Asked = Awaited<ReturnType<typeof asked>>
const approve = (value: unknown) => ({ type: 'button', action_id: 'gate_approve', value })
const decline = (value: unknown) => ({ type: 'button', action_id: 'gate_decline', value })
/** What the gate wrote to a user, beside requests. */
const sentences = (user: string) =>
  gate.sandbox
    .messages(1_000)
    .filter(({ to, blocks, text }) => to === user && !blocks && text !== 'Lunch is at noon.')

testRows<[string, string, RegExp, (one: Asked) => Record<string, unknown>]>([
  ['in another workspace', 'other_workspace', /in another Slack workspace/, () => ({ team: elsewhere })],
  [
    'in another workspace of a user of this one',
    'other_workspace',
    /in another/,
    (one) => ({ team: elsewhere, user: { id: one.slack, team_id: 'TSANDBOX' } }),
  ],
  [
    'of a user of another workspace, in none',
    'other_workspace',
    /in another/,
    (one) => ({ team: null, user: { id: one.slack, team_id: 'TOTHER' } }),
  ],
  [
    'of another organization',
    'other_workspace',
    /in another/,
    (one) => ({ ...ofOrganization(null), user: { id: one.slack, team_id: 'E1' } }),
  ],
  [
    'in a workspace that cannot be read',
    'other_workspace',
    /in another/,
    () => ({ team: { id: 'not an id' } }),
  ],
  [
    'of both buttons',
    'several_buttons',
    /Press one button/,
    (one) => ({ actions: [approve(one.token), decline(one.token)] }),
  ],
  [
    'of buttons of two requests',
    'several_buttons',
    /Press one button/,
    (one) => ({ actions: [approve(one.token), approve('x'.repeat(43))] }),
  ],
  [
    'by somebody else',
    'not_proposer',
    /only the member/,
    () => ({ user: { id: 'U0MALLORY', team_id: 'TSANDBOX' } }),
  ],
])(
  'a press that decides nothing is an entry and a sentence to who pressed: %s',
  async (_, reason, sentence, instead) => {
    const one = await asked()
    const given = instead(one)
    const presser = (given['user'] as { id: string } | undefined)?.id ?? one.slack
    const body = clickBody({ token: one.token, user: one.slack, instead: given })
    expect((await interact(gate.api.url, body)).status).toBe(200)
    await gate.deps.background.idle()
    const entries = await entriesOf(gate.database, one.account, one.id)
    expect(entries.at(-1)).toMatchObject({
      kind: 'decision_refused',
      entry: { data: { reason, source: 'slack' } },
    })
    expect((await one.row()).status).toBe('proposed')
    expect(sentences(presser)[0]?.text).toMatch(sentence)
    expect(one.inSlack().token).toBe(one.token)
  },
)

testRows<[string, string, string]>([
  ['names a button twice', '"value":', '"value":"x","value":'],
  ['names its type twice, once escaped', '"type":"block_actions"', '"type":"x","\\u0074ype":"block_actions"'],
  ['has a number that is rounded', '"type":"block_actions"', '"type":"block_actions","at":1e-400'],
])('a press whose text %s is an entry and a sentence to who pressed', async (_, part, instead) => {
  const one = await asked()
  const payload = new URLSearchParams(clickBody({ token: one.token, user: one.slack })).get('payload')!
  const body = new URLSearchParams({ payload: payload.replace(part, instead) }).toString()
  expect((await interact(gate.api.url, body)).status).toBe(200)
  await gate.deps.background.idle()
  expect((await entriesOf(gate.database, one.account, one.id)).at(-1)).toMatchObject({
    kind: 'decision_refused',
    entry: { data: { reason: 'not_exact', source: 'slack' } },
  })
  expect((await one.row()).status).toBe('proposed')
  expect(sentences(one.slack)[0]?.text).toMatch(/can be read in two ways/)
})

testRows<[string, 'confirm' | 'cancel', Record<string, unknown>]>([
  ['no button', 'confirm', { actions: [] }],
  [
    'a button that is none of ours',
    'confirm',
    { actions: [{ type: 'button', action_id: 'gate_later', value: '1' }] },
  ],
  ['a button without its value', 'confirm', { actions: [{ type: 'button', action_id: 'gate_approve' }] }],
  ['a button with the value of no request', 'cancel', { actions: [decline('y'.repeat(43))] }],
  [
    'a shortcut of the message',
    'confirm',
    { type: 'message_action', container: undefined, message: undefined },
  ],
])('a press of %s is an entry and a sentence to who pressed', async (_, decision, instead) => {
  const one = await asked()
  const { ts } = one.message
  // Nobody reads and presses before the worker has the answer to what it sent.
  await until('the message is known', async () => {
    const [known] = await gate.database.asSuperuser(
      `select from gate_private.consent_token where account_id = '${one.account}' and slack_message is not null`,
    )
    return known
  })
  const given = 'container' in instead ? { ...instead, message: { ts } } : instead
  const body = clickBody({ token: one.token, user: one.slack, ts: ts!, instead: given })
  expect((await interact(gate.api.url, body)).status).toBe(200)
  await gate.deps.background.idle()
  const refused = (await entriesOf(gate.database, one.account, one.id)).at(-1)
  expect(refused).toMatchObject({
    kind: 'decision_refused',
    entry: { data: { decision, reason: 'no_button', source: 'slack' } },
  })
  expect(sentences(one.slack)[0]?.text).toMatch(/^Nothing was decided: /)
  expect([(await one.row()).status, one.inSlack().token]).toEqual(['proposed', one.token])
})

test('a press in a message that the gate does not know is answered by the Slack of the environment', async () => {
  const body = clickBody({ token: 'x', user: 'U0NOBODY', ts: '9.9', instead: { actions: [] } })
  expect((await interact(gate.api.url, body)).status).toBe(200)
  await gate.deps.background.idle()
  expect(sentences('U0NOBODY')[0]?.text).toMatch(/the gate has no such button/)
})

test('a press of a button whose request is forgotten is answered where it was pressed', async () => {
  const one = await asked()
  await gate.database.asSuperuser(
    `delete from gate_private.consent_token where account_id = '${one.account}'`,
  )
  expect((await one.press()).status).toBe(303)
  await gate.deps.background.idle()
  expect(sentences(one.slack)[0]?.text).toContain('belongs to no consent request of the gate')
})

test('a press of something that is no button of the gate is answered where it was pressed', async () => {
  const one = await asked()
  const answered: unknown[] = []
  const answer = gate.deps.providers.answerSlackPress
  gate.deps.providers.answerSlackPress = async (...given) => answered.push(given) > 0
  const url = 'https://hooks.slack.com/actions/T1/1/x'
  for (const instead of [
    { actions: [{ action_id: 'other', value: one.token }] },
    { actions: [approve(null)] },
    { actions: [] },
    { actions: 'x' },
    { type: 'message_action', team: null },
    { type: 'interactive_message', team: undefined, user: undefined },
  ])
    await interact(
      gate.api.url,
      clickBody({ token: one.token, user: one.slack, instead: { ...instead, response_url: url } }),
    )
  await gate.deps.background.idle()
  gate.deps.providers.answerSlackPress = answer
  expect(answered).toEqual(
    Array.from({ length: 6 }, () => [url, 'Nothing was decided: the gate has no such button.']),
  )
  expect((await one.row()).status).toBe('proposed')
})
