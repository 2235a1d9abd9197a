import { describe, expect, test } from '@jest/globals'
import { takeIdentityNotices } from '../../src/db/queries/members/identity-notices.ts'
import { verifyLedger } from '../../src/ledger/verify.ts'
import { limits } from '../../src/limits.ts'
import { confirmIdentity } from '../../src/operations/members/confirm-identity.ts'
import { readMember } from '../../src/operations/members/read-member.ts'
import { gateOn } from '../cli/gate-command.ts'
import { entriesOf, overtake } from '../support/ledger-entries.ts'
import {
  askedByMail,
  askedInSlack,
  clickBody,
  decideBy,
  interact,
  linksTo,
  slackRequests,
} from '../support/consent.ts'
import {
  type Visitor,
  linkByMail,
  mailsTo,
  signedInAdmin,
  signedInByMail,
  visitor,
} from '../support/console.ts'
import { formOf } from '../support/form-of.ts'
import { useConsole } from '../support/use-gate.ts'
import { until } from '../support/until.ts'

const gate = useConsole({ workers: true })

let scenes = 0
type Floor = 'agent_attested' | 'chat' | 'page'

/** An account with two administrators, and a member whom one of them is about to take the place of. */
async function scene({ floor = 'page' as Floor, has = ['email', 'slack'] } = {}) {
  const account = await gate.account()
  const n = ++scenes
  const setPolicy = (settings: Record<string, unknown> = {}) =>
    account.setPolicy({ kinds: { broadcast: { tier: 'guarded_write', consent: floor } }, ...settings })
  await setPolicy()
  const [old, fresh] = [`ada${n}@example.com`, `not-ada${n}@example.com`]
  const slack = `U000ADA${n}`
  const ada = await account.addMember({
    name: 'Ada',
    ...(has.includes('email') ? { email: old } : {}),
    ...(has.includes('slack') ? { slack } : {}),
    tier: 'guarded_write',
  })
  const [eve, bob] = [
    await signedInAdmin(gate, account.account, `eve${n}@example.com`),
    await signedInAdmin(gate, account.account, `bob${n}@example.com`),
  ]
  const path = `/console/members/${ada.memberId}`
  const stored = () => readMember({ db: gate.database.db, account: account.account }, ada.memberId)
  return {
    ...account,
    n,
    old,
    fresh,
    slack,
    ada,
    eve,
    bob,
    path,
    setPolicy,
    stored,
    async change(identities: { email?: string; slack?: string }, by: Visitor = eve) {
      const form = formOf((await by.open(`${path}/edit`)).html)
      const answer = await by.send(`${path}/edit`, { ...form, ...identities })
      expect(answer.status).toBe(303)
    },
    async propose() {
      const { email, slack: external_id } = await stored()
      const actor = email ? { email } : { provider: 'slack', external_id }
      const { status, body } = await account.client.propose(
        actor as { email: string },
        `Lunch ${n} is at noon.`,
      )
      expect([status, body.status]).toEqual([201, 'proposed'])
      return { id: body.id as number, actor: actor as { email: string } }
    },
    async approve(who: Visitor, id: number) {
      const at = `/console/proposals/${id}`
      return who.send(at, { ...formOf((await who.open(at)).html), does: 'confirm' })
    },
    async confirmation(by: Visitor, via = 'email') {
      const at = `${path}/confirm/${via}`
      const page = await by.open(at)
      return { page, send: () => by.send(at, formOf(page.html)) }
    },
    async confirmChange(by: Visitor, via = 'email') {
      return (await this.confirmation(by, via)).send()
    },
    row: async (id: number) => (await account.client.get(id)).body,
    executed: (id: number) =>
      until('executed', async () => {
        const { body } = await account.client.get(id)
        return body.status === 'executed' && body
      }),
    refusals: async (id: number) =>
      (await entriesOf(gate.database, account.account, id))
        .filter(({ kind }) => kind === 'decision_refused')
        .map(({ entry }) => [entry.data['reason'], entry.data['source']]),
    /** The data of the decision's entry. */
    decided: async (id: number) =>
      (await entriesOf(gate.database, account.account, id)).find(
        ({ kind }) => kind === 'confirmed' || kind === 'cancelled',
      )!.entry.data,
    /** Makes every change so many hours older. */
    pass: (hours: number) =>
      gate.database.asSuperuser(
        `update gate.identity_change set changed_at = changed_at - interval '${hours} hours',
           set_at = set_at - interval '${hours} hours' where account_id = '${account.account}'`,
      ),
    cap: async (via: string) => {
      const [row] = await gate.database.asSuperuser(
        `select gate_private.strength_cap('${account.account}', '${ada.memberId}', '${via}') as cap,
           gate_private.mailbox_age_hours('${account.account}', '${ada.memberId}', '${via}') as age`,
      )
      return [row!['cap'], row!['age']]
    },
    mailsAbout: (address: string) =>
      mailsTo(gate, address).filter(({ subject }) => /was (changed|removed|added)$/.test(subject ?? '')),
    slackAbout: (user: string) =>
      gate.sandbox
        .messages(1_000)
        .filter(({ channel, to, text }) => channel === 'slack' && to === user && /\nChanged by: /.test(text)),
    isSound: async () => (await verifyLedger(gate.database.db, account.account))?.ok,
  }
}

