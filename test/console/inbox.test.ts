import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { lookOf } from '../../src/console/cookies.ts'
import { groupsOf } from '../../src/console/proposals/inbox-part.ts'
import { verifyLedger } from '../../src/ledger/verify.ts'
import { limits } from '../../src/limits.ts'
import type { PageAnswer } from '../support/connect.ts'
import { type Visitor, signedInAdmin, signedInByMail, startConsole } from '../support/console.ts'
import { formOf } from '../support/form-of.ts'
import type { TestGate } from '../support/gate.ts'
import { entriesOf, overtake } from '../support/ledger-entries.ts'
import { callTool } from '../support/mcp-tool.ts'
import { until } from '../support/until.ts'

let gate: TestGate
beforeAll(async () => {
  gate = await startConsole()
}, 60_000)
afterAll(() => gate.stop())

const path = '/console/proposals'
let people = 0

/** A member with a mailbox, whom an agent asks about messages and refunds, at the console. */
async function inbox() {
  const account = await gate.account()
  const refunds = { bands: { usd: [{ tier: 'write', consent: 'page' }] } }
  await account.setPolicy({
    open_max_per_member: 200,
    kinds: { broadcast: { tier: 'guarded_write', consent: 'page' }, refund: refunds },
  })
  const email = `ines${++people}@example.com`
  const member = await account.addMember({ name: 'Ines', email, tier: 'write' })
  const actor = { email }
  return {
    ...account,
    member,
    email,
    visitor: await signedInByMail(gate, email),
    says: async (message: string) => (await account.client.propose(actor, message)).body.id as number,
    refunds: async (cents: number) => {
      const given = { actor, payment: 'pi_Sandbox05', amount_cents: cents }
      return (await callTool(account.client, 'issue_refund', given)).body.id as number
    },
    cancels: (id: number) => account.client.cancel(id, actor),
    row: async (id: number) => (await account.client.get(id)).body,
    entries: async (id: number, kind: string) =>
      (await entriesOf(gate.database, account.account, id)).filter((one) => one.kind === kind),
    isSound: async () => (await verifyLedger(gate.database.db, account.account))?.ok,
  }
}

/** The form of the list, with only these selected. */
function selecting(page: PageAnswer, does: string, ids: number[]): Record<string, string> {
  const fields = formOf(page.html, path)
  const kept = Object.entries(fields).filter(
    ([name]) => !name.startsWith('pick_') || ids.includes(Number(name.slice(5))),
  )
  return { ...Object.fromEntries(kept), does }
}

/** What the page after a press says became of each. */
const outcomesOf = ({ html }: PageAnswer): Record<string, string> =>
  Object.fromEntries(
    [...html.matchAll(/data-id="(\d+)" data-outcome="(\w+)"/g)].map(([, id, said]) => [id!, said!]),
  )

const listed = ({ html }: PageAnswer): number[] =>
  [...html.matchAll(/<li data-id="(\d+)" data-shown/g)].map(([, id]) => Number(id))

async function expire(one: { account: string }, id: number, inHours: number): Promise<void> {
  await gate.database.asSuperuser(
    `update gate.action set expires_at = now() + interval '${inHours} hours' where account_id = '${one.account}' and id = ${id}`,
  )
}

