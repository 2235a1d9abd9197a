import { describe, expect, test } from '@jest/globals'
import { canonical } from '../../src/gate/canonical.ts'
import { sha256 } from '../../src/ledger/digest.ts'
import { verifyLedger } from '../../src/ledger/verify.ts'
import { limits } from '../../src/limits.ts'
import { policyHistory } from '../../src/operations/policy/policy-history.ts'
import { policyInForce } from '../../src/operations/policy/policy-in-force.ts'
import { setPolicy } from '../../src/operations/policy/set-policy.ts'
import { type Visitor, signedInAdmin, visitor } from '../support/console.ts'
import { formOf as fieldsOf } from '../support/form-of.ts'
import { useConsole } from '../support/use-gate.ts'
import { testRows } from '../support/rows.ts'

const gate = useConsole()

const [path, review] = ['/console/policies', '/console/policies/review']

/** The fields of a form without the id that makes it handled once: here forms are sent several times. */
const formOf = (html: string, action?: string) =>
  Object.fromEntries(
    Object.entries(fieldsOf(html, action)).filter(
      ([name, value]) => name !== 'form_id' && (name !== 'note' || value !== ''),
    ),
  )

/** The address of the form of a kind, or of the settings. */
const at = (part: string) => (part === 'settings' ? `${path}/settings` : `${path}/kinds/${part}`)
const partOf = (fields: Record<string, string>) => {
  const [first = ''] = Object.keys(fields)
  return first.includes('.') ? first.split('.')[0]! : 'settings'
}
const formIn = async (who: Visitor, part: string) => formOf((await who.open(at(part))).html, at(part))

async function scene() {
  const { account, client, addMember } = await gate.account()
  const root = await signedInAdmin(gate, account)
  return {
    account,
    client,
    addMember,
    root,
    form: (part: string, who: Visitor = root) => formIn(who, part),
    /** The review of a change, made in the form of the part that it concerns. */
    edit: async (more: Record<string, string>, who: Visitor = root) => {
      const part = partOf(more)
      return who.send(at(part), { ...(await formIn(who, part)), ...more, do: 'review' })
    },
    policy: () => policyInForce(gate.deps, account),
    history: () => policyHistory(gate.deps, account, null),
    cli: { db: gate.deps.db, kinds: gate.deps.kinds, account, session: null },
  }
}

/** From a page under review: what its button to set sends. */
const held = (html: string) => formOf(html, review)

