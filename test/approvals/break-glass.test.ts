import { beforeAll, describe, expect, test } from '@jest/globals'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { verifyFile } from '../../packages/verify/lib/verify.mjs'
import { randomUUID } from 'node:crypto'
import { cardHash } from '../../src/consent/card.ts'
import { readAction } from '../../src/db/queries/actions/actions.ts'
import { claimDecision } from '../../src/db/queries/actions/decide.ts'
import { readFacts } from '../../src/db/queries/members/facts.ts'
import type { ApprovalRule } from '../../src/gate/approvals/rule.ts'
import { expiryEvent } from '../../src/operations/clearance/expiry.ts'
import { cardOfRow } from '../../src/operations/consent/card-of-row.ts'
import type { TestMember } from '../support/account.ts'
import { sessionOf } from '../support/session.ts'
import { storePasskey } from '../support/stored-passkey.ts'
import { verifyExport } from '../../src/ledger/verify-file.ts'
import { sealedProof } from '../../src/operations/seals/sealed-export.ts'
import { trustPolicy } from '../../src/operations/seals/trust-policy.ts'
import { sealLedgers } from '../../src/seals/sealer.ts'
import { mailsTo } from '../support/console.ts'
import { formOf } from '../support/form-of.ts'
import { addPasskey, passkeySite, signedForm } from '../support/passkeys.ts'
import type { TestPasskey } from '../support/authenticator.ts'
import { until } from '../support/until.ts'
import { useConsole } from '../support/use-gate.ts'
import { type ApprovalScene, type Name, approvalScene } from './scene.ts'

const gate = useConsole({ workers: true, env: { PUBLIC_URL: passkeySite } })

async function* bytesOf(text: string) {
  yield Buffer.from(text)
}

const why = 'The shop is down, and Bea and Cy are on a plane.'

/** Dan may break the glass, and has a passkey. Bea and Cy must approve. */
async function glassScene(more: Partial<ApprovalRule> = {}, settles = 0) {
  const one = await approvalScene(gate)
  const { ada, bea, cy, dan } = one.people
  const rule: ApprovalRule = {
    ...one.rule,
    from: { members: [bea.memberId, cy.memberId] },
    break_glass: { members: [dan.memberId], review_within_hours: 48 },
    ...more,
  }
  const policy = { passkey_settles_after_hours: settles }
  await one.setPolicy({
    ...policy,
    kinds: { broadcast: { tier: 'guarded_write', consent: 'agent_attested', approvals: rule } },
  })
  const path = (id: number) => `${one.pathOf(id)}/break-glass`
  const page = async (name: Name, id: number) => (await one.browserOf(name)).open(path(id))
  return {
    ...one,
    rule,
    ada,
    path,
    page,
    key: (name: Name) => one.browserOf(name).then((visitor) => addPasskey(visitor)),
    /** The form of the page as Dan sends it, signed. */
    async breaks(id: number, key: TestPasskey, fields: Record<string, string> = {}) {
      const visitor = await one.browserOf('dan')
      const form = signedForm((await page('dan', id)).html, key)
      return visitor.send(path(id), { ...form, reason: why, ...fields })
    },
  }
}

const refusals = async (one: Pick<ApprovalScene, 'entries'>, id: number) =>
  (await one.entries(id, 'decision_refused')).map(({ entry }) => entry.data?.['reason'])

