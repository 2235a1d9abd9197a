import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { sha256 } from '../../src/ledger/digest.ts'
import { limits } from '../../src/limits.ts'
import { readUnreportedCount } from '../../src/operations/runner-calls/runners-overview.ts'
import { type Visitor, signedInAdmin, signedInByMail, startConsole } from '../support/console.ts'
import { askedInSlack, pressInSandbox } from '../support/consent.ts'
import type { TestGate } from '../support/gate.ts'
import { testHook } from '../support/runner.ts'
import { sendSigned, signedCall } from '../support/signed-hook.ts'
import { until } from '../support/until.ts'
import { markup } from './scene.ts'

const path = '/console/runners'
const readme = { file_path: '/work/project/README.md' }
const secret = { file_path: '/root/.ssh/id_ed25519' }

let gate: TestGate
beforeAll(async () => {
  gate = await startConsole({ workers: true })
}, 60_000)
afterAll(() => gate.stop(), 60_000)

const rules = [
  { tool: '*', match: { file_path: '/root/*' }, decision: 'deny', note: 'Nothing of root.' },
  { tool: 'Bash', decision: 'consent', note: 'Commands need consent.' },
  { tool: '*', decision: 'allow', note: 'Reading is allowed.' },
]

let people = 0
/** An account with Grace, one machine of hers, and an administrator. */
async function lived() {
  const account = await gate.account()
  const slack = `U000PAGE${++people}`
  const grace = await account.addMember({
    name: `Grace ${markup}`,
    email: `grace${people}@example.com`,
    slack,
    tier: 'guarded_write',
  })
  await account.setPolicy({ runner: { rules, record: 'refused' } })
  const hook = await testHook(gate, account, grace)
  await rename(hook.keyId, 'Grace laptop')
  const root: Visitor = await signedInAdmin(gate, account.account)
  return {
    ...account,
    grace,
    hook,
    root,
    page: async (query = '') => (await root.open(`${path}${query}`)).text,
    /** Makes the calls so far older, as if nothing was reported since. */
    age: (minutes: number) =>
      gate.database.asSuperuser(
        `update gate.tool_call set at = at - interval '${minutes} minutes' where account_id = '${account.account}'`,
      ),
    /** The member approves the last request in Slack. */
    async approve(id: number, times = 1) {
      const { message } = await askedInSlack(gate, slack, times)
      await pressInSandbox(gate, message, 'gate_approve')
      await until('it is approved', async () => (await account.client.get(id)).body.status === 'executed')
    },
  }
}

const rename = (keyId: string, name: string) =>
  gate.database.asSuperuser(`update gate.api_key set name = '${name}' where key_id = '${keyId}'`)

/** The lines of a table of the page. */
function tableOf(html: string, label: string): string[] {
  const body = new RegExp(`aria-label="${label}"[^]*?<tbody[^>]*>([^]*?)</tbody>`).exec(html)?.[1] ?? ''
  return [...body.matchAll(/<tr[^>]*>([^]*?)<\/tr>/g)].map(([, row]) =>
    row!
      .replaceAll(/<[^>]+>/g, ' ')
      .replaceAll(/\s+/g, ' ')
      .trim(),
  )
}