describe('the policy as a form', () => {
  test('is changed, reviewed, and set by the administrator who is named in the ledger', async () => {
    const { root, policy, history, client, addMember, edit } = await scene()
    await addMember({ email: 'ada@example.com' })
    const denied = await client.propose({ email: 'ada@example.com' }, 'Hello')
    expect(denied.body.status).toBe('denied')

    const reviewed = await edit({ 'broadcast.tier': 'read_only' })
    expect(reviewed.status).toBe(200)
    expect(reviewed.text).toContain('Review of policy version 2')
    expect(reviewed.html).toContain('broadcast: <mark>guarded_write</mark>, consent agent_attested')
    expect(reviewed.html).toContain('broadcast: <mark>read_only</mark>, consent agent_attested')
    expect(reviewed.html).toMatch(/<a href="\/console\/ledger\/1">#1<\/a>/)
    expect(reviewed.text).toContain('would be allowed')
    expect((await policy()).version).toBe(1)

    const set = await root.send(review, { ...held(reviewed.html), do: 'set' })
    expect([set.status, set.headers.get('location')]).toEqual([303, path])
    expect((await root.open(path)).text).toContain('Policy set.')
    expect((await policy()).kinds['broadcast']).toMatchObject({ tier: 'read_only' })
    const [newest] = (await history()).versions
    expect(newest).toMatchObject({ version: 2, byName: 'root@example.com' })
    expect(newest!.by).toMatch(/^admin:adm_/)
  })

  test('stores only what was changed, so that later defaults of the rest hold', async () => {
    const { root, account, edit } = await scene()
    const { html } = await edit({ open_max_per_member: '7' })
    expect(JSON.parse(held(html)['document']!)).toEqual({ open_max_per_member: 7 })
    await root.send(review, { ...held(html), do: 'set' })
    const [row] = await gate.database.asSuperuser(
      `select document from gate.policy where account_id = '${account}' and version = 2`,
    )
    expect(row!['document']).toEqual({ open_max_per_member: 7, kinds: {} })
  })

  test('takes a new band in an empty row, and a limit for a day', async () => {
    const { root, policy, edit } = await scene()
    const more = {
      'refund.band.2.currency': 'eur',
      'refund.band.2.up_to': '1,250.50',
      'refund.band.2.tier': 'write',
      'refund.actions_per_day': '3',
    }
    const reviewed = await edit(more)
    expect(reviewed.text).toContain('added: refund up to 1,250.50 EUR: write')
    expect(reviewed.text).toContain('added: refund: one member can confirm 3 actions in 24 hours')
    await root.send(review, { ...held(reviewed.html), do: 'set' })
    expect((await policy()).kinds['refund']).toMatchObject({
      bands: { eur: [{ up_to_cents: 125_050, tier: 'write' }] },
      velocity: { actions_per_day: 3 },
    })
  })

  test('has more empty rows for who asks, and keeps what was entered', async () => {
    const { root, form, policy } = await scene()
    const rows = (fields: Record<string, string>) =>
      Object.keys(fields).filter((name) => /^refund\.band\.\d+\.tier$/.test(name)).length
    const before = await form('refund')
    const answer = await root.send(at('refund'), { ...before, 'refund.actions_per_day': '9', do: 'more' })
    const after = formOf(answer.html, at('refund'))
    expect([answer.status, after['refund.actions_per_day']]).toEqual([200, '9'])
    expect(rows(after)).toBe(rows(before) + limits.emptyBandRows)
    expect((await policy()).version).toBe(1)
  })

  test('leads back from the review with what was entered', async () => {
    const { root, edit } = await scene()
    const { html } = await edit({ 'payout.band.0.up_to': '5' })
    const again = await root.send(review, { ...held(html), do: 'edit' })
    expect([again.status, formOf(again.html, at('payout'))['payout.band.0.up_to']]).toEqual([200, '5.00'])
  })

  test('requires a tier and a consent from an administrator who sets one tier for a kind, and preselects neither', async () => {
    const { root, form, policy } = await scene()
    const shown = await form('refund')
    expect([shown['refund.tier'], shown['refund.consent']]).toEqual(['', ''])
    const switched = await root.send(at('refund'), { ...shown, 'refund.by': 'tier', do: 'review' })
    expect([switched.status, switched.text]).toEqual([
      422,
      expect.stringContaining('refund is ruled by one tier. Choose its tier'),
    ])
    const half = { ...formOf(switched.html, at('refund')), 'refund.tier': 'write' }
    expect(half).toMatchObject({ 'refund.by': 'tier', 'refund.consent': '' })
    const asked = await root.send(at('refund'), { ...half, do: 'review' })
    expect(asked.text).toContain('refund is ruled by one tier. Choose its consent')
    const whole = { ...formOf(asked.html, at('refund')), 'refund.consent': 'page' }
    const { html } = await root.send(at('refund'), { ...whole, do: 'review' })
    await root.send(review, { ...held(html), do: 'set' })
    expect((await policy()).kinds['refund']).toEqual({ tier: 'write', consent: 'page' })
  })

  test('that is sent as it was shown changes nothing, also of a rule that was stored without its channels', async () => {
    const { root, form, cli } = await scene()
    await setPolicy(cli, { kinds: { broadcast: { tier: 'write', consent: 'agent_attested' } } })
    const answer = await root.send(at('broadcast'), { ...(await form('broadcast')), do: 'review' })
    expect([answer.status, answer.text]).toEqual([
      422,
      expect.stringContaining('This is already the policy in force.'),
    ])
  })

  test('explains the policy under review, and the one in force', async () => {
    const { root, edit } = await scene()
    const { html } = await edit({ 'refund.band.0.up_to': '5' })
    const ask = { kind: 'refund', amount: '50', currency: 'usd', tier: 'guarded_write' }
    const under = await root.send(review, { ...held(html), ...ask, do: 'explain' })
    expect(under.text).toContain('denied Rule This 50.00 USD refund requires write (up to 10,000.00 USD)')
    expect(under.text).toContain('Test how version 2, which is under review, rules on an action.')
    const now = await root.open(`${path}/explain?${new URLSearchParams(ask)}`)
    expect(now.text).toContain('allowed Rule This 50.00 USD refund requires guarded_write (up to 100.00 USD)')
    const wrong = await root.open(`${path}/explain?${new URLSearchParams({ ...ask, amount: '1,250' })}`)
    expect([wrong.status, wrong.text]).toEqual([
      422,
      expect.stringContaining('amount must be written like 100, 99.50 or 1,250.00.'),
    ])
  })

  test('answers a question about the policy under review by itself, and leads back to the review', async () => {
    const { root, client, addMember, edit } = await scene()
    await addMember({ email: 'ada@example.com' })
    await client.propose({ email: 'ada@example.com' }, 'Hello')
    const tried = 'Dry run on the last 30 days'
    const reviewed = await edit({ 'refund.band.0.up_to': '5' })
    expect(reviewed.text).toContain(tried)

    const mistyped = { kind: 'refund', amount: '1,250', currency: 'eur', tier: 'write' }
    const noToolCall = { tool: '', input: '', runner: 'claude', cwd: '' }
    const told = await root.send(review, { ...held(reviewed.html), ...mistyped, do: 'explain' })
    expect([told.status, told.text]).toEqual([
      422,
      expect.stringContaining('amount must be written like 100, 99.50 or 1,250.00.'),
    ])
    expect(formOf(told.html, review)).toEqual({ ...held(reviewed.html), ...mistyped, ...noToolCall })

    const answered = await root.send(review, { ...held(told.html), amount: '1,250.00', do: 'explain' })
    expect([answered.status, answered.text]).toEqual([
      200,
      expect.stringContaining('allowed Rule This 1,250.00 EUR refund requires write'),
    ])
    expect(answered.text).not.toContain(tried)

    const back = await root.send(review, { ...held(answered.html), do: 'review' })
    expect([back.status, held(back.html)]).toEqual([200, held(reviewed.html)])
    expect(back.text).toContain(tried)
  })

  test('is asked without a look at the past proposals', async () => {
    const { root, edit } = await scene()
    const { html } = await edit({ 'refund.band.0.up_to': '5' })
    const ask = { kind: 'refund', amount: '50', currency: 'usd', tier: 'write' }
    await gate.database.asSuperuser('alter table gate.action rename column kind to misnamed')
    try {
      expect((await root.send(review, { ...held(html), do: 'review' })).status).toBe(500)
      expect((await root.send(review, { ...held(html), ...ask, do: 'explain' })).status).toBe(200)
    } finally {
      await gate.database.asSuperuser('alter table gate.action rename column misnamed to kind')
    }
  })

  test('can be given as JSON, which is reviewed just so', async () => {
    const { root } = await scene()
    const filled = formOf((await root.open(`${path}/json`)).html, `${path}/json`)
    expect(JSON.parse(filled['document']!)).toMatchObject({ expires_after_hours: 168 })
    expect(JSON.parse(filled['document']!)).not.toHaveProperty('version')
    const given = JSON.stringify({ kinds: { broadcast: { tier: 'write', channels: 'all' } } })
    const reviewed = await root.send(`${path}/json`, { version: '1', document: given })
    expect(reviewed.text).toMatch(
      /added: broadcast: write ?, consent agent_attested, to every channel of each member/,
    )
    const broken = await root.send(`${path}/json`, { version: '1', document: '{"kinds":' })
    expect([broken.status, formOf(broken.html, `${path}/json`)['document']]).toEqual([422, '{"kinds":'])
  })

  test('can be given as JSON with the version that it is for', async () => {
    const { root, cli } = await scene()
    await setPolicy(cli, { expires_after_hours: 5 })
    const sent = (version: number) =>
      root.send(`${path}/json`, {
        version: '2',
        document: JSON.stringify({ version, open_max_per_member: 7 }),
      })
    expect((await sent(1)).status).toBe(409)
    expect((await sent(2)).text).toContain('Review of policy version 3')
  })
})

describe('when two administrators change the policy at once,', () => {
  test('the second is told at the review, and keeps what they changed on top of what the first set', async () => {
    const { root, form, cli, policy } = await scene()
    const mine = { ...(await form('payout')), 'payout.band.0.up_to': '77.00', do: 'review' }
    await setPolicy(cli, {
      kinds: { broadcast: { tier: 'write', channels: 'all', consent: 'agent_attested' } },
    })
    const told = await root.send(at('payout'), mine)
    expect(told.status).toBe(409)
    expect(told.text).toContain('but version 2 is in force. Nothing was saved.')
    const kept = formOf(told.html, at('payout'))
    expect(kept).toMatchObject({ version: '2', 'payout.band.0.up_to': '77.00' })
    const { html } = await root.send(at('payout'), { ...kept, do: 'review' })
    expect(Object.keys(JSON.parse(held(html)['document']!).kinds)).toEqual(['payout'])
    await root.send(review, { ...held(html), do: 'set' })
    expect((await policy()).kinds).toMatchObject({
      broadcast: { tier: 'write', channels: 'all' },
      payout: { bands: { usd: [{ up_to_cents: 7_700 }] } },
    })
  })

  test('the second does not put back what the first set of a rule that was stored without its channels', async () => {
    const { root, form, cli } = await scene()
    const broadcast = { tier: 'write', consent: 'agent_attested' } as const
    await setPolicy(cli, { kinds: { broadcast } })
    const mine = { ...(await form('payout')), 'payout.band.0.up_to': '77.00', do: 'review' }
    await setPolicy(cli, { kinds: { broadcast: { ...broadcast, consent: 'page' } } })
    const told = await root.send(at('payout'), mine)
    const { html } = await root.send(at('payout'), { ...formOf(told.html, at('payout')), do: 'review' })
    expect([told.status, Object.keys(JSON.parse(held(html)['document']!).kinds)]).toEqual([409, ['payout']])
  })

  test('the second is told, also where they mistyped something first', async () => {
    const { root, form, cli } = await scene()
    const mine = { ...(await form('payout')), 'payout.band.0.up_to': 'abc', do: 'review' }
    await setPolicy(cli, {
      kinds: { broadcast: { tier: 'write', channels: 'all', consent: 'agent_attested' } },
    })
    const mistyped = await root.send(at('payout'), mine)
    expect(mistyped.status).toBe(422)
    const mended = { ...formOf(mistyped.html, at('payout')), 'payout.band.0.up_to': '77.00' }
    expect(mended).toMatchObject({ version: '1' })
    const told = await root.send(at('payout'), { ...mended, do: 'review' })
    expect([told.status, told.text]).toEqual([
      409,
      expect.stringContaining('is in force. Nothing was saved.'),
    ])
    expect(formOf(told.html, at('payout'))).toMatchObject({
      version: '2',
      'payout.band.0.up_to': '77.00',
    })
  })

  test('the second is told, also where they wrote what is no JSON first', async () => {
    const { root, cli } = await scene()
    const { version } = formOf((await root.open(`${path}/json`)).html, `${path}/json`)
    await setPolicy(cli, { expires_after_hours: 5 })
    const mistyped = await root.send(`${path}/json`, { version: version!, document: '{"open' })
    expect([mistyped.status, formOf(mistyped.html, `${path}/json`)['version']]).toEqual([422, '1'])
    const document = '{"open_max_per_member":7}'
    const told = await root.send(`${path}/json`, { ...formOf(mistyped.html, `${path}/json`), document })
    expect([told.status, told.text]).toEqual([
      409,
      expect.stringContaining('is in force. Nothing was saved.'),
    ])
    expect(formOf(told.html, `${path}/json`)).toMatchObject({ version: '2', document })
    const reviewed = await root.send(`${path}/json`, formOf(told.html, `${path}/json`))
    expect(reviewed.text).toContain('Review of policy version 3')
  })

  test('the second is told, also where they went back from the review first', async () => {
    const { root, cli, edit } = await scene()
    const { html } = await edit({ open_max_per_member: '7' })
    await setPolicy(cli, { expires_after_hours: 5 })
    for (const wayBack of [{ do: 'edit' }, { do: 'drop' }]) {
      const back = formOf((await root.send(review, { ...held(html), ...wayBack })).html, at('settings'))
      expect(back).toMatchObject({ version: '1', open_max_per_member: '7', expires_after_hours: '168' })
      const told = await root.send(at('settings'), { ...back, do: 'review' })
      expect(told.status).toBe(409)
      expect(formOf(told.html, at('settings'))).toMatchObject({
        version: '2',
        open_max_per_member: '7',
        expires_after_hours: '5',
      })
    }
  })

  test('the second is told when they ask the policy under review', async () => {
    const { root, cli, edit } = await scene()
    const { html } = await edit({ open_max_per_member: '7' })
    await setPolicy(cli, { expires_after_hours: 5 })
    const told = await root.send(review, { ...held(html), kind: 'refund', amount: '5', do: 'explain' })
    expect([told.status, formOf(told.html, at('settings'))['version']]).toEqual([409, '2'])
  })

  test('the second is told when they set it, and keeps what they changed', async () => {
    const { root, cli, policy, edit } = await scene()
    const { html } = await edit({ open_max_per_member: '7' })
    await setPolicy(cli, { expires_after_hours: 5 })
    const told = await root.send(review, { ...held(html), do: 'set' })
    expect(told.status).toBe(409)
    expect(formOf(told.html, at('settings'))).toMatchObject({
      version: '2',
      open_max_per_member: '7',
      expires_after_hours: '5',
    })
    expect((await policy()).version).toBe(2)
  })

  test('exactly one of simultaneous changes wins', async () => {
    const { root, account, form, policy } = await scene()
    const others = await Promise.all(
      [1, 2, 3].map((n) => signedInAdmin(gate, account, `root${n}@example.com`)),
    )
    const pages = await Promise.all(
      [root, ...others].map(async (who, n) => ({
        who,
        page: await who.send(at('settings'), {
          ...(await form('settings', who)),
          open_max_per_member: `${n + 5}`,
          do: 'review',
        }),
      })),
    )
    const answers = await Promise.all(
      pages.map(({ who, page }) => who.send(review, { ...held(page.html), do: 'set' })),
    )
    expect(answers.map(({ status }) => status).toSorted()).toEqual([303, 409, 409, 409])
    expect((await policy()).version).toBe(2)
  })
})

describe('a form that is not as it should be', () => {
  testRows<[string, Record<string, string>, RegExp, field: string | undefined]>([
    ['an unknown field', { 'refund.colour': 'red' }, /unknown field refund\.colour/, undefined],
    [
      'a field that is too long',
      { open_max_per_member: '1'.repeat(101) },
      /at most 100 characters/,
      'open_max_per_member',
    ],
    [
      'a tier that is none',
      { 'broadcast.tier': 'root' },
      /kinds\.broadcast\.tier must be one of/,
      'broadcast.tier',
    ],
    [
      'a floor that cannot be had',
      { 'broadcast.consent': 'blood' },
      /kinds\.broadcast\.consent must be one of/,
      'broadcast.consent',
    ],
    [
      'an amount in words',
      { 'refund.band.0.up_to': 'a lot' },
      /“a lot” is not an amount/,
      'refund.band.0.up_to',
    ],
    [
      'more than a year',
      { expires_after_hours: '9000' },
      /expires_after_hours must be at most 8760/,
      'expires_after_hours',
    ],
    [
      'a number that is none',
      { 'refund.actions_per_day': 'few' },
      /must be a number/,
      'refund.actions_per_day',
    ],
    [
      'a tier that is none in a later row',
      { 'refund.band.1.tier': 'root' },
      /kinds\.refund\.bands\.usd\.1\.tier must be one of/,
      'refund.band.1.tier',
    ],
    [
      'an empty setting',
      { expires_after_hours: '' },
      /expires_after_hours is required/,
      'expires_after_hours',
    ],
    [
      'bands that do not ascend',
      { 'refund.band.1.up_to': '100.00' },
      /must be in ascending order of up_to_cents/,
      'refund.band.0.up_to',
    ],
    ['nothing that differs', {}, /This is already the policy in force\./, undefined],
    [
      'markup',
      { 'refund.band.0.up_to': '<img src=x>' },
      /“<img src=x>” is not an amount/,
      'refund.band.0.up_to',
    ],
  ])('is refused, says why at its field, and keeps what was entered', async (_, more, sentence, field) => {
    const { edit, policy } = await scene()
    const answer = await edit(more)
    expect(answer.status).toBe(422)
    expect(answer.text.replaceAll('&lt;', '<').replaceAll('&gt;', '>')).toMatch(sentence)
    expect(answer.html).not.toContain('<img')
    const marked = [...answer.html.matchAll(/<(?:input|select)[^>]*aria-invalid[^>]*>/g)].map(([tag]) => tag)
    expect(marked).toEqual(field === undefined ? [] : [expect.stringContaining(`name="${field}"`)])
    if (field !== undefined) {
      expect(marked[0]).toMatch(new RegExp(`aria-describedby="${field}-error[^>]*autofocus`))
      expect(answer.html).toContain(`id="${field}-error"`)
      expect(answer.html).toContain(`href="#${field}"`)
    }
    const kept = formOf(answer.html, at(partOf(more)))
    for (const [name, value] of Object.entries(more))
      if (name in kept && value !== 'root' && value !== 'blood') expect(kept[name]).toBe(value)
    expect((await policy()).version).toBe(1)
  })

  test('is refused where it is larger than any policy, and taken where it is as large as one may be', async () => {
    const { root, form } = await scene()
    const large = Object.fromEntries(
      Array.from({ length: 280 }, (_, n) => n + 10).flatMap((n) =>
        ['up_to', 'tier', 'consent'].map((field) => [
          `refund.band.${n}.${field}`,
          `${n}.00${' '.repeat(60)}`,
        ]),
      ),
    )
    const sent = { ...(await form('refund')), ...large, do: 'more' }
    expect(new URLSearchParams(sent).toString().length).toBeGreaterThan(limits.consoleFormBytesMax)
    expect((await root.send(at('refund'), sent)).status).toBe(200)
    const tooLarge = await root.send(at('refund'), { ...sent, do: 'x'.repeat(limits.policyFormBytesMax) })
    expect([tooLarge.status, tooLarge.text]).toEqual([413, expect.stringContaining('The form is too large')])
  })

  test('of a review that was tampered with sets nothing', async () => {
    const { root, policy } = await scene()
    for (const document of ['', '[]', '{"kinds":{"broadcast":{"tier":"root"}}}', '{"version":1,"x":1}']) {
      const answer = await root.send(review, { version: '1', document, do: 'set' })
      expect(answer.status).toBe(422)
    }
    const unknown = await root.send(review, { version: '1', document: '{}', do: 'set', account: 'acct_x' })
    expect(unknown.status).toBe(422)
    const notPressed = await root.send(review, { version: '1', document: '{}', do: 'drop' })
    expect(notPressed.status).toBe(422)
    expect((await policy()).version).toBe(1)
  })

  test('from another site sets nothing', async () => {
    const { root, policy } = await scene()
    for (const site of ['cross-site', 'same-site']) {
      const evil = visitor(gate, site)
      for (const [name, value] of root.cookies) evil.cookies.set(name, value)
      const document = JSON.stringify({ open_max_per_member: 1 })
      expect((await evil.send(review, { version: '1', document, do: 'set' })).status).toBe(403)
    }
    expect((await policy()).version).toBe(1)
  })
})

test('a version is shown with its document as the ledger has the digest of it', async () => {
  const { root, cli, account } = await scene()
  await setPolicy(cli, { kinds: { broadcast: { tier: 'write', consent: 'page' } } })
  await setPolicy(cli, { open_max_per_member: 3 })
  const { html, text } = await root.open(`${path}/history/3`)
  const shown = /<pre[^>]*>([^]*?)<\/pre>/.exec(html)![1]!.replaceAll('&quot;', '"')
  expect(JSON.parse(shown)).toEqual({
    kinds: { broadcast: { tier: 'write', consent: 'page' } },
    open_max_per_member: 3,
  })
  const [row] = await gate.database.asSuperuser(
    `select entry from gate.ledger where account_id = '${account}' and kind = 'policy_set' order by seq desc limit 1`,
  )
  const digest = sha256(canonical(JSON.parse(shown))).toString('hex')
  expect(JSON.parse(row!['entry'] as string).data.document).toBe(digest)
  expect(text).toContain(
    'The rules above include the current defaults for everything the document does not set.',
  )
  const first = await root.open(`${path}/history/1`)
  expect(first.text).toContain('No document is stored for this version.')
  expect(first.html).not.toContain('<pre')
})

test('the versions are shown with who set them, when, and what they changed', async () => {
  const { root, cli } = await scene()
  for (let n = 1; n <= limits.policyVersionsPerPage + 1; n++) await setPolicy(cli, { open_max_per_member: n })
  const first = await root.open(`${path}/history`)
  expect(first.text).toContain('administrator (command line)')
  expect(first.text).toContain('removed: each member can have at most 20 open proposals')
  const next = /href="([^"]+)" rel="next"/.exec(first.html)![1]!
  const second = await root.open(next.replaceAll('&amp;', '&'))
  expect(second.text).toContain('nobody (the defaults)')
  const one = await root.open(`${path}/history/3`)
  expect(one.text).toContain('added: each member can have at most 2 open proposals')
  for (const unknown of ['99', '0', 'x', '1e3']) {
    expect((await root.open(`${path}/history/${unknown}`)).status).toBe(404)
  }
})