test('a named member executes it alone, with a passkey and a reason; the others are told, and one of them reviews it', async () => {
  const one = await glassScene()
  const key = await one.key('dan')
  const id = await one.awaiting()
  await one.press('bea', id)
  expect((await one.open('dan', id)).html).toContain(`${one.path(id)}`)
  const page = await one.page('dan', id)
  expect(page.html).toContain('reviews it within 48 hours')
  expect((await one.breaks(id, key)).status).toBe(303)
  const row = await one.executed(id)
  expect(row.consent).toMatchObject({ strength: 'agent_attested', by: one.ada.email })
  const [broken] = await one.entries(id, 'glass_broken')
  expect(broken!.entry).toMatchObject({
    actor: one.people.dan.memberId,
    data: { strength: 'passkey', channel: 'console', given: 1, needed: 2, digest: row.digest },
  })
  expect(broken!.entry.data!['passkey']).toBeDefined()
  const [confirmed] = await one.entries(id, 'confirmed')
  expect(confirmed!.entry.data).toMatchObject({
    approvals: 1,
    approved_by: [{ member: one.people.bea.memberId }],
    glass_broken_by: one.people.dan.memberId,
  })
  for (const { email } of [one.ada, one.people.bea, one.people.cy])
    await until('they are told', async () =>
      mailsTo(gate, email!).some(({ text }) => text.includes('Dan executed it alone')),
    )

  const reviewed = `/console/break-glass/${id}`
  const [dan, bea] = [await one.browserOf('dan'), await one.browserOf('bea')]
  expect((await bea.open('/console')).html).toContain(reviewed)
  expect((await dan.open('/console')).html).not.toContain(reviewed)
  expect((await dan.open(reviewed)).html).not.toContain('Not justified')
  const given = {
    ...formOf((await bea.open(reviewed)).html),
    note: 'It could have waited',
    verdict: 'not_justified',
  }
  expect((await dan.send(reviewed, given)).status).toBe(403)
  expect((await (await one.browserOf('ada')).open(reviewed)).status).toBe(404)
  const cy = await one.browserOf('cy')
  const late = { ...formOf((await cy.open(reviewed)).html), note: 'Fine', verdict: 'justified' }
  expect((await bea.send(reviewed, given)).status).toBe(303)
  expect((await cy.send(reviewed, late)).status).toBe(409)
  expect((await bea.open('/console')).html).not.toContain(reviewed)
  expect((await dan.open(reviewed)).html).toContain('It could have waited')
  const [review] = await one.entries(id, 'glass_reviewed')
  expect(review!.entry).toMatchObject({ actor: one.people.bea.memberId, data: { is_justified: false } })
  expect(JSON.stringify([broken, review])).not.toMatch(/on a plane|have waited/)
  expect(await one.verified()).toMatchObject({ ok: true })
  await sealLedgers(gate.deps)
  let exported = ''
  for await (const line of sealedProof(gate.deps, one.account)) exported += line
  const policy = await trustPolicy(gate.deps)
  const file = join(mkdtempSync(join(tmpdir(), 'glass-')), 'ledger.jsonl')
  const verdicts = async (text: string) => {
    writeFileSync(file, text)
    return [(await verifyExport(file)).ok, (await verifyFile(bytesOf(text), { policy })).ok]
  }
  expect(await verdicts(exported)).toEqual([true, true])
})

