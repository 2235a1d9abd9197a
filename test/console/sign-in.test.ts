import { describe, expect, test } from '@jest/globals'
import { returnPath } from '../../src/console/cookies.ts'
import { limits } from '../../src/limits.ts'
import { entriesOf } from '../support/ledger-entries.ts'
import { browser } from '../support/connect.ts'
import {
  invitation,
  linkByMail,
  mailsTo,
  signedInAdmin,
  signedInByMail,
  startConsole,
  visitor,
} from '../support/console.ts'
import { startGate } from '../support/gate.ts'
import { useConsole } from '../support/use-gate.ts'
import { until } from '../support/until.ts'
import { signInPath } from '../../src/operations/sign-in/sign-in-path.ts'
import { testRows } from '../support/rows.ts'

const gate = useConsole()

let count = 0
const freshEmail = () => `person${++count}@example.com`
const admins = async (account: string) =>
  gate.database.asSuperuser(
    `select admin_id, email, removed_at from gate.admin where account_id = '${account}'`,
  )
const isSignedIn = async (someone: ReturnType<typeof visitor>) =>
  (await someone.open('/console')).status === 200

describe('signing in', () => {
  test('by a mailed link: requested, opened, its button pressed, and the session is that of the mailbox', async () => {
    const { account, addMember } = await gate.account()
    const email = freshEmail()
    await addMember({ name: 'Ada <b>Lovelace</b>', email })
    const someone = visitor(gate)
    const path = await linkByMail(gate, someone, email.toUpperCase())
    expect(mailsTo(gate, email)).toMatchObject([
      {
        to: email,
        subject: 'Sign in to Test',
        text: expect.stringContaining('It works once and expires after 15 minutes.'),
      },
    ])
    const page = await someone.open(path)
    expect([page.status, page.text]).toEqual([
      200,
      expect.stringContaining('You are signing in as a member.'),
    ])
    const pressed = await someone.send(path)
    expect([pressed.status, pressed.headers.get('location')]).toEqual([303, '/console'])
    const overview = await someone.open('/console')
    expect(overview.html).toContain('Ada &lt;b&gt;Lovelace&lt;/b&gt;')
    expect(overview.text).toContain(`Signed in as ${email}`)
    expect(await entriesOf(gate.database, account)).not.toContainEqual(
      expect.objectContaining({ kind: 'admin_changed' }),
    )
  })

  test('an invited administrator signs in by the printed link; the ledger names them by an id', async () => {
    const { account } = await gate.account()
    const someone = await signedInAdmin(gate, account, 'root@example.com')
    expect((await someone.open('/console')).text).toContain('Role administrator')
    const entries = await entriesOf(gate.database, account)
    expect(entries.at(-1)).toMatchObject({
      kind: 'admin_changed',
      entry: { actor: 'admin', data: { admin: (await admins(account))[0]!['admin_id'], change: 'invited' } },
    })
    expect(JSON.stringify(entries)).not.toContain('root@example.com')
  })

  test('a member who is also an administrator is signed in as both by a mail, and by a printed link as an administrator alone', async () => {
    const { account, addMember } = await gate.account()
    const email = freshEmail()
    await addMember({ email })
    // Whoever printed it need not read the member's mailbox, and must not consent in their name.
    const printed = await signedInAdmin(gate, account, email)
    expect((await printed.open('/console')).text).toMatch(/Role administrator Signed in/)
    const mailed = await signedInByMail(gate, email)
    expect((await mailed.open('/console')).text).toContain('Role administrator and member')
  })

  test('one mailbox in two accounts gets one mail with a link to each', async () => {
    const [a, b] = [await gate.account(), await gate.account()]
    const email = freshEmail()
    await a.addMember({ email })
    await invitation(gate, b.account, email)
    await linkByMail(gate, visitor(gate), email)
    const [mail, ...others] = mailsTo(gate, email)
    expect(others).toEqual([])
    const paths = mail!.text.match(/\/console\/sign-in\/[\w-]{43}/g)!
    expect(paths).toHaveLength(2)
    const pages = await Promise.all(paths.map(async (path) => (await visitor(gate).open(path)).text))
    expect(pages.filter((text) => text.includes('as an administrator'))).toHaveLength(1)
    expect(pages.filter((text) => text.includes('as a member'))).toHaveLength(1)
  })

  test('signing in again in the same browser opens a new session and ends the old one', async () => {
    const { account } = await gate.account()
    const someone = await signedInAdmin(gate, account)
    const former = someone.cookies.get('session')!
    await someone.send(await invitation(gate, account, 'root@example.com'))
    expect(someone.cookies.get('session')).not.toBe(former)
    const old = visitor(gate)
    old.cookies.set('session', former)
    expect([await isSignedIn(someone), await isSignedIn(old)]).toEqual([true, false])
  })
})