describe('an earlier version', () => {
  const versionAt = (version: number) => `${path}/history/${version}`

  test('is compared with the one in force and set again as it was stored, with a note', async () => {
    const { root, cli, policy, history, account } = await scene()
    await setPolicy(cli, { kinds: { broadcast: { tier: 'write', consent: 'page' } } }, 'Start strict.')
    await setPolicy(cli, { open_max_per_member: 3, kinds: {} })
    expect((await root.open(versionAt(2))).text).toContain('Note Start strict.')
    const reviewed = await root.send(versionAt(2))
    expect(reviewed.text).toContain('This sets the document of version 2 again, as a new version.')
    expect(reviewed.text).toContain('removed: each member can have at most 3 open proposals')
    expect((await policy()).version).toBe(3)
    const [note, tooLong] = ['Back to <b>two</b>: three was a mistake.', 'x'.repeat(301)]
    const refused = await root.send(review, { ...held(reviewed.html), note: tooLong, do: 'set' })
    expect(refused.status).toBe(422)
    expect(refused.html).toMatch(/name="note"[^>]*aria-invalid="true"/)
    const set = await root.send(review, { ...held(refused.html), note, do: 'set' })
    expect(set.status).toBe(303)
    expect(await policy()).toMatchObject({ version: 4, open_max_per_member: 100 })
    expect((await history()).versions[0]).toMatchObject({ version: 4, restores: 2, note })
    expect((await root.open(`${path}/history`)).html).toContain('Back to &lt;b&gt;two&lt;/b&gt;')
    const rows = await gate.database.asSuperuser(
      `select entry from gate.ledger where account_id = '${account}' and kind = 'policy_set' order by seq`,
    )
    const [second, , fourth] = rows.map(({ entry }) => JSON.parse(entry as string).data)
    expect(fourth).toMatchObject({
      restores: 2,
      kinds: ['broadcast'],
      document: second.document,
      note_digest: expect.stringMatching(/^[0-9a-f]{64}$/),
    })
    expect(JSON.stringify(rows)).not.toContain('mistake')
    expect(await verifyLedger(gate.database.db, account)).toMatchObject({ ok: true })
    await gate.database.asSuperuser(
      `update gate.policy set note = 'No reason.' where account_id = '${account}' and version = 4`,
    )
    expect(await verifyLedger(gate.database.db, account)).toMatchObject({
      ok: false,
      problem: 'its note does not match the ledger',
    })
  })

  test('is compared again where another was set meanwhile; the defaults can be restored too', async () => {
    const { root, cli, policy } = await scene()
    await setPolicy(cli, { open_max_per_member: 3 })
    const { html } = await root.send(versionAt(1))
    await setPolicy(cli, { expires_after_hours: 5 })
    const told = await root.send(review, { ...held(html), note: 'Undo.', do: 'set' })
    expect([told.status, told.text]).toEqual([
      409,
      expect.stringContaining('but version 3 is in force. Nothing was saved.'),
    ])
    expect(held(told.html)).toMatchObject({ version: '3', restores: '1', note: 'Undo.' })
    await root.send(review, { ...held(told.html), do: 'set' })
    expect(await policy()).toMatchObject({ version: 4, open_max_per_member: 100, expires_after_hours: 168 })
    expect((await root.send(versionAt(9))).status).toBe(404)
    const forged = { version: '4', document: '{}', restores: '9', do: 'set' }
    expect((await root.send(review, forged)).status).toBe(422)
  })
})