test('the list shows what expires first, alike ones together: who asks, why, what it costs, until when, and its whole card', async () => {
  const one = await inbox()
  const [lunch, first, dinner, second] = [
    await one.says('Lunch <b>is</b> at noon.'),
    await one.refunds(4_500),
    await one.says('Dinner is at six.'),
    await one.refunds(1_050),
  ]
  await expire(one, dinner, 1)
  await expire(one, second, 2)
  const page = await one.visitor.open(path)
  expect(listed(page)).toEqual([dinner, lunch, second, first])
  expect(page.text).toMatch(/Waiting for your decision: 4/)
  expect(page.text).toMatch(/refund by agent “ ?test ?”: 2, 55\.50 USD in all/)
  expect(page.text).toMatch(
    /Refund 10\.50 USD of 900\.00 USD to “Acme Tools”: pi_Sandbox05 refund #\d+ · 10\.50 USD · requested by agent “ ?test ?” · proposed for you · expires in 1 hour/,
  )
  expect(page.text).toContain('│ Lunch &lt;b&gt;is&lt;/b&gt; at noon.')
  expect(page.text).toMatch(/broadcast #\d+ · 1 person · requested by/)
  // The overview has the same order, and no second list.
  expect((await one.visitor.open('/console')).text).toMatch(/Dinner is at six\..*Lunch/)
  // A page that is beyond all of them shows the first ones.
  expect(listed(await one.visitor.open(`${path}?skip=50`))).toEqual([dinner, lunch, second, first])
  const stranger = await inbox()
  expect((await stranger.visitor.open(path)).text).toContain('No open proposals. When an agent proposes')
})

test('one press decides about several: each with its own card, digest and entry, and those that changed are left open', async () => {
  const one = await inbox()
  const ids = [await one.says('One'), await one.says('Two'), await one.refunds(700), await one.says('Four')]
  const [a, b, refund, gone] = ids as [number, number, number, number]
  const page = await one.visitor.open(path)
  const form = selecting(page, 'confirm', ids)
  await one.cancels(gone)
  // What the gate did for the same payment since is on the card, so the card is another one.
  const other = await one.refunds(300)
  const alone = formOf((await one.visitor.open(`${path}/${other}`)).html)
  await one.visitor.send(`${path}/${other}`, { ...alone, does: 'confirm' })
  const answer = await one.visitor.send(path, form)
  expect([answer.status, outcomesOf(answer)]).toEqual([
    200,
    { [gone]: 'open', [refund]: 'open', [a]: 'approved', [b]: 'approved' },
  ])
  expect(answer.text).toMatch(/Decided: 2 of 4/)
  expect(answer.text).toContain(
    'This request changed after you opened the page. Review it again, then decide.',
  )
  for (const id of [a, b]) {
    const [entry] = await one.entries(id, 'confirmed')
    const [card, digest] = form[`pick_${id}`]!.split('.')
    expect(entry!.entry).toMatchObject({
      actor: one.member.memberId,
      data: { strength: 'page', channel: 'console', card },
    })
    expect((await one.row(id)).digest).toBe(digest)
  }
  expect((await one.row(refund)).status).toBe('proposed')
  expect((await one.entries(refund, 'decision_refused')).map(({ entry }) => entry.data['reason'])).toEqual([
    'card',
  ])
  // Sent again, it decides nothing again and leads to the list.
  const again = await one.visitor.send(path, form)
  expect([again.status, again.headers.get('location')]).toEqual([303, path])
  expect(await one.entries(a, 'confirmed')).toHaveLength(1)
  const declined = await one.visitor.send(path, selecting(await one.visitor.open(path), 'decline', [refund]))
  expect([outcomesOf(declined), (await one.row(refund)).closed_reason]).toEqual([
    { [refund]: 'declined' },
    'member_declined',
  ])
  expect(await one.isSound()).toBe(true)
})

test('the button below a card decides about that one alone, and a press without a selection decides nothing', async () => {
  const one = await inbox()
  const [a, b] = [await one.says('One'), await one.says('Two')]
  const page = await one.visitor.open(path)
  const form = selecting(page, 'confirm', [])
  const none = await one.visitor.send(path, form)
  expect([none.status, none.text]).toEqual([422, expect.stringContaining('Select at least one proposal')])
  const { does: _, ...others } = selecting(page, '', [a, b])
  const only = new RegExp(`value="(decline\\.${b}\\.[^"]+)"`).exec(page.html)![1]!
  // A browser sends what is selected with it: it does not count.
  const answer = await one.visitor.send(path, { ...others, only })
  expect([answer.status, answer.headers.get('location')]).toEqual([303, path])
  expect([(await one.row(a)).status, (await one.row(b)).closed_reason]).toEqual([
    'proposed',
    'member_declined',
  ])
  expect((await one.visitor.open(path)).text).toContain('Proposal declined. Nothing was executed.')
})

test('a forged selection decides nothing: of another member, another account, another card, another digest, too many, another form', async () => {
  const [one, other] = [await inbox(), await inbox()]
  const beaMail = `bea${people}@example.com`
  const bea = await one.addMember({ name: 'Bea', email: beaMail, tier: 'write' })
  const visitor = await signedInByMail(gate, beaMail)
  const [a, b] = [await one.says('One'), await one.says('Two')]
  const form = selecting(await one.visitor.open(path), 'confirm', [a, b])
  const forge = (by: Visitor, fields: Record<string, string>) =>
    by.send(path, { ...fields, form_id: 'x'.repeat(22) })
  const pick = (id: number) => form[`pick_${id}`]!

  // Another member: as if there were none, and written down.
  const byBea = await forge(visitor, form)
  expect([outcomesOf(byBea), byBea.text]).toEqual([
    { [a]: 'open', [b]: 'open' },
    expect.stringContaining(`Action ${a} was not found.`),
  ])
  expect(byBea.text).not.toContain('“One”')
  expect(
    (await one.entries(a, 'decision_refused')).map(({ entry }) => [entry.actor, entry.data['reason']]),
  ).toEqual([[bea.memberId, 'not_proposer']])
  // Another account, in which the same number is another action, or none.
  const theirs = await other.says('Theirs')
  const abroad = await forge(other.visitor, {
    does: 'confirm',
    [`pick_${theirs}`]: pick(a),
    pick_999: pick(b),
  })
  expect(outcomesOf(abroad)).toEqual({ [theirs]: 'open', 999: 'open' })
  // An administrator who is nobody's member.
  const root = await signedInAdmin(gate, one.account)
  expect(outcomesOf(await forge(root, form))).toEqual({ [a]: 'open', [b]: 'open' })
  // One card or digest for another.
  const [card, digest] = pick(a).split('.')
  const [otherCard, otherDigest] = pick(b).split('.')
  const swapped = {
    does: 'confirm',
    [`pick_${a}`]: `${otherCard}.${digest}`,
    [`pick_${b}`]: `${otherCard}.${digest}`,
  }
  expect(outcomesOf(await forge(one.visitor, swapped))).toEqual({ [a]: 'open', [b]: 'open' })
  const digests = { does: 'confirm', [`pick_${a}`]: `${card}.${otherDigest}` }
  expect(outcomesOf(await forge(one.visitor, digests))).toEqual({ [a]: 'open' })
  const many = Object.fromEntries(
    Array.from({ length: limits.inboxRowsMax + 1 }, (_, n) => [`pick_${n + 1}`, pick(a)]),
  )
  for (const fields of [
    { does: 'confirm', ...many },
    { does: 'confirm', pick_0: pick(a) },
    { does: 'confirm', [`pick_${a}`]: 'on' },
    { does: 'approve', [`pick_${a}`]: pick(a) },
    { only: `confirm.${a}` },
    { does: 'confirm', [`pick_${a}`]: pick(a), is_admin: '1' },
  ] as Record<string, string>[])
    expect([fields, (await forge(one.visitor, fields)).status]).toEqual([fields, 422])
  for (const row of [await one.row(a), await one.row(b), await other.row(theirs)])
    expect(row.status).toBe('proposed')
  expect([await one.isSound(), await other.isSound()]).toEqual([true, true])
})

test('what changes while the press is on its way counts for each: a suspension, a lost tier, an ended session, two presses', async () => {
  const one = await inbox()
  const ids = [await one.says('One'), await one.says('Two')]
  const [a, b] = ids as [number, number]
  const form = async () => selecting(await one.visitor.open(path), 'confirm', ids)
  const suspended = await overtake(
    gate.database,
    one.account,
    await form().then((fields) => () => one.visitor.send(path, fields)),
    `update gate.account set suspended_at = now() where account_id = '${one.account}'`,
  )
  expect(outcomesOf(suspended)).toEqual({ [a]: 'open', [b]: 'open' })
  const page = await one.visitor.open(path)
  expect(page.text).toContain('You cannot approve until an administrator resumes it.')
  expect(Object.keys(formOf(page.html, path)).filter((name) => name.startsWith('pick_'))).toEqual([])
  await one.suspend(false)

  // Two presses at once, from two tabs: each action is decided once.
  const [left, right] = [await form(), await form()]
  const answers = await Promise.all([one.visitor.send(path, left), one.visitor.send(path, right)])
  const approved = answers
    .map(outcomesOf)
    .flatMap((said) => Object.entries(said).filter(([, is]) => is === 'approved'))
  expect(approved.map(([id]) => Number(id)).toSorted()).toEqual(ids)
  for (const id of ids) expect(await one.entries(id, 'confirmed')).toHaveLength(1)

  const next = await one.says('Three')
  const last = selecting(await one.visitor.open(path), 'confirm', [next])
  await one.setTier(one.member, 'read_only')
  const denied = await one.visitor.send(path, last)
  expect([outcomesOf(denied), (await one.row(next)).status]).toEqual([{ [next]: 'denied' }, 'denied'])
  await one.setTier(one.member, 'write')
  const after = await one.says('Four')
  const ended = selecting(await one.visitor.open(path), 'confirm', [after])
  await one.setActive(one.member, false)
  const lost = await one.visitor.send(path, ended)
  expect([lost.status, lost.headers.get('location')]).toEqual([303, '/console/sign-in'])
  expect([(await one.row(after)).status, await one.isSound()]).toEqual(['proposed', true])
})

test('what is above the amount of the policy falls out of a selection and says so, and is approved on its own', async () => {
  const one = await inbox()
  const [low, high] = [await one.refunds(900), await one.refunds(2_000)]
  const form = selecting(await one.visitor.open(path), 'confirm', [low, high])
  await one.setPolicy({
    together_up_to_cents: { usd: 1_000 },
    kinds: { refund: { bands: { usd: [{ tier: 'write', consent: 'page' }] } } },
  })
  const page = await one.visitor.open(path)
  expect(Object.keys(formOf(page.html, path)).filter((name) => name.startsWith('pick_'))).toEqual([
    `pick_${low}`,
  ])
  expect(page.text).toContain('too high to approve with others')
  // A page from before the policy, or a forged form.
  const answer = await one.visitor.send(path, form)
  expect([outcomesOf(answer), answer.text]).toEqual([
    { [high]: 'open', [low]: 'approved' },
    expect.stringContaining(
      '20.00 USD is above the 10.00 USD up to which the policy lets one press approve several.',
    ),
  ])
  const only = new RegExp(`value="(confirm\\.${high}\\.[^"]+)"`)
  const now = await one.visitor.open(path)
  const { form_id } = formOf(now.html, path)
  await one.visitor.send(path, { form_id: form_id!, only: only.exec(now.html)![1]! })
  expect(await one.entries(high, 'confirmed')).toHaveLength(1)
  expect(await one.isSound()).toBe(true)
})

/** The events of an open list. */
function listening(by: Visitor) {
  const heard: string[] = []
  const ended = new AbortController()
  const cookie = [...by.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  const answer = fetch(`${gate.api.url}${path}/changes`, { headers: { cookie }, signal: ended.signal })
  void answer
    .then(async ({ body }) => {
      for await (const piece of body!.pipeThrough(new TextDecoderStream()))
        heard.push(...[...piece.matchAll(/event: (\w+)/g)].map(([, name]) => name!))
    })
    .catch(() => undefined)
  return { heard, answer, end: () => ended.abort() }
}

test('an open list is told of what comes and goes for its member alone, and ends with its session; there are only so many', async () => {
  const [one, other] = [await inbox(), await inbox()]
  const [mine, theirs] = [listening(one.visitor), listening(other.visitor)]
  const { status, headers } = await mine.answer
  expect([status, headers.get('content-type'), headers.get('cache-control')]).toEqual([
    200,
    expect.stringMatching(/^text\/event-stream/),
    'no-store',
  ])
  await theirs.answer
  const told = (times: number) => until(`told ${times} times`, async () => mine.heard.length === times)
  // The first look counts as a change.
  await told(1)
  await until('the other list is looked at', async () => theirs.heard.length === 1)
  const id = await one.says('One')
  await told(2)
  await one.cancels(id)
  await told(3)
  expect([mine.heard, theirs.heard]).toEqual([['changed', 'changed', 'changed'], ['changed']])

  const more = Array.from({ length: limits.inboxStreamsPerSession }, () => listening(one.visitor))
  const statuses = await Promise.all(more.map(async ({ answer }) => (await answer).status))
  expect(statuses.toSorted()).toEqual([...statuses.map(() => 200).slice(1), 429])
  await gate.database.asSuperuser(`delete from gate_private.session where account_id = '${one.account}'`)
  await until('told of the end', async () => mine.heard.at(-1) === 'over')
  expect((await listening(one.visitor).answer).redirected).toBe(true)
  expect(theirs.heard).toEqual(['changed'])
  for (const list of [mine, theirs, ...more]) list.end()
  const { cookies } = other.visitor
  const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  expect(
    (await fetch(`${gate.api.url}${path}/changes`, { method: 'POST', headers: { cookie } })).status,
  ).toBe(405)
})

test('a press for many counts as that many decisions in the habits', async () => {
  const one = await inbox()
  const ids: number[] = []
  for (let n = 0; n < limits.hastyConfirmsMin; n++) ids.push(await one.says(`Message ${n}`))
  await one.visitor.send(path, selecting(await one.visitor.open(path), 'confirm', ids))
  await gate.database.asSuperuser(
    `update gate.action set created_at = decided_at - interval '2 seconds' where account_id = '${one.account}'`,
  )
  const { text } = await (await signedInAdmin(gate, one.account)).open('/console/habits')
  expect(text).toMatch(
    new RegExp(`Ines hasty \\S+ ${limits.hastyConfirmsMin} 0 2 s 2 s ${limits.hastyConfirmsMin} \\(100 %\\)`),
  )
})

test('more than a page wait: the list says how many, and the next page has the others', async () => {
  const one = await inbox()
  for (let n = 0; n < limits.inboxRowsMax + 2; n++) await one.says(`Message ${n}`)
  const first = await one.visitor.open(path)
  expect([listed(first).length, first.text]).toEqual([
    limits.inboxRowsMax,
    expect.stringContaining(`Waiting for your decision: ${limits.inboxRowsMax + 2}`),
  ])
  const next = /href="([^"]+)" rel="next"/.exec(first.html)![1]!
  const second = await one.visitor.open(next)
  expect(new Set([...listed(first), ...listed(second)]).size).toBe(limits.inboxRowsMax + 2)
})