describe('signing in leads back', () => {
  test('to the page that was asked for, with its query, once, and in the browser that asked', async () => {
    const { account } = await gate.account()
    const asked = '/console/ledger?kind=refund&status=denied'
    const someone = visitor(gate)
    const refused = await someone.open(asked)
    expect([refused.status, refused.headers.get('location')]).toEqual([303, '/console/sign-in'])
    expect((await someone.open('/console/sign-in')).text).toContain('Sign in to open this page.')
    // Somebody with the same link elsewhere is not led there.
    const elsewhere = await visitor(gate).send(await invitation(gate, account, freshEmail()))
    expect(elsewhere.headers.get('location')).toBe('/console/policies/preset')
    const signedIn = await someone.send(await invitation(gate, account, freshEmail()))
    expect([signedIn.status, signedIn.headers.get('location')]).toEqual([303, asked])
    expect((await someone.open(asked)).status).toBe(200)
    const again = await someone.send(await invitation(gate, account, freshEmail()))
    expect(again.headers.get('location')).toBe('/console/policies/preset')
  })

  test('to the page of a form that was sent too late, and from the page to sign in at once who is signed in', async () => {
    const { account } = await gate.account()
    const someone = await signedInAdmin(gate, account)
    await gate.database.asSuperuser(`delete from gate_private.session where account_id = '${account}'`)
    const late = await someone.send('/console/members/new', { name: 'Ada' })
    expect([late.status, late.headers.get('location')]).toEqual([303, '/console/sign-in'])
    const back = await someone.send(await invitation(gate, account, freshEmail()))
    expect(back.headers.get('location')).toBe('/console/members/new')
  })

  testRows([
    '//evil.example/console/x',
    'https://evil.example/console/x',
    '/\\evil.example',
    '/console/../decide/x',
    '/console/%2e%2e/decide/x',
    '/console/..%2f..%2fx',
    '/console//evil.example',
    '/console@evil.example',
    '/console/x\r\nLocation: https://evil.example',
    '/console/sign-out',
    '/console/sign-in/sent',
    '/console/ledger.jsonl',
    `/console/${'x'.repeat(1_001)}`,
  ])('nowhere but to pages of the console', (asked) => {
    const path = returnPath(asked)
    if (path !== undefined) {
      const { origin, pathname } = new URL(path, 'https://gate.example')
      expect([origin, pathname.startsWith('/console/x')]).toEqual(['https://gate.example', true])
    }
    expect(path ?? '').not.toMatch(/evil|sign|decide|jsonl|[\r\n\\]/)
  })
})