describe('the page of runners', () => {
  test('says how to put the gate before a runner where there is none', async () => {
    const { account } = await gate.account()
    const page = await (await signedInAdmin(gate, account)).open(path)
    expect(page.text).toContain('gate key mint --runner')
    expect(page.html).toContain('href="/console/keys/new/runner"')
    expect(page.text).toContain(`hook install --runner claude --url ${gate.deps.publicUrl()}`)
    expect(page.text).toContain('Suspend account')
  })

  test('lists each machine with its member, its runners and the decisions of today; revoked and expired ones are marked and come last', async () => {
    const scene = await lived()
    const { root, hook, account, grace } = scene
    const old = await testHook(gate, scene, grace)
    await rename(old.keyId, 'Old laptop')
    const expired = await scene.mintKey({ powers: ['runner'], actors: [grace] })
    await rename(expired.keyId, 'Rented machine')
    await gate.database.asSuperuser(
      `update gate.api_key set expires_at = now() - interval '1 day' where account_id = '${account}' and key_id = '${expired.keyId}'`,
    )
    await hook.ask(readme, { tool: 'Read' })
    await hook.ask(readme, { tool: 'Read' })
    await hook.ask(secret, { tool: 'Read' })
    await hook.ask('rm -rf build')
    // The newest call: one that is over comes last all the same.
    await old.ask(readme, { tool: 'Read' })
    await scene.revokeKey(old.keyId)
    const lines = tableOf((await root.open(path)).html, 'Machines[^"]*')
    expect(lines).toHaveLength(3)
    expect(lines[0]).toMatch(
      /^Grace laptop Grace &lt;img .* Claude Code \S+ \S+ UTC just now 2 1 1 …\w{4} Revoke/,
    )
    expect(lines.slice(1).toSorted()).toEqual([
      expect.stringMatching(/^Old laptop revoked .* Claude Code .* just now 1 0 0 …\w{4}$/),
      expect.stringMatching(/^Rented machine expired .* none yet none in 30 days 0 0 0 …\w{4}$/),
    ])
  })

  test('draws the decisions of 14 days, and has them in a table', async () => {
    const { root, hook, account } = await lived()
    await hook.ask(readme, { tool: 'Read' })
    await hook.ask(secret, { tool: 'Read' })
    await gate.database.asSuperuser(
      `insert into gate.tool_count (account_id, hour, member_id, key_id, tool, allowed, denied, asked)
       select '${account}', date_trunc('hour', now()) - interval '3 days', 'mem_x', '${hook.keyId}', 'Bash', 7, 0, 2`,
    )
    const { html } = await root.open(path)
    const days = tableOf(html, 'Tool calls by day and decision')
    expect(days).toHaveLength(14)
    expect(days.at(-1)).toMatch(/^\d{4}-\d\d-\d\d 2 1 1 0$/)
    expect(days.at(-4)).toMatch(/^\d{4}-\d\d-\d\d 9 7 0 2$/)
    expect([...html.matchAll(/<rect\s+class="(\w+)"/g)].map(([, name]) => name)).toEqual([
      'allowed',
      'asked',
      'allowed',
      'denied',
    ])
  })

  test('lists calls with the rule that decided and their row, and filters them by machine and decision', async () => {
    const scene = await lived()
    const { root, hook, grace } = scene
    const other = await testHook(gate, scene, grace)
    await rename(other.keyId, 'Other machine')
    await hook.ask(readme, { tool: 'Read' })
    const denied = await hook.ask(secret, { tool: 'Read' })
    await other.ask(readme, { tool: `Glob ${markup}` })
    const listed = async (query = '') => tableOf((await root.open(path + query)).html, 'Latest tool calls')
    const all = await listed()
    expect(all).toHaveLength(3)
    expect(all[1]).toMatch(
      new RegExp(`^Read .* Claude Code, Grace laptop Grace .* \\w+ denied by rule 1 – #${denied.action}$`),
    )
    expect(all[2]).toMatch(/^Read .* \w+ allowed by rule 3 –$/)
    expect((await root.open(path)).html).not.toContain(markup)
    expect((await listed(`?machine=${hook.keyId}`)).length).toBe(2)
    expect((await listed(`?machine=${other.keyId}`)).length).toBe(1)
    expect((await listed('?decision=deny')).length).toBe(1)
    expect((await listed(`?machine=${other.keyId}&decision=deny`)).length).toBe(0)
    const { html } = await root.open(path)
    expect(html).toContain(`href="/console/ledger/${denied.action}"`)
    expect(html).toMatch(/<a href="\/console\/policies#rule-1">by rule 1<\/a>/)
    expect((await root.open('/console/policies')).html).toContain('id="rule-1"')
  })

  test.each(['', '?decision=allow', '?decision=unreported'])(
    'goes on page after page%s, and shows each call once',
    async (query) => {
      const { root, hook, account } = await lived()
      await gate.database.asSuperuser(
        `insert into gate.tool_call (account_id, at, key_id, member_id, tier_at_request, runner, tool, effect, ref, binding, decision, rule)
         select '${account}', now() - interval '20 minutes' + (n / 3) * interval '1 ms', '${hook.keyId}', 'mem_x', 'write', 'codex', 'tool_' || n,
           'runs', sha256(n::text::bytea), sha256(n::text::bytea), 'allow', 1 from generate_series(1, 120) n order by n`,
      )
      const seen: string[] = []
      for (let at: string | undefined = path + query; at !== undefined;) {
        const { html } = await root.open(at)
        seen.push(...tableOf(html, 'Latest tool calls').map((line) => line.split(' ')[0]!))
        at = /href="([^"#]+)(?:#calls)?" rel="next"/.exec(html)?.[1]?.replaceAll('&amp;', '&')
      }
      expect(seen).toEqual(Array.from({ length: 120 }, (_, n) => `tool_${120 - n}`))
    },
  )

  test('counts and lists calls that were allowed and never reported, and the overview shows them', async () => {
    const { root, hook, page, age, account } = await lived()
    await hook.ask(readme, { tool: 'Read', callId: 'toolu_silent' })
    await hook.ask(readme, { tool: 'Glob', callId: 'toolu_told' })
    await hook.ask(secret, { tool: 'Read' })
    expect(await page()).toContain('None in the last 24 hours.')
    await age(limits.toolOutcomeMs / 60_000 + 1)
    expect(await readUnreportedCount(gate.deps, account)).toEqual({ count: 2, isMore: false })
    await hook.report(readme, { tool: 'Glob', callId: 'toolu_told', event: 'PostToolUseFailure' })
    const { html, text } = await root.open(path)
    expect(text).toContain('1 tool call allowed without a report in the last 24 hours')
    expect(tableOf(html, 'Newest calls without a report')).toEqual([
      expect.stringMatching(/^Read .* unreported$/),
    ])
    expect(tableOf(html, 'Latest tool calls')[1]).toMatch(/^Glob .* failed$/)
    const overview = await root.open('/console')
    expect(overview.html).toMatch(
      /<a href="\/console\/runners#unreported"\s*>1 tool call allowed without a report in the last 24 hours<\/a/,
    )
    await age(24 * 60)
    expect((await root.open('/console')).text).not.toContain('without a report')
  })

  test('has the stop switch: it denies every call and ends every consent that was not used', async () => {
    const { root, hook, approve } = await lived()
    const asked = await hook.ask('rm -rf build')
    await approve(asked.action!)
    expect((await root.open(path)).html).toContain('href="/console/account/suspend"')
    expect((await root.send('/console/account/suspend')).status).toBe(303)
    expect((await hook.ask(readme, { tool: 'Read' })).decision).toBe('deny')
    expect((await root.open(`/console/ledger/${asked.action}`)).text).toContain('Expired unused at')
    await root.send('/console/account/resume')
    expect((await hook.ask('rm -rf build')).decision).toBe('deny')
  })

  test('is of one account alone', async () => {
    const { hook } = await lived()
    await hook.ask(readme, { tool: 'OnlyTheirs' })
    const other = await lived()
    expect(await other.page()).not.toContain('OnlyTheirs')
    expect(await other.page(`?machine=${hook.keyId}`)).not.toContain('OnlyTheirs')
  })
})