test('what changed since the last look is told: what is new, and what ended without an answer', async () => {
  const one = await inbox()
  const [old, cancelled] = [await one.says('Old'), await one.says('Taken back')]
  const before = await one.visitor.open(path)
  expect(before.text).not.toContain('Since you last looked')
  const fresh = await one.says('Fresh')
  await one.cancels(cancelled)
  // The cookie says that it was an hour ago.
  const hourAgo = Math.floor(Date.now() / 1_000) - 3_600
  await gate.database.asSuperuser(
    `update gate.action set created_at = created_at - interval '2 hours' where account_id = '${one.account}' and id = ${old}`,
  )
  one.visitor.cookies.set('looked', `-${hourAgo}`)
  const page = await one.visitor.open(path)
  expect(page.text).toMatch(/Since you last looked, 1 hour ago ?: 1 new\..*Taken back.*agent cancelled/)
  expect(page.html.match(/<span class="badge">new<\/span>/g)).toHaveLength(1)
  expect(page.html).toMatch(new RegExp(`data-id="${fresh}"[^]*?new</span>`))
  // The same look goes on.
  expect((await one.visitor.open(path)).text).toMatch(/1 hour ago ?: 1 new/)
})

test('a look goes on for a while, and then is one before', () => {
  const at = 1_800_000_000_000
  const first = lookOf(undefined, at)
  expect([first.since, first.value]).toEqual([undefined, '-1800000000'])
  const soon = lookOf(first.value, at + 60_000)
  expect([soon.since, soon.value]).toEqual([undefined, '-1800000060'])
  const later = lookOf(soon.value, at + 60_000 + limits.inboxLookMs)
  expect(later.since).toEqual(new Date(at + 60_000))
  const same = lookOf(later.value, at + 120_000 + limits.inboxLookMs)
  expect(same.since).toEqual(new Date(at + 60_000))
  for (const forged of ['x', '-', '1-', '99999999999999-1', 'NaN-NaN', '1-2-3'])
    expect([forged, lookOf(forged, at).since]).toEqual([forged, undefined])
})

test('alike are actions of one kind and version from one agent, in the order of the first', () => {
  const item = (id: number, kind: string, key: string, version?: number, host?: string) =>
    ({
      row: { id, kind, requested_by: key, kind_version: version, requested_host: host },
    }) as never as Parameters<typeof groupsOf>[0][0]
  const given = [
    item(1, 'a', 'x'),
    item(2, 'b', 'x'),
    item(3, 'a', 'y'),
    item(4, 'a', 'x'),
    item(5, 'a', 'x', 2),
    // An app that took the name of another agent.
    item(6, 'a', 'x', undefined, 'evil.example'),
  ]
  const groups = groupsOf(given).map((group) => group.map(({ row }) => row.id))
  expect(groups).toEqual([[1, 4], [2], [3], [5], [6]])
})