describe('asking for a link', () => {
  test('is answered alike, byte by byte, for a mailbox that nobody has, and sends nothing there', async () => {
    const { addMember } = await gate.account()
    const [known, gone, unknown] = [freshEmail(), freshEmail(), freshEmail()]
    await addMember({ email: known })
    await (
      await gate.account()
    )
      .addMember({ email: gone })
      .then(async (member) =>
        gate.database.asSuperuser(
          `update gate.member set is_active = false where member_id = '${member.memberId}'`,
        ),
      )
    const answers = []
    for (const email of [known, gone, unknown]) {
      const { status, headers, html } = await visitor(gate).send('/console/sign-in', { email })
      const told = Object.fromEntries(headers)
      answers.push([status, html, { ...told, date: '', 'x-request-id': '' }])
    }
    expect(answers[1]).toEqual(answers[0])
    expect(answers[2]).toEqual(answers[0])
    await until('the mail', async () => mailsTo(gate, known)[0])
    await gate.deps.background.idle()
    expect([mailsTo(gate, gone), mailsTo(gate, unknown)]).toEqual([[], []])
  })

  test('answers before anything was looked up: with the database held up, both answers are there', async () => {
    const own = await startGate({ workers: false })
    try {
      await own.database.asSuperuser('alter table gate_private.mailbox rename to held_up')
      const someone = visitor(own)
      const { status, headers } = await someone.send('/console/sign-in', { email: freshEmail() })
      expect([status, headers.get('location')]).toEqual([303, '/console/sign-in/sent'])
      expect((await someone.open('/console/sign-in/sent')).status).toBe(200)
    } finally {
      await own.stop()
    }
  }, 60_000)

  testRows(['', 'ada', 'ada@example.com\r\nBcc: x@y.z', 'a@b@c', `${'a'.repeat(250)}@b.cd`])(
    'with what is no address is told so, and the form is there again',
    async (email) => {
      const page = await visitor(gate).send('/console/sign-in', { email })
      expect([page.status, page.text]).toEqual([422, expect.stringContaining('email must')])
      expect(page.html).toContain('action="/console/sign-in"')
    },
  )

  /** Asks for a mailbox, each time from another network, and waits until that is done. */
  async function strangersAsk(email: string, times: number): Promise<void> {
    for (let n = 0; n < times; n++) await visitor(gate).send('/console/sign-in', { email })
    await gate.deps.background.idle()
  }
  const agedBy = (account: string, interval: string) =>
    gate.database.asSuperuser(
      `update gate_private.sign_in_link set created_at = created_at - interval '${interval}',
         expires_at = expires_at - interval '${interval}' where account_id = '${account}'`,
    )

  test('from one network fills a mailbox with no more than a few links an hour, and leaves others their share', async () => {
    const { account, addMember } = await gate.account()
    const email = freshEmail()
    await addMember({ email })
    const someone = visitor(gate)
    const ask = async (times: number) => {
      for (let n = 0; n < times; n++) await someone.send('/console/sign-in', { email })
      await gate.deps.background.idle()
    }
    const most = limits.signInMailsPerAskerMax
    await ask(most + 2)
    expect(mailsTo(gate, email)).toHaveLength(most)
    await strangersAsk(email, 1)
    expect(mailsTo(gate, email)).toHaveLength(most + 1)
    await agedBy(account, '61 minutes')
    await ask(2)
    expect(mailsTo(gate, email)).toHaveLength(most + 3)
  })

  test('from unknown networks everywhere neither floods a mailbox nor keeps its owner out, and gets the same answer', async () => {
    const { account, addMember } = await gate.account()
    const email = freshEmail()
    await addMember({ email })
    const owner = await signedInByMail(gate, email)
    await strangersAsk(email, 40)
    const most = limits.signInMailsOfStrangersMax
    // The owner's first sign-in came from a network that was not known then.
    expect(mailsTo(gate, email)).toHaveLength(most)
    await owner.send('/console/sign-out')
    // From where they signed in before, whatever strangers asked for.
    await owner.send('/console/sign-in', { email })
    await gate.deps.background.idle()
    expect(mailsTo(gate, email)).toHaveLength(most + 1)
    // From anywhere else, they have a link that works: only they read that mailbox.
    const elsewhere = visitor(gate)
    const { status, headers } = await elsewhere.send('/console/sign-in', { email })
    await gate.deps.background.idle()
    expect([status, headers.get('location')]).toEqual([303, '/console/sign-in/sent'])
    expect(mailsTo(gate, email)).toHaveLength(most + 1)
    const [newest] = mailsTo(gate, email).toReversed()
    await agedBy(account, '9 minutes')
    const link = /\/console\/sign-in\/[\w-]{43}/.exec(newest!.text)![0]
    expect((await elsewhere.send(link)).status).toBe(303)
    expect(await isSignedIn(elsewhere)).toBe(true)
  })

  test('continues while unknown networks flood: when the last link is ten minutes old, the next request sends one', async () => {
    const { account, addMember } = await gate.account()
    const email = freshEmail()
    await addMember({ email })
    await strangersAsk(email, 40)
    let sent = mailsTo(gate, email).length
    expect(sent).toBe(limits.signInMailsOfStrangersMax)
    for (let round = 0; round < 3; round++) {
      await agedBy(account, '10 minutes 1 second')
      await strangersAsk(email, 10)
      expect(mailsTo(gate, email)).toHaveLength(++sent)
    }
    expect(limits.signInStandingMs).toBeLessThan(limits.signInLinkMs)
  })
})