describe('an administrator who changed the address of a member and reads the new one', () => {
  test('cannot approve below a floor of page by a session: the row stays open, and the refusal is written down', async () => {
    const one = await scene()
    await one.change({ email: one.fresh })
    const { id } = await one.propose()
    const intruder = await signedInByMail(gate, one.fresh)
    const answer = await one.approve(intruder, id)
    expect(answer.status).toBe(409)
    expect(answer.text).toMatch(
      /Your e-mail address changed recently\. Until \S+Z a decision through it counts as agent_attested/,
    )
    expect((await one.row(id)).status).toBe('proposed')
    expect(await one.refusals(id)).toEqual([['unsettled_identity', 'console']])
    expect([
      await one.cap('console'),
      await one.cap('email'),
      await one.cap('slack'),
      await one.cap('api'),
    ]).toEqual([
      ['agent_attested', 0],
      ['agent_attested', 0],
      [null, 0],
      [null, null],
    ])
    expect(await one.isSound()).toBe(true)
  })

  test('is not asked at that address: the confirm says why, and denies and changes nothing', async () => {
    const one = await scene()
    await one.change({ email: one.fresh })
    const { id, actor } = await one.propose()
    const answer = await one.client.confirm(id, actor)
    expect(answer.status).toBe(409)
    expect(answer.body.error).toMatch(
      /^This member's e-mail address changed recently\. Until \S+Z .* No consent request was sent, and action \d+ stays open\./,
    )
    expect(await one.row(id)).toMatchObject({ status: 'proposed' })
    expect(await one.refusals(id)).toEqual([['unsettled_identity', 'api']])
    expect(linksTo(gate, one.fresh)).toEqual([])
    await one.confirmChange(one.bob)
    expect((await one.client.confirm(id, actor)).body.consent_request).toMatchObject({
      requested_via: 'email',
    })
    await decideBy((await askedByMail(gate, one.fresh)).link)
    expect((await one.executed(id)).consent).toMatchObject({ strength: 'page' })
  })

  test('cannot approve by a link either, and the link still works once the change is confirmed', async () => {
    const one = await scene()
    await one.setPolicy({ mailbox_settles_after_hours: 0 })
    await one.change({ email: one.fresh })
    const { id, actor } = await one.propose()
    expect((await one.client.confirm(id, actor)).status).toBe(202)
    const { link } = await askedByMail(gate, one.fresh)
    await one.setPolicy({ mailbox_settles_after_hours: 24 })
    const refused = await decideBy(link)
    expect([refused.status, refused.text]).toEqual([
      409,
      expect.stringContaining('Nothing was executed, and the request stays open.'),
    ])
    expect(await one.refusals(id)).toEqual([['unsettled_identity', 'email']])
    expect((await one.confirmChange(one.bob)).status).toBe(303)
    expect((await decideBy(link)).status).toBe(200)
    expect((await one.executed(id)).consent).toMatchObject({ strength: 'page', channel: 'email' })
  })

  test('decides as the word of an agent where that suffices, and the row and its entry say so', async () => {
    const one = await scene({ floor: 'agent_attested' })
    await one.change({ email: one.fresh })
    const { id } = await one.propose()
    const intruder = await signedInByMail(gate, one.fresh)
    expect((await one.approve(intruder, id)).status).toBe(303)
    expect((await one.executed(id)).consent).toMatchObject({ strength: 'agent_attested', channel: 'console' })
    expect(await one.decided(id)).toMatchObject({ strength: 'agent_attested', mailbox_age_hours: 0 })
    const page = await one.eve.open(`/console/ledger/${id}`)
    expect(page.text).toMatch(/Decision agent_attested by \S+ in the console/)
    expect(await one.isSound()).toBe(true)
  })

  test('declines as no more than that', async () => {
    const one = await scene()
    await one.change({ email: one.fresh })
    const { id } = await one.propose()
    const intruder = await signedInByMail(gate, one.fresh)
    const at = `/console/proposals/${id}`
    await intruder.send(at, { ...formOf((await intruder.open(at)).html), does: 'decline' })
    expect((await one.row(id)).consent).toMatchObject({ strength: 'agent_attested' })
    expect(await one.decided(id)).toMatchObject({ strength: 'agent_attested', mailbox_age_hours: 0 })
  })

  test('gains nothing by removing the address first, nor while the member is deactivated', async () => {
    const one = await scene()
    await one.change({ email: '' })
    await one.eve.send(`${one.path}/deactivate`)
    await one.change({ email: one.fresh })
    await one.eve.send(`${one.path}/activate`)
    const { id } = await one.propose()
    const intruder = await signedInByMail(gate, one.fresh)
    expect((await one.approve(intruder, id)).status).toBe(409)
    // The owner of the first address is told of both steps.
    await until('both are told', async () => one.mailsAbout(one.old).length === 2)
    expect(one.mailsAbout(one.old).map(({ subject }) => subject)).toEqual([
      expect.stringMatching(/^Your e-mail address in Test was removed$/),
      expect.stringMatching(/^Your e-mail address in Test was changed$/),
    ])
  })

  test('gains nothing by a change that comes while the decision is on its way', async () => {
    const one = await scene()
    await one.setPolicy({ mailbox_settles_after_hours: 0 })
    await one.change({ email: one.fresh })
    const { id } = await one.propose()
    const intruder = await signedInByMail(gate, one.fresh)
    const answer = await overtake(
      gate.database,
      one.account,
      () => one.approve(intruder, id),
      `with p as (
         insert into gate.policy (account_id, version, document)
         select account_id, policy_version + 1, '{"mailbox_settles_after_hours":24,"kinds":{"broadcast":{"tier":"guarded_write","consent":"page"}}}'
         from gate.account where account_id = '${one.account}')
       update gate.account set policy_version = policy_version + 1 where account_id = '${one.account}'`,
    )
    expect([answer.status, (await one.row(id)).status]).toEqual([409, 'proposed'])
  })

  test('an administrator at whose own mailbox it points does not become the member by the session they have', async () => {
    const one = await scene()
    const bobs = `bob${one.n}@example.com`
    const another = visitor(gate)
    const inFlight = await linkByMail(gate, another, bobs)
    await one.change({ email: bobs })
    const { id } = await one.propose()
    expect((await one.bob.open(`/console/proposals/${id}`)).html).not.toContain('name="does"')
    const forged = { ...formOf((await one.bob.open('/console/members/new')).html), does: 'confirm' }
    expect((await one.bob.send(`/console/proposals/${id}`, forged)).status).toBeGreaterThanOrEqual(400)
    // A link that was on its way is the administrator's alone, and does not make them the member either.
    expect((await another.send(inFlight)).status).toBe(303)
    expect((await another.open(`/console/proposals/${id}`)).html).not.toContain('name="does"')
    // A new link is both, and decides as any changed mailbox does.
    const both = await signedInByMail(gate, bobs)
    expect((await one.approve(both, id)).status).toBe(409)
    const own = await one.confirmChange(one.bob)
    expect([own.status, own.text]).toEqual([403, expect.stringContaining('This is your own address.')])
    expect((await one.row(id)).status).toBe('proposed')
  })
})