describe('a preset', () => {
  const preset = `${path}/preset`

  test('is asked for on the overview until a policy is set; its review sets it', async () => {
    const { root, policy, history } = await scene()
    const overview = await root.open('/console')
    expect(overview.text).toContain('This account uses the default policy.')
    expect(overview.text).toContain('money: up to 10,000.00 USD; broadcasts: yes')
    const reviewed = await root.send(preset, { preset: 'standard' })
    expect(reviewed.text).toContain('added: payout up to 10,000.00 USD: write, consent page')
    expect(reviewed.text).toContain('Allowed on the agent’s word alone: money: up to 100.00 USD')
    expect((await policy()).version).toBe(1)
    await root.send(review, { ...held(reviewed.html), do: 'set' })
    expect((await history()).versions[0]).toMatchObject({ version: 2, byName: 'root@example.com' })
    const after = await root.open('/console')
    expect(after.text).not.toContain('This account uses the default policy.')
    expect(after.text).toContain('money: up to 100.00 USD')
    expect((await root.open(path)).text).toContain('money: up to 100.00 USD')
  })

  test('that changes nothing is set all the same: it was chosen', async () => {
    const { root, policy } = await scene()
    const reviewed = await root.send(preset, { preset: 'open' })
    expect(reviewed.text).toContain('No rule changes')
    await root.send(review, { ...held(reviewed.html), do: 'set' })
    expect((await policy()).version).toBe(2)
    expect((await root.open('/console')).text).not.toContain('This account uses the default policy.')
  })

  test('is refused under an unknown name, and from a visitor who is not signed in', async () => {
    const { root } = await scene()
    expect((await root.send(preset, { preset: 'loose' })).status).toBe(422)
    expect((await visitor(gate).send(preset, { preset: 'strict' })).status).not.toBe(200)
  })
})