test('an address that asks for too many links is told to wait', async () => {
  const own = await startGate({ workers: false })
  try {
    for (let n = 0; n < limits.signInsPerMinute; n++)
      expect((await visitor(own).send('/console/sign-in', { email: 'a@b.co' })).status).toBe(303)
    const refused = await visitor(own).send('/console/sign-in', { email: 'a@b.co' })
    expect([refused.status, refused.text]).toEqual([
      429,
      expect.stringContaining('Too many sign-in requests. Try again in '),
    ])
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    expect((await visitor(own).open('/console/sign-in')).status).toBe(200)
  } finally {
    await own.stop()
  }
}, 60_000)

test('all addresses of an IPv6 network count as one that asks', async () => {
  const own = await startConsole()
  try {
    const ask = async (n: number, network = '2001:db8:1:2') => {
      const address = `${network}:${n}::1`
      const { send } = browser('same-origin', { 'x-forwarded-for': address })
      return (await send(new URL('/console/sign-in', own.api.url), { email: 'a@b.co' })).status
    }
    for (let n = 0; n < limits.signInsPerMinute; n++) expect(await ask(n)).toBe(303)
    expect([await ask(99), await ask(1, '2001:db8:1:3')]).toEqual([429, 303])
  } finally {
    await own.stop()
  }
}, 60_000)

test('without an e-mail of its own the service says that it can send no link', async () => {
  const own = await startConsole({ env: { SANDBOX: '0', SLACK_BOT_TOKEN: 'xoxb-test' } })
  try {
    const someone = visitor(own)
    for (const page of [
      await someone.open('/console/sign-in'),
      await someone.send('/console/sign-in', { email: 'a@b.co' }),
    ]) {
      expect([page.status, page.text]).toEqual([
        200,
        expect.stringContaining('This service cannot send sign-in links'),
      ])
      expect(page.html).not.toContain('name="email"')
    }
  } finally {
    await own.stop()
  }
}, 60_000)