describe('nothing is executed alone', () => {
  let one: Awaited<ReturnType<typeof glassScene>>
  let key: TestPasskey
  beforeAll(async () => {
    one = await glassScene()
    key = await one.key('dan')
  })
  const stays = async (id: number) => {
    expect((await one.row(id)).status).toBe('proposed')
    expect(await one.entries(id, 'glass_broken', 'confirmed')).toEqual([])
  }

  test.each([
    '',
    'Because it is so so',
    `Now\u{200b}${'\u{200b}'.repeat(30)}`,
    `a${' \n'.repeat(30)}b`,
    '\u{3164}'.repeat(25),
  ])('without a reason that says something: %j', async (reason) => {
    const id = await one.awaiting()
    const answer = await one.breaks(id, key, { reason })
    expect([answer.status, answer.text]).toEqual([409, expect.stringContaining('at least 20 characters')])
    expect(await refusals(one, id)).toEqual(['no_reason'])
    await stays(id)
  })

  test('without a passkey, and by a signature of another proposal, of a no, or of another member', async () => {
    const id = await one.awaiting()
    const other = await one.awaiting()
    const unsigned = Object.fromEntries(
      ['credential', 'client_data', 'authenticator_data', 'signature'].map((name) => [name, '']),
    )
    expect((await one.breaks(id, key, unsigned)).status).toBe(409)
    const dan = await one.browserOf('dan')
    const ofOther = signedForm((await one.page('dan', other)).html, key)
    const here = formOf((await one.page('dan', id)).html)
    expect(
      (
        await dan.send(one.path(id), {
          ...ofOther,
          shown: here['shown']!,
          digest: here['digest']!,
          reason: why,
        })
      ).status,
    ).toBe(409)
    const no = signedForm((await one.page('dan', id)).html, key, 'decline')
    expect((await dan.send(one.path(id), { ...no, does: 'confirm', reason: why })).status).toBe(409)
    const ofBea = await one.key('bea')
    const foreign = signedForm((await one.page('dan', id)).html, ofBea)
    expect((await dan.send(one.path(id), { ...foreign, reason: why })).status).toBe(409)
    expect(await refusals(one, id)).toEqual([
      'too_weak',
      'passkey_invalid',
      'passkey_invalid',
      'passkey_unknown',
    ])
    await stays(id)
    await stays(other)
  })

  test('by somebody else, or by a key', async () => {
    const id = await one.awaiting()
    const { shown, digest } = formOf((await one.page('dan', id)).html)
    const ofPage = { shown: shown!, digest: digest!, reason: why, ...unsignedFields }
    for (const name of ['bea', 'ada'] as const) {
      expect((await one.page(name, id)).status).toBe(404)
      const form = { ...ofPage, ...onceOf(await (await one.browserOf(name)).open('/console/delegations')) }
      const answer = await (await one.browserOf(name)).send(one.path(id), form)
      expect([answer.status, answer.text]).toEqual([403, expect.stringMatching(/not (name you|one of)/)])
    }
    await one.addMember({ name: 'Eve', email: 'eve@stranger.example', tier: 'write' })
    const eve = await one.signedInAs('eve@stranger.example')
    const form = { ...ofPage, ...onceOf(await eve.open('/console/delegations')) }
    expect((await eve.send(one.path(id), form)).status).toBe(404)
    expect(await refusals(one, id)).toEqual(['not_approver', 'not_approver', 'not_approver'])
    await one.press('bea', id)
    await one.confirm(id)
    await stays(id)
  })

  test('before the member consented, after a decline, twice, and with what was shown before a change', async () => {
    const unconsented = await one.propose()
    expect((await one.page('dan', unconsented)).status).toBe(404)
    const declined = await one.awaiting()
    const early = signedForm((await one.page('dan', declined)).html, key)
    await one.press('bea', declined, 'decline')
    const dan = await one.browserOf('dan')
    expect((await dan.send(one.path(declined), { ...early, reason: why })).status).toBeGreaterThanOrEqual(400)
    const changed = await one.awaiting()
    const former = signedForm((await one.page('dan', changed)).html, key)
    await one.change('bea', changed, 'Lunch is at one.')
    expect((await dan.send(one.path(changed), { ...former, reason: why })).status).toBe(409)
    await stays(changed)
    const id = await one.awaiting()
    const form = signedForm((await one.page('dan', id)).html, key)
    const both = await Promise.all([
      dan.send(one.path(id), { ...form, reason: why }),
      dan.send(one.path(id), { ...form, reason: why }),
    ])
    expect(both.filter(({ status }) => status === 303).length).toBeGreaterThanOrEqual(1)
    await one.executed(id)
    expect((await one.entries(id, 'glass_broken')).length).toBe(1)
    expect((await one.entries(id, 'confirmed')).length).toBe(1)
  })
})

/** The id that each form has of its own. */
const onceOf = ({ html }: { html: string }) => {
  const { form_id: id } = formOf(html)
  return { form_id: id! }
}

const unsignedFields = {
  does: 'confirm',
  credential: '',
  client_data: '',
  authenticator_data: '',
  signature: '',
  nonce: '',
}