describe('the page of a tool call in the ledger', () => {
  const text = 'rm -rf build \u202e&& echo <b>done</b>'

  test('shows what it carries, the consent while it can be used, its use, and what the runner reported', async () => {
    const { root, hook, approve } = await lived()
    const asked = await hook.ask(text)
    const row = () => root.open(`/console/ledger/${asked.action}`)
    const open = await row()
    expect(open.html).toMatch(
      /<pre class="message code" dir="auto">\s*rm -rf build .{1,40}&amp;&amp; echo &lt;b&gt;done&lt;\/b&gt;<\/pre>/,
    )
    expect(open.html).not.toContain('\u202e')
    expect(open.text).not.toMatch(/Usable until|Outcome/)
    await approve(asked.action!)
    expect((await row()).text).toMatch(/Consent Usable until .*, once, by exactly this call/)
    expect((await hook.ask(text, { callId: 'toolu_run' })).decision).toBe('allow')
    expect((await row()).text).toMatch(/Consent Used at .* Outcome not reported yet/)
    await hook.report(text, { callId: 'toolu_run' })
    const done = await row()
    expect(done.text).toContain('Outcome ran, says the runner')
    expect(done.text).toContain(
      'The runner repeated the approved call and it was allowed: the consent is used up',
    )
    expect(done.text).toContain('The runner reported that the call ran')
  })

  test('shows how the files begin that it runs, as text', async () => {
    const { root, hook } = await lived()
    const report = (name: string, content: string) => ({
      [sha256(name).toString('hex').slice(0, 16)]: [
        sha256(content).toString('hex'),
        Buffer.from(content).toString('hex'),
      ],
    })
    const files = {
      ...report('a.sh', 'echo <b>\u202e</b>\n'),
      ...report('package.json', '{"scripts":{"build":"echo built"}}'),
    }
    const list = [files, hook.bodyOf('sh a.sh; npm run build', {})]
    const { text } = await sendSigned(
      gate.api.url,
      hook.key,
      signedCall(hook.key, list, { query: { files: 'read' } }),
    )
    const { html } = await root.open(`/console/ledger/${/action (\d+)/.exec(text)![1]}`)
    expect(html).toMatch(/<h3>All of <bdi>a\.sh<\/bdi><\/h3>\s*<pre[^>]*>\s*echo &lt;b&gt;.{1,40}&lt;\/b&gt;/)
    expect(html).toMatch(/<h3>Scripts of <bdi>package\.json<\/bdi><\/h3>\s*<pre[^>]*>\s*build: echo built/)
    expect(html).not.toContain('\u202e')
  })

  test('says when a consent expired unused', async () => {
    const { root, hook, approve, account } = await lived()
    const asked = await hook.ask('rm -rf build')
    await approve(asked.action!)
    await gate.database.asSuperuser(
      `update gate.tool_consent set expires_at = now() - interval '1 minute' where account_id = '${account}'`,
    )
    expect((await root.open(`/console/ledger/${asked.action}`)).text).toContain('Consent Expired unused at')
  })

  test('is a line of the ledger that says what was called, and is found by its kind', async () => {
    const { root, hook } = await lived()
    await hook.ask(secret, { tool: 'Read' })
    const { html } = await root.open('/console/ledger?kind=runner_tool')
    expect(tableOf(html, 'Actions')[0]).toContain('runner tool Read by Claude Code: /root/.ssh/id_ed25519')
    expect(html).toMatch(/<option value="runner_tool"\s+selected/)
  })
})

test('a member sees the runner keys that act for them', async () => {
  const scene = await lived()
  const { grace, hook } = scene
  const page = await (await signedInByMail(gate, grace.email!)).open('/console/me')
  expect(page.text).toContain(
    'Grace laptop Asks about the tool calls of an agent runner for you. Cannot do anything else.',
  )
  expect(page.text).not.toContain(hook.key)
})