describe('a link', () => {
  test('is opened and looked at as often as somebody likes, and still works; then no more', async () => {
    const { account } = await gate.account()
    const path = await invitation(gate, account, freshEmail())
    for (let n = 0; n < 3; n++) {
      expect((await visitor(gate).open(path)).status).toBe(200)
      const head = await visitor(gate).open(path, 'HEAD')
      expect([head.status, head.html, head.headers.getSetCookie()]).toEqual([200, '', []])
    }
    const [first, second] = [visitor(gate), visitor(gate)]
    expect((await first.send(path)).status).toBe(303)
    const again = await second.send(path)
    expect([again.status, again.text]).toEqual([410, expect.stringContaining('This link was already used.')])
    expect([await isSignedIn(first), await isSignedIn(second)]).toEqual([true, false])
    expect((await visitor(gate).open(path)).status).toBe(410)
  })

  test('pressed by several at once signs in one', async () => {
    const { account } = await gate.account()
    const path = await invitation(gate, account, freshEmail())
    const answers = await Promise.all(Array.from({ length: 5 }, () => visitor(gate).send(path)))
    expect(answers.map(({ status }) => status).toSorted()).toEqual([303, 410, 410, 410, 410])
  })

  test('that has expired signs nobody in', async () => {
    const { account } = await gate.account()
    const path = await invitation(gate, account, freshEmail())
    await gate.database.asSuperuser(
      `update gate_private.sign_in_link set expires_at = clock_timestamp() where account_id = '${account}'`,
    )
    const someone = visitor(gate)
    const answer = await someone.send(path)
    expect([answer.status, answer.text]).toEqual([410, expect.stringContaining('This link has expired')])
    expect(await isSignedIn(someone)).toBe(false)
  })

  test('of a removed administrator signs nobody in, also after a new invitation', async () => {
    const { account } = await gate.account()
    const path = await invitation(gate, account, 'root@example.com')
    await removeAdmins(account)
    const answer = await visitor(gate).send(path)
    expect([answer.status, answer.text]).toEqual([
      410,
      expect.stringContaining('This link is no longer valid for its recipient.'),
    ])
    await invitation(gate, account, 'root@example.com')
    expect((await visitor(gate).send(path)).status).toBe(410)
  })

  test('of a member whose mailbox has changed signs nobody in', async () => {
    const { addMember } = await gate.account()
    const email = freshEmail()
    const { memberId } = await addMember({ email })
    const path = await linkByMail(gate, visitor(gate), email)
    await gate.database.asSuperuser(
      `update gate.member set email = '${freshEmail()}' where member_id = '${memberId}'`,
    )
    expect((await visitor(gate).send(path)).status).toBe(410)
  })

  test('of a member ends with the deactivation, and does not come back with the activation', async () => {
    const { account, addMember, setActive } = await gate.account()
    const [email, both] = [freshEmail(), freshEmail()]
    const members = [await addMember({ email }), await addMember({ email: both })]
    await invitation(gate, account, both)
    const paths = [
      await linkByMail(gate, visitor(gate), email),
      await linkByMail(gate, visitor(gate), both),
    ] as const
    for (const isActive of [false, true]) for (const member of members) await setActive(member, isActive)
    expect((await visitor(gate).send(paths[0])).status).toBe(410)
    const someone = visitor(gate)
    await someone.send(paths[1])
    expect((await someone.open('/console')).text).toMatch(/Role administrator Signed in/)
  })

  testRows(['x', 'A'.repeat(42), 'A'.repeat(43), 'A'.repeat(300), '%00', "'", '..%2f'])(
    'that nobody made is a page that tells nothing',
    async (token) => {
      for (const answer of [
        await visitor(gate).open(`${signInPath}/${token}`),
        await visitor(gate).send(`${signInPath}/${token}`),
      ]) {
        expect([answer.status, answer.headers.getSetCookie()]).toEqual([404, []])
        expect(answer.text).toContain('This link was not found.')
      }
    },
  )
})