describe('a changed Slack identity', () => {
  test('is not asked for chat: the mailbox is, which proves more', async () => {
    const one = await scene({ floor: 'chat' })
    const other = `U0OTHER${one.n}`
    await one.change({ slack: other })
    const { id, actor } = await one.propose()
    expect((await one.client.confirm(id, actor)).body.consent_request).toMatchObject({
      requested_via: 'email',
    })
    await decideBy((await askedByMail(gate, one.old)).link)
    expect((await one.executed(id)).consent).toMatchObject({ strength: 'page' })
    expect(slackRequests(gate, other)).toEqual([])
  })

  test('where there is nothing else, the row stays open, a button counts as no chat, and a second administrator mends it', async () => {
    const one = await scene({ floor: 'chat', has: ['slack'] })
    const other = `U0OTHER${one.n}`
    await one.setPolicy({ mailbox_settles_after_hours: 0 })
    await one.change({ slack: other })
    const { id, actor } = await one.propose()
    expect((await one.client.confirm(id, actor)).status).toBe(202)
    const { token } = await askedInSlack(gate, other)
    await one.setPolicy()
    await interact(gate.api.url, clickBody({ token: token!, user: other }))
    expect(await one.refusals(id)).toEqual([['unsettled_identity', 'slack']])
    const second = await one.propose()
    const refused = await one.client.confirm(second.id, actor)
    expect([refused.status, refused.body.error]).toEqual([
      409,
      expect.stringMatching(/^This member's Slack identity changed recently/),
    ])
    expect((await one.confirmChange(one.bob, 'slack')).status).toBe(303)
    await interact(gate.api.url, clickBody({ token: token!, user: other }))
    expect((await one.executed(id)).consent).toMatchObject({ strength: 'chat' })
  })

  test('that is the first beside a mailbox is none yet: requests go by mail, and the mailbox is told', async () => {
    const one = await scene({ floor: 'chat', has: ['email'] })
    await one.change({ slack: one.slack })
    expect(await one.cap('slack')).toEqual(['agent_attested', 0])
    const { id, actor } = await one.propose()
    expect((await one.client.confirm(id, actor)).body.consent_request).toMatchObject({
      requested_via: 'email',
    })
    const [told] = await until('the mailbox is told', async () => {
      const mails = one.mailsAbout(one.old)
      return mails.length > 0 && mails
    })
    expect(told!.subject).toBe('Your Slack identity in Test was added')
    expect(told!.text).toMatch(
      /Until \S+Z, decisions through the new identity count only as the agent's word/,
    )
    expect(slackRequests(gate, one.slack)).toEqual([])
    await one.confirmChange(one.bob, 'slack')
    expect(await one.cap('slack')).toEqual([null, 0])
  })

  test('a first Slack identity after the mailbox was removed, or added together with its removal, must be confirmed too', async () => {
    const one = await scene({ has: ['email'] })
    await one.change({ email: '', slack: one.slack })
    expect(await one.cap('slack')).toEqual(['agent_attested', 0])
    const other = await scene({ has: ['email'] })
    await other.change({ email: '' })
    await other.change({ slack: other.slack })
    expect(await other.cap('slack')).toEqual(['agent_attested', 0])
    const third = await scene({ has: [] })
    await third.change({ email: third.fresh })
    await third.change({ slack: third.slack })
    expect(await third.cap('slack')).toEqual(['agent_attested', 0])
  })

  test('leaves the mailbox as strong as it was', async () => {
    const one = await scene()
    await one.change({ slack: `U0OTHER${one.n}` })
    const { id } = await one.propose()
    expect((await one.approve(await signedInByMail(gate, one.old), id)).status).toBe(303)
    expect((await one.executed(id)).consent).toMatchObject({ strength: 'page' })
  })
})

describe('an identity counts in full at once:', () => {
  test('the mailbox a member was added with', async () => {
    const one = await scene()
    const { id } = await one.propose()
    expect((await one.approve(await signedInByMail(gate, one.old), id)).status).toBe(303)
    expect((await one.executed(id)).consent).toMatchObject({ strength: 'page' })
    expect(await one.decided(id)).toMatchObject({ strength: 'page', mailbox_age_hours: 0 })
  })

  test('the first mailbox of a member who had none; the one after that does not', async () => {
    const one = await scene({ has: ['slack'] })
    await one.change({ email: one.fresh })
    const { id } = await one.propose()
    expect((await one.approve(await signedInByMail(gate, one.fresh), id)).status).toBe(303)
    expect((await one.executed(id)).consent).toMatchObject({ strength: 'page' })
    await one.change({ email: one.old })
    expect(await one.cap('email')).toEqual(['agent_attested', 0])
  })

  test('the first Slack identity of a member who never had a mailbox, also one that is set with their first mailbox', async () => {
    const one = await scene({ has: [] })
    await one.change({ slack: one.slack })
    expect(await one.cap('slack')).toEqual([null, 0])
    const other = await scene({ has: [] })
    await other.change({ email: other.fresh, slack: other.slack })
    expect([await other.cap('slack'), await other.cap('email')]).toEqual([
      [null, 0],
      [null, 0],
    ])
  })

  test('an address that is written with other capitals, since it is the same', async () => {
    const one = await scene()
    await one.change({ email: one.old.toUpperCase() })
    expect(await one.cap('email')).toEqual([null, 0])
    expect(one.mailsAbout(one.old)).toEqual([])
  })

  test('a changed mailbox once a day has passed, and the entry tells its age', async () => {
    const one = await scene()
    await one.change({ email: one.fresh })
    const { id } = await one.propose()
    const intruder = await signedInByMail(gate, one.fresh)
    await one.pass(23)
    expect((await one.approve(intruder, id)).status).toBe(409)
    expect(await one.cap('email')).toEqual(['agent_attested', 23])
    await one.pass(2)
    expect((await one.approve(intruder, id)).status).toBe(303)
    expect((await one.executed(id)).consent).toMatchObject({ strength: 'page' })
    expect(await one.decided(id)).toMatchObject({ strength: 'page', mailbox_age_hours: 25 })
    expect(await one.cap('email')).toEqual([null, 25])
  })

  test('the time is the policy’s', async () => {
    const one = await scene()
    await one.change({ email: one.fresh })
    await one.setPolicy({ mailbox_settles_after_hours: 2 })
    await one.pass(1)
    expect(await one.cap('email')).toEqual(['agent_attested', 1])
    await one.pass(1.1)
    expect(await one.cap('email')).toEqual([null, 2])
  })
})

describe('a second administrator', () => {
  test('confirms the change: decisions count in full, and the ledger says who confirmed', async () => {
    const one = await scene()
    await one.change({ email: one.fresh })
    const shown = await one.bob.open(one.path)
    expect(shown.text).toMatch(
      /Address changed \S+ \S+ UTC just now by eve\d+@example\.com\. Until \S+ \S+ UTC in 2\d hours decisions through it count as agent_attested ?\. Confirm address/,
    )
    const { page, send } = await one.confirmation(one.bob)
    expect(page.text).toContain(one.fresh)
    const answer = await send()
    expect([answer.status, answer.headers.get('location')]).toEqual([303, one.path])
    const after = await one.bob.open(one.path)
    expect(after.text).toContain('Change confirmed.')
    expect(after.text).not.toContain('Address changed')
    const { id } = await one.propose()
    expect((await one.approve(await signedInByMail(gate, one.fresh), id)).status).toBe(303)
    expect((await one.executed(id)).consent).toMatchObject({ strength: 'page' })
    const entry = (await entriesOf(gate.database, one.account)).find(
      ({ entry: { data } }) => data['change'] === 'identity_confirmed',
    )!
    expect(entry).toMatchObject({
      kind: 'member_changed',
      entry: { data: { member: one.ada.memberId, change: 'identity_confirmed', fields: ['email'] } },
    })
    expect(entry.entry.actor).toMatch(/^admin:adm_/)
    expect(await one.isSound()).toBe(true)
  })

  test('who made the change cannot confirm it, and is not offered to', async () => {
    const one = await scene()
    await one.change({ email: one.fresh })
    const page = await one.eve.open(one.path)
    expect(page.text).toContain('unless another administrator confirms the change')
    expect(page.html).not.toContain('/confirm/email')
    const answer = await one.confirmChange(one.eve)
    expect([answer.status, answer.text]).toEqual([403, expect.stringContaining('You made this change.')])
    expect(await one.cap('email')).toEqual(['agent_attested', 0])
  })

  test('who became an administrator after the change cannot, nor who is none any more', async () => {
    const one = await scene()
    await one.change({ email: one.fresh })
    const mallory = await signedInAdmin(gate, one.account, `mallory${one.n}@example.com`)
    const answer = await one.confirmChange(mallory)
    expect([answer.status, answer.text]).toEqual([
      403,
      expect.stringContaining('You became an administrator after this change.'),
    ])
    const { send } = await one.confirmation(one.bob)
    await gate.database.asSuperuser(
      `update gate.admin set removed_at = now() where account_id = '${one.account}' and email like 'bob%'`,
    )
    expect((await send()).headers.get('location')).toMatch(/^\/console\/sign-in/)
    expect(await one.cap('email')).toEqual(['agent_attested', 0])
  })

  test('a form of one change confirms no other', async () => {
    const one = await scene()
    await one.change({ email: one.fresh })
    const { send } = await one.confirmation(one.bob)
    await one.change({ email: `third${one.n}@example.com` })
    const late = await send()
    expect([late.status, late.text]).toEqual([
      409,
      expect.stringContaining('The identity was changed again since you opened this page.'),
    ])
    expect((await one.confirmChange(one.bob)).status).toBe(303)
    await one.change({ email: one.fresh })
    expect(await one.cap('email')).toEqual(['agent_attested', 0])
  })

  test('what the command line changed is confirmed by any administrator, and not by the command line', async () => {
    const one = await scene()
    const cli = gateOn({ DATABASE_URL: gate.database.serviceUrl })
    const update = [
      'member',
      'update',
      '--account',
      one.account,
      '--email',
      one.old,
      '--new-email',
      one.fresh,
    ]
    expect((await cli(...update)).code).toBe(0)
    const [change] = (await one.stored()).identityChanges
    expect(change).toMatchObject({ via: 'email', changedBy: 'admin' })
    const context = { db: gate.database.db, account: one.account, session: null }
    await expect(
      confirmIdentity(context, one.ada.memberId, { via: 'email', changedAt: change!.changedAt }),
    ).rejects.toMatchObject({ code: 'forbidden' })
    expect((await one.eve.open(one.path)).text).toMatch(/Address changed .* by the command line\./)
    expect((await one.confirmChange(one.eve)).status).toBe(303)
  })

  test('a page for what was not changed is not there', async () => {
    const one = await scene()
    for (const via of ['email', 'slack', 'fax'])
      expect((await one.bob.open(`${one.path}/confirm/${via}`)).status).toBe(404)
  })
})

describe('the member who had the identity before', () => {
  test('is told by mail and in Slack: what, who, when and what to do, and not the new address', async () => {
    const one = await scene()
    await one.change({ email: one.fresh })
    const mail = await until('a mail', async () => one.mailsAbout(one.old)[0])
    const slack = await until('a message', async () => one.slackAbout(one.slack)[0])
    for (const text of [mail.text, slack.text]) {
      expect(text).toContain('Your e-mail address in Test was changed to n…@example.com.')
      expect(text).toMatch(/Changed by: eve\d+@example\.com\nTime: \S+Z/)
      expect(text).toContain('contact another administrator of Test now')
      expect(text).toMatch(/Until \S+Z, decisions through the new identity count only as the agent's word/)
      expect(text).not.toContain(one.fresh)
    }
    expect(one.mailsAbout(one.fresh)).toEqual([])
    await until('no message waits', async () => (await waitingNotices(one.account)) === 0)
  })

  test('a change of the Slack identity is told to the old one and by mail, a removal and a first address too', async () => {
    const one = await scene()
    await one.change({ slack: `U0OTHER${one.n}` })
    const told = await until('told', async () => one.slackAbout(one.slack)[0])
    expect(told.text).toMatch(/^Your Slack identity in Test was changed to U…\w\w\./)
    await until('told by mail', async () => one.mailsAbout(one.old).length === 1)
    await one.change({ slack: '' })
    await until('told of the removal', async () => one.mailsAbout(one.old).length === 2)
    expect(one.mailsAbout(one.old)[1]!.text).toMatch(/^Your Slack identity in Test was removed\./)
    const other = await scene({ has: ['slack'] })
    await other.change({ email: other.fresh })
    const first = await until('told', async () => other.slackAbout(other.slack)[0])
    expect(first.text).toMatch(/^The e-mail address n…@example\.com was added to your membership in Test\./)
  })

  test('is told of what the command line changed', async () => {
    const one = await scene()
    const cli = gateOn({ DATABASE_URL: gate.database.serviceUrl })
    await cli('member', 'update', '--account', one.account, '--email', one.old, '--remove-email')
    const mail = await until('a mail', async () => one.mailsAbout(one.old)[0])
    expect(mail.text).toContain('Your e-mail address in Test was removed.')
    expect(mail.text).toContain('Changed by: the command line of the service')
  })

  test('is told after everything was down between the change and the message, and after a process died with it', async () => {
    const one = await scene()
    await gate.stopWorkers()
    try {
      await one.change({ email: one.fresh })
      expect(await waitingNotices(one.account)).toBe(2)
      // Taken by a process that was killed before it sent anything.
      const taken = await takeIdentityNotices(gate.database.db, 10, limits.identityNoticeAgainMs)
      expect(taken.map(({ account_id, tries }) => [account_id, tries])).toEqual([
        [one.account, 1],
        [one.account, 1],
      ])
      expect(await takeIdentityNotices(gate.database.db, 10, limits.identityNoticeAgainMs)).toEqual([])
      await gate.database.asSuperuser(`update gate_private.identity_notice_due set due_at = now()`)
    } finally {
      await gate.startWorkers()
    }
    await until('a mail', async () => one.mailsAbout(one.old)[0])
    await until('nothing waits', async () => (await waitingNotices(one.account)) === 0)
    expect([one.mailsAbout(one.old).length, one.slackAbout(one.slack).length]).toEqual([1, 1])
  }, 60_000)

  test('what cannot be sent is tried so many times, and no change makes more than so many messages wait', async () => {
    const one = await scene()
    await gate.stopWorkers()
    try {
      for (let n = 0; n < 12; n++) await one.change({ email: `other${n}.${one.n}@example.com` })
      expect(await waitingNotices(one.account)).toBe(20)
      await gate.database.asSuperuser(
        `update gate_private.identity_notice_due set tries = ${limits.identityNoticeTriesMax - 1};
         update gate.identity_notice set via = 'slack', address = 'nobody'`,
      )
    } finally {
      await gate.startWorkers()
    }
    await until('given up', async () => (await waitingNotices(one.account)) === 0)
  }, 60_000)
})

async function waitingNotices(account: string): Promise<number> {
  const [row] = await gate.database.asSuperuser(
    `select (select count(*) from gate.identity_notice where account_id = '${account}')::int as notices,
       (select count(*) from gate_private.identity_notice_due where account_id = '${account}')::int as due`,
  )
  expect(row!['due']).toBe(row!['notices'])
  return row!['notices'] as number
}