describe('the limits of a day in the form', () => {
  test('are the defaults until they are filled in or given up, for members, the account and keys', async () => {
    const { root, form, policy, edit } = await scene()
    expect((await root.open(at('refund'))).text).toContain(
      'By default: one member can confirm 50 actions in 24 hours; one member can confirm 100,000.00 USD in 24 hours (per currency: the same amount in each of 11 others).',
    )
    const given = {
      'refund.limits': 'off',
      'refund.account_actions_per_day': '200',
      'refund.day.0.whose': 'key',
      'refund.day.0.currency': 'usd',
      'refund.day.0.amount': '500.00',
    }
    const reviewed = await edit(given)
    expect(reviewed.text).toContain('removed: refund: one member can confirm 50 actions in 24 hours')
    expect(reviewed.text).toContain('added: refund: one member can confirm any number of actions in 24 hours')
    expect(reviewed.text).toContain('added: refund: the whole account can confirm 200 actions in 24 hours')
    expect(reviewed.text).toContain(
      'added: refund: one API key can confirm 500.00 USD in 24 hours (per currency: the same amount in each of 11 others)',
    )
    await root.send(review, { ...held(reviewed.html), do: 'set' })
    expect((await policy()).kinds['refund']).toMatchObject({
      velocity: {
        actions_per_day: null,
        account: { actions_per_day: 200 },
        key: { cents_per_day: { usd: 50_000 } },
      },
    })
    expect(await form('refund')).toMatchObject({ ...given, 'refund.day.0.amount': '500.00' })
  })
})