describe('a session', () => {
  test('is a cookie that no script reads, no other site sends with a form, and no page shows', async () => {
    const { account } = await gate.account()
    const someone = visitor(gate)
    const answer = await someone.send(await invitation(gate, account, freshEmail()))
    const [cookie] = answer.headers.getSetCookie()
    expect(cookie).toMatch(/^session=[\w-]{43}; Max-Age=604800; Path=\/; HttpOnly; SameSite=Strict$/)
    const token = someone.cookies.get('session')!
    for (const path of ['/console', '/console/sessions'])
      expect((await someone.open(path)).html).not.toContain(token)
    const [row] = await gate.database.asSuperuser(
      `select * from gate_private.session where account_id = '${account}'`,
    )
    expect(JSON.stringify(row)).not.toContain(token)
  })

  test('is never one that a browser had before it signed in', async () => {
    const { account } = await gate.account()
    const someone = visitor(gate)
    const planted = 'A'.repeat(43)
    someone.cookies.set('session', planted)
    await someone.send(await invitation(gate, account, freshEmail()))
    expect(someone.cookies.get('session')).not.toBe(planted)
    const attacker = visitor(gate)
    attacker.cookies.set('session', planted)
    expect([await isSignedIn(someone), await isSignedIn(attacker)]).toEqual([true, false])
  })

  test.each([
    ['is idle for 12 hours', `seen_at = clock_timestamp() - interval '12 hours'`],
    ['is 7 days old, however much it is used', `expires_at = clock_timestamp()`],
  ])('ends when it %s', async (_, change) => {
    const { account } = await gate.account()
    const someone = await signedInAdmin(gate, account)
    await gate.database.asSuperuser(
      `update gate_private.session set ${change} where account_id = '${account}'`,
    )
    const answer = await someone.open('/console')
    expect([answer.status, answer.headers.get('location')]).toEqual([303, '/console/sign-in'])
  })

  test('that is used is not idle', async () => {
    const { account } = await gate.account()
    const someone = await signedInAdmin(gate, account)
    const age = (interval: string) =>
      gate.database.asSuperuser(
        `update gate_private.session set seen_at = clock_timestamp() - interval '${interval}' where account_id = '${account}'`,
      )
    await age('11 hours 59 minutes')
    expect(await isSignedIn(someone)).toBe(true)
    const [row] = await gate.database.asSuperuser(
      `select seen_at > clock_timestamp() - interval '1 minute' as seen from gate_private.session where account_id = '${account}'`,
    )
    expect(row).toEqual({ seen: true })
  })

  test('of an administrator who is removed ends at the next request', async () => {
    const { account } = await gate.account()
    const someone = await signedInAdmin(gate, account)
    await removeAdmins(account)
    expect(await isSignedIn(someone)).toBe(false)
  })

  test('of a member ends with the deactivation, and does not come back with the activation', async () => {
    const { addMember, setActive } = await gate.account()
    const email = freshEmail()
    const member = await addMember({ email })
    const someone = await signedInByMail(gate, email)
    expect(await isSignedIn(someone)).toBe(true)
    await setActive(member, false)
    expect(await isSignedIn(someone)).toBe(false)
    await setActive(member, true)
    expect(await isSignedIn(someone)).toBe(false)
  })

  test('of a removed administrator who is also a member continues as the member', async () => {
    const { account, addMember } = await gate.account()
    const email = freshEmail()
    await addMember({ email })
    await invitation(gate, account, email)
    const someone = await signedInByMail(gate, email)
    await removeAdmins(account)
    expect((await someone.open('/console')).text).toContain('Role member')
  })

  test('does not pass to the next member who gets the mailbox', async () => {
    const { addMember } = await gate.account()
    const email = freshEmail()
    const { memberId } = await addMember({ name: 'Ada', email })
    const someone = await signedInByMail(gate, email)
    await gate.database.asSuperuser(`update gate.member set email = null where member_id = '${memberId}'`)
    await addMember({ name: 'Bea', email })
    expect(await isSignedIn(someone)).toBe(false)
  })

  test('goes on in a suspended account, which says that it is', async () => {
    const { account, suspend } = await gate.account()
    const someone = await signedInAdmin(gate, account)
    await suspend(true)
    expect((await someone.open('/console')).text).toContain('This account is suspended')
  })

  test('ends when one signs out, and its cookie goes', async () => {
    const { account } = await gate.account()
    const someone = await signedInAdmin(gate, account)
    const token = someone.cookies.get('session')!
    const answer = await someone.send('/console/sign-out')
    expect([answer.status, answer.headers.get('location')]).toEqual([303, '/console/sign-in'])
    expect(someone.cookies.has('session')).toBe(false)
    someone.cookies.set('session', token)
    expect(await isSignedIn(someone)).toBe(false)
  })

  test('is listed with the others of its person, and each of them can be ended', async () => {
    const { account } = await gate.account()
    const [here, there] = [await signedInAdmin(gate, account), await signedInAdmin(gate, account)]
    const stranger = await signedInAdmin(gate, account, 'other@example.com')
    const listed = (html: string) =>
      [...html.matchAll(/\/console\/sessions\/(ses_\w{16})\/end"/g)].map(([, id]) => id!)
    const [other, ...more] = listed((await here.open('/console/sessions')).html)
    expect(more).toEqual([])
    const asked = await here.open(`/console/sessions/${other}/end`)
    expect([asked.status, await isSignedIn(there)]).toEqual([200, true])
    const ended = await here.send(`/console/sessions/${other}/end`)
    expect([ended.status, ended.headers.get('location')]).toEqual([303, '/console/sessions'])
    expect((await here.open('/console/sessions')).text).toContain('Session ended.')
    expect((await here.open('/console/sessions')).text).not.toContain('Session ended.')
    expect([await isSignedIn(here), await isSignedIn(there), await isSignedIn(stranger)]).toEqual([
      true,
      false,
      true,
    ])
  })

  test("of somebody else does not exist, in one's own account and in another", async () => {
    const [a, b] = [await gate.account(), await gate.account()]
    const me = await signedInAdmin(gate, a.account)
    await signedInAdmin(gate, a.account, 'other@example.com')
    const others = await signedInAdmin(gate, b.account)
    const rows = await gate.database.asSuperuser(
      `select s.session_id from gate_private.session s join gate.admin a using (account_id, admin_id)
       where account_id = '${b.account}' or (account_id = '${a.account}' and a.email = 'other@example.com')`,
    )
    expect(rows).toHaveLength(2)
    for (const id of [...rows.map((row) => String(row['session_id'])), 'ses_0000000000000000', 'x', '%00']) {
      const path = `/console/sessions/${id}/end`
      expect([(await me.open(path)).status, (await me.send(path)).status]).toEqual([404, 404])
    }
    expect(await isSignedIn(others)).toBe(true)
  })
})

async function removeAdmins(account: string): Promise<void> {
  await gate.database.asSuperuser(
    `update gate.admin set removed_at = clock_timestamp() where account_id = '${account}'`,
  )
}

test('sessions are forgotten an hour after their end, links a day after theirs, and nothing else', async () => {
  const { account } = await gate.account()
  await signedInAdmin(gate, account)
  const open = await invitation(gate, account, 'root@example.com')
  await gate.database.asSuperuser(`
    update gate_private.sign_in_link set expires_at = clock_timestamp() - interval '24 hours 1 minute'
    where account_id = '${account}' and used_at is not null`)
  const forget = () => gate.database.asSuperuser(`select gate.forget_sign_ins(43200000, 100) as n`)
  expect(Number((await forget())[0]!['n'])).toBe(1)
  await gate.database.asSuperuser(`
    update gate_private.session set seen_at = clock_timestamp() - interval '13 hours 1 minute'
    where account_id = '${account}'`)
  expect(Number((await forget())[0]!['n'])).toBe(1)
  expect((await visitor(gate).open(open)).status).toBe(200)
})

test('an unread browser cookie of the plain http console is not read by the https one', async () => {
  const own = await startGate({ workers: false, env: { PUBLIC_URL: 'https://gate.example' } })
  try {
    const { account } = await own.account()
    const someone = browser()
    const answer = await someone.send(new URL(await invitation(own, account, 'a@b.co'), own.api.url))
    expect(answer.headers.getSetCookie()[0]).toMatch(
      /^__Host-session=[\w-]{43}; Max-Age=604800; Path=\/; HttpOnly; Secure; SameSite=Strict$/,
    )
    const token = someone.cookies.get('__Host-session')!
    expect((await someone.open(`${own.api.url}/console`)).status).toBe(200)
    someone.cookies.clear()
    someone.cookies.set('session', token)
    expect((await someone.open(`${own.api.url}/console`)).status).toBe(303)
  } finally {
    await own.stop()
  }
}, 60_000)