test('a passkey that has not settled, a time before which nobody approves, and a person with another name of the mailbox do not', async () => {
  const young = await glassScene({}, 24)
  await young.key('dan')
  const first = await young.awaiting()
  expect((await young.page('dan', first)).html).toContain('You added yours recently')
  const early = await glassScene({ not_before_minutes: 600 })
  const key = await early.key('dan')
  const second = await early.awaiting()
  const answer = await early.breaks(second, key)
  expect([answer.status, answer.text]).toEqual([409, expect.stringContaining('before')])
  const own = await glassScene()
  await own.setPolicy({
    kinds: {
      broadcast: {
        tier: 'guarded_write',
        consent: 'agent_attested',
        approvals: { ...own.rule, break_glass: { members: [own.ada.memberId], review_within_hours: 1 } },
      },
    },
  })
  const third = await own.awaiting()
  expect((await own.page('ada', third)).status).toBe(404)
})

test('the statement refuses it whatever a process judged: who is not named, has another name of the mailbox, is the agent’s own, or brings less', async () => {
  const one = await glassScene()
  const { ada, bea, dan } = one.people
  const twin = await one.addMember({
    name: 'Ada',
    email: ada.email!.replace('@', '+2@'),
    tier: 'guarded_write',
  })
  const named = (...members: string[]) => ({ ...one.rule, break_glass: { members, review_within_hours: 1 } })
  await one.setPolicy({
    passkey_settles_after_hours: 0,
    kinds: {
      broadcast: {
        tier: 'guarded_write',
        consent: 'agent_attested',
        approvals: named(dan.memberId, twin.memberId),
      },
    },
  })
  const id = await one.awaiting()
  const row = (await readAction(gate.database.db, one.account, id))!
  const card = cardHash(await cardOfRow(gate.deps, row))
  const keys = new Map<string, Awaited<ReturnType<typeof storePasskey>>>()
  const as = async (
    { memberId, email }: TestMember,
    { reason = why, strength = 'passkey', isSigned = true } = {},
  ) => {
    const session = await sessionOf(gate.deps, one.account, email!)
    const about = { id, digest: row.digest!, decision: 'confirm' as const, card }
    const holder = { account: one.account, memberId, session }
    const known = keys.get(memberId) ?? (await storePasskey(gate.database.db, holder))
    keys.set(memberId, known)
    const passkey = isSigned ? await known.sign(about) : undefined
    return claimDecision(gate.database.db, {
      account: one.account,
      id,
      decision: 'confirm',
      commandId: randomUUID(),
      eventId: randomUUID(),
      ...expiryEvent(row.uuid),
      dueMs: 60_000,
      versions: (await readVersions(one, ada))!,
      tier: 'guarded_write',
      consent: { strength, channel: 'console' },
      credential: { session },
      idempotency: null,
      card,
      passkey,
      voter: memberId,
      voters: [],
      reason,
      glass: { tell: [] },
    })
  }
  const cannot = { cause: { message: expect.stringContaining('cannot break the glass') } }
  await expect(as(bea)).rejects.toMatchObject(cannot)
  await expect(as(twin)).rejects.toMatchObject(cannot)
  await expect(as(dan, { reason: 'Too short a reason.' })).rejects.toMatchObject(cannot)
  for (const blank of [' ', '\n', '\t', '\u{a0}', '\u{200b}', '\u{2060}', '\u{2800}', '\u{3164}'])
    await expect(as(dan, { reason: `Now${blank.repeat(30)}` })).rejects.toMatchObject(cannot)
  await expect(as(dan, { strength: 'page' })).rejects.toMatchObject(cannot)
  await expect(as(dan, { strength: 'page', isSigned: false })).rejects.toMatchObject(cannot)
  await expect(as(dan, { isSigned: false })).rejects.toThrow('does not come this way')
  expect(await one.entries(id, 'glass_broken', 'confirmed')).toEqual([])
  expect((await as(dan)).outcome).toBe('claimed')
})

/** The versions of the facts of the member who acts. */
async function readVersions({ account }: { account: string }, { memberId }: TestMember) {
  const facts = (await readFacts(gate.database.db, account, { memberId }))!
  return {
    member: facts.members[0]!.version,
    curricula: facts.curriculaVersion,
    policy: facts.policyVersion,
  }
}
