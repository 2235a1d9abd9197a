import { beforeEach, describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { matchText, parseMatch } from '../../src/console/runner-rules/match-text.ts'
import { defaultRunnerRules } from '../../src/gate/runner-calls/default-rules.ts'
import type { Pattern, RunnerRule, RunnerRules } from '../../src/gate/runner-calls/rules.ts'
import { policyInForce } from '../../src/operations/policy/policy-in-force.ts'
import { setPolicy } from '../../src/operations/policy/set-policy.ts'
import { anyCharacter } from '../support/any-character.ts'
import { type Visitor, signedInAdmin } from '../support/console.ts'
import type { TestGate } from '../support/gate.ts'
import { useConsole } from '../support/use-gate.ts'
import { testHook } from '../support/runner.ts'
import { testRows } from '../support/rows.ts'

describe('the text of what a rule matches', () => {
  const value = fc.oneof(
    fc.string({ minLength: 1, unit: 'grapheme' }),
    fc.string({ minLength: 1, unit: anyCharacter }),
    fc.constantFrom('prefix a', 'one of a, b', 'prefix', '"a"', ' a ', 'a,b', 'a: b', '\u202e', 'a\nb', '\\'),
  )
  const pattern: fc.Arbitrary<Pattern> = fc.oneof(
    value,
    fc.record({ prefix: value }),
    fc.record({ one_of: fc.array(value, { minLength: 1, maxLength: 4 }) }),
  )

  test('is read as it was written, whatever names and values contain', () => {
    fc.assert(
      fc.property(fc.dictionary(value, pattern), (match) => {
        expect(parseMatch(matchText(match))).toEqual({ match })
      }),
    )
  })

  testRows<[string, Record<string, Pattern>]>([
    ['command: git *', { command: 'git *' }],
    ['@cwd: prefix /work/', { '@cwd': { prefix: '/work/' } }],
    [
      '  @effect :  one of reads, runs \r\n\r\n tool:x',
      { '@effect': { one_of: ['reads', 'runs'] }, tool: 'x' },
    ],
    ['command: "prefix x"', { command: 'prefix x' }],
    ['url: https://a.example:8080/*', { url: 'https://a.example:8080/*' }],
    ['', {}],
  ])('lines that name fields are read', (text, match) => {
    expect(parseMatch(text)).toEqual({ match })
  })

  testRows([
    'git *',
    'command:',
    'command: prefix',
    'command: one of',
    'command: one of a,,b',
    'command: "a',
    'a: 1\na: 2',
  ])('lines that do not fit are refused', (text) => {
    expect(parseMatch(text)).toEqual({ problem: expect.any(String) })
  })
})

const gate = useConsole()

let account: Awaited<ReturnType<TestGate['account']>>
let admin: Visitor
beforeEach(async () => {
  account = await gate.account()
  admin = await signedInAdmin(gate, account.account)
})

const path = '/console/policies/tool-calls'
const review = '/console/policies/review'
const inForce = () => policyInForce(gate.deps, account.account)

/** The fields of a form, as a browser that changes nothing would send them. */
function formIn(html: string): Record<string, string> {
  const form = html.slice(html.indexOf('<form method="post"'))
  const inputs = [...form.matchAll(/<input[^>]*?name="([^"]+)"[^>]*?value="([^"]*)"/g)]
  const areas = [...form.matchAll(/<textarea[^>]*?name="([^"]+)"[^>]*>\n([^<]*)<\/textarea>/g)]
  const selects = [...form.matchAll(/<select[^>]*?name="([^"]+)"[^>]*>(.*?)<\/select>/gs)].map(
    ([, name, options]) => ['', name, /value="([^"]*)" selected/.exec(options!)?.[1] ?? ''] as const,
  )
  return Object.fromEntries(
    [...inputs, ...areas, ...selects].map(([, name, value]) => [name!, unescaped(value!)]),
  )
}
const unescaped = (text: string): string =>
  text
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')

const opened = async () => formIn((await admin.open(path)).html)
const toolsIn = (html: string) =>
  Object.entries(formIn(html))
    .filter(([name]) => name.endsWith('.tool'))
    .map(([, value]) => value)
async function setByForm(fields: Record<string, string>): Promise<void> {
  const page = await admin.send(path, { ...fields, do: 'review' })
  if (page.status !== 200) throw new Error(page.text)
  const done = await admin.send(review, { ...held(page.html), do: 'set' })
  expect(done.status).toBe(303)
}
const held = (html: string): Record<string, string> =>
  Object.fromEntries(
    [...html.matchAll(/<input type="hidden" name="(version|document|restores)" value="([^"]*)"/g)].map(
      ([, name, value]) => [name!, unescaped(value!)],
    ),
  )
const set = (runner: RunnerRules) => account.setPolicy({ runner })
const ruleOf = (tool: string, more: Partial<RunnerRule> = {}): RunnerRule => ({
  tool,
  decision: 'allow',
  note: `About ${tool}.`,
  ...more,
})

describe('the policy page', () => {
  test('shows the rules in their order, with what each matches, requires and decides', async () => {
    const text = unescaped((await admin.open('/console/policies')).text)
    expect(text).toContain('Tool calls of agent runners')
    expect(text).toMatch(/1 any effect is "credentials" any deny none Agents do not read or change/)
    expect(text).toMatch(/4 any effect is "edits_inside" guarded_write allow none Editing files/)
    expect(text).toMatch(/5 any every call guarded_write consent own consent in Slack \(chat\) Running/)
  })

  test('writes out what cannot be seen, and shows markup as text', async () => {
    const note = 'a\u202eb <b>bold</b>'
    await set({ rules: [ruleOf('Ba\u200bsh', { match: { '<i>': 'x' }, note })], record: 'refused' })
    const { html } = await admin.open('/console/policies')
    expect(html).not.toContain('<b>bold')
    expect(html).not.toContain('<i>')
    expect(html).not.toMatch(/[\u200b\u202e]/)
  })
})

describe('the form of the rules', () => {
  test('says that a pattern allows one simple command', async () => {
    expect((await admin.open(path)).text).toContain(
      'In a rule that allows, a pattern or prefix matches one simple command',
    )
  })

  test('changes nothing where it is sent as it was opened', async () => {
    const page = await admin.send(path, { ...(await opened()), do: 'review' })
    expect([page.status, page.text]).toEqual([
      422,
      expect.stringContaining('This is already the policy in force.'),
    ])
  })

  test('sets a changed rule after a review that tells what changes, and keeps all others', async () => {
    const fields = {
      ...(await opened()),
      'rule.4.tool': 'Bash',
      'rule.4.match': 'command: git *',
      'rule.4.decision': 'page',
    }
    const page = await admin.send(path, { ...fields, do: 'review' })
    expect(page.status).toBe(200)
    expect(unescaped(page.text).replaceAll(' :', ':')).toContain(
      'added: tool calls: "Bash", input "command" is like "git *": consent page from guarded_write',
    )
    expect(page.text).toContain('Tool calls No tool calls in this period to compare.')
    await setByForm(fields)
    const { runner } = await inForce()
    expect(runner.rules).toEqual([
      ...defaultRunnerRules.rules.slice(0, 4),
      { ...defaultRunnerRules.rules[4], tool: 'Bash', match: { command: 'git *' }, consent: 'page' },
    ])
    const history = await admin.open('/console/policies/history')
    expect(unescaped(history.text)).toContain('tool calls: "Bash", input "command" is like "git *"')
  })

  test('adds, moves, inserts and removes rules by its buttons, without losing what was entered', async () => {
    await set({ rules: [ruleOf('a'), ruleOf('b')], record: 'all' })
    let fields: Record<string, string> = { ...(await opened()), note: '' }
    delete fields['note']
    const press = async (button: string) => {
      const page = await admin.send(path, { ...fields, do: button })
      expect(page.status).toBe(200)
      fields = formIn(page.html)
      return toolsIn(page.html)
    }
    expect(await press('down.0')).toEqual(['b', 'a'])
    expect(await press('up.1')).toEqual(['a', 'b'])
    expect(await press('up.0')).toEqual(['a', 'b'])
    expect(await press('down.1')).toEqual(['a', 'b'])
    expect(await press('insert.1')).toEqual(['a', '', 'b'])
    expect(await press('add')).toEqual(['a', '', 'b', ''])
    fields['rule.3.tool'] = 'unfinished: '
    expect(await press('remove.0')).toEqual(['', 'b', 'unfinished: '])
    expect(fields['record']).toBe('all')
    fields['rule.2.note'] = 'Last.'
    await setByForm(fields)
    // The empty rule is none.
    expect((await inForce()).runner).toEqual({
      rules: [ruleOf('b'), { tool: 'unfinished:', decision: 'consent', consent: 'chat', note: 'Last.' }],
      record: 'all',
    })
  })

  testRows([
    ['rule.0.match', { 'rule.0.match': 'git *' }, 'Rule 1: match has a line that cannot be read: “git *”'],
    ['rule.0.match', { 'rule.0.match': '@home: x' }, 'must be a field of the input, or one of @effect'],
    ['rule.1.tool', { 'rule.1.tool': '' }, 'runner.rules.1.tool must not be empty'],
    ['rule.1.note', { 'rule.1.note': '' }, 'runner.rules.1.note must not be empty'],
    ['rule.0.decision', { 'rule.0.decision': 'ask' }, 'must be one of allow, deny, consent'],
    ['rule.0.tier', { 'rule.0.decision': 'deny', 'rule.0.tier': 'write' }, 'denies every tier: remove tier'],
    ['rule.2.note', { 'rule.2.tool': 'c', 'rule.0.tool': '', 'rule.0.note': '' }, 'note must not be empty'],
    ['record', { record: 'some' }, 'runner.record must be one of refused, all'],
  ])('shows what is wrong, and where', async (name, fields, sentence) => {
    await set({ rules: [ruleOf('a'), ruleOf('b')], record: 'refused' })
    const page = await admin.send(path, { ...(await opened()), ...fields, do: 'review' })
    expect([page.status, page.text]).toEqual([422, expect.stringContaining(sentence)])
    expect(page.html).toContain(`id="${name}-error"`)
    expect(toolsIn(page.html)[1]).toBe('rule.1.tool' in fields ? '' : 'b')
  })

  test.each([
    [{ 'rule.0.when': 'now' }, 'unknown field rule.0.when'],
    [{ 'rule.200.tool': 'x' }, 'unknown field rule.200.tool'],
    [{ do: 'constructor.1', owner: 'me' }, 'unknown field owner'],
  ])('refuses %j and stays a page', async (fields, sentence) => {
    const page = await admin.send(path, { ...(await opened()), ...fields })
    expect([page.status, page.text]).toEqual([422, expect.stringContaining(sentence)])
  })

  test('takes an unknown button as a request for the review', async () => {
    const page = await admin.send(path, { ...(await opened()), record: 'all', do: 'constructor.1' })
    expect([page.status, page.text]).toEqual([200, expect.stringContaining('Review of policy version 2')])
  })

  test('is shown over the new version where another was set meanwhile; rules that were not changed follow it', async () => {
    const fields = await opened()
    await set({ rules: [ruleOf('a')], record: 'all' })
    const untouched = await admin.send(path, { ...fields, do: 'review' })
    expect([untouched.status, toolsIn(untouched.html)]).toEqual([409, ['a']])
    const changed = await admin.send(path, { ...fields, 'rule.0.tool': 'mine', do: 'review' })
    expect(changed.status).toBe(409)
    expect(toolsIn(changed.html)[0]).toBe('mine')
    await setByForm(formIn(changed.html))
    expect((await inForce()).runner.rules[0]!.tool).toBe('mine')
  })

  test('is opened again from its review with what was entered', async () => {
    const page = await admin.send(path, { ...(await opened()), 'rule.0.tool': 'mine', do: 'review' })
    const again = await admin.send(review, { ...held(page.html), do: 'edit' })
    expect(again.status).toBe(200)
    expect(toolsIn(again.html)[0]).toBe('mine')
  })

  test('keeps 200 rules with long conditions', async () => {
    const rules = Array.from({ length: 200 }, (_, n) => ruleOf(`tool${n}`, { match: { command: `x${n} *` } }))
    await set({ rules, record: 'refused' })
    await setByForm({ ...(await opened()), 'rule.199.note': 'Changed.' })
    expect((await inForce()).runner.rules[199]).toEqual({ ...rules[199], note: 'Changed.' })
    const page = await admin.send(path, { ...(await opened()), do: 'add' })
    expect([page.status, page.text]).toEqual([422, expect.stringContaining('at most 200 rules')])
  })
})

describe('beside the form', () => {
  test('a preset keeps the rules, and an earlier version restores its own', async () => {
    const administrator = { ...gate.deps, account: account.account, session: null }
    await setPolicy(administrator, { runner: { rules: [ruleOf('a')], record: 'all' } })
    const preset = await admin.send('/console/policies/preset', { preset: 'strict' })
    expect((await admin.send(review, { ...held(preset.html), do: 'set' })).status).toBe(303)
    expect((await inForce()).runner.rules).toEqual([ruleOf('a')])
    await set({ rules: [], record: 'refused' })
    await setPolicy(administrator, { restores: 2 })
    expect((await inForce()).runner).toEqual({ rules: [ruleOf('a')], record: 'all' })
  })

  test('the review tells which past tool calls the rules would decide otherwise', async () => {
    const grace = await account.addMember({ name: 'Grace', slack: 'U0GRACE1', tier: 'guarded_write' })
    const hook = await testHook(gate, account, grace)
    for (const name of ['a', 'b']) await hook.ask({ file_path: `/work/project/${name}` }, { tool: 'Read' })
    const fields = { ...(await opened()), 'rule.2.decision': 'deny' }
    const { text } = await admin.send(path, { ...fields, do: 'review' })
    expect(text).toContain('2 calls: 2 would be denied.')
    expect(text).toMatch(/Read 2 would be denied Rule 3: any tool, effect is one of/)
  })

  const test_ = (query: Record<string, string>) =>
    admin.open(
      `/console/policies/explain?${new URLSearchParams({ kind: 'runner_tool', tier: 'guarded_write', ...query })}`,
    )

  test('a policy test decides a tool call', async () => {
    const ran = await test_({
      tool: 'Bash',
      input: '{"command":"rm -rf build"}',
      runner: 'claude',
      cwd: '/p',
    })
    expect(ran.text).toMatch(
      /Result allowed Rule Rule 5: any tool: consent chat .* Effect \w+ Consent at least chat/,
    )
    const denied = await test_({ tool: 'Bash', input: '{"command":"ls"}', tier: 'root' })
    expect([denied.status, denied.text]).toEqual([422, expect.stringContaining('tier must be one of')])
    const unreadable = await test_({ tool: 'Bash', input: 'rm -rf build' })
    expect([unreadable.status, unescaped(unreadable.text)]).toEqual([
      422,
      expect.stringContaining('input must be a JSON object, such as {"command":"ls"}.'),
    ])
    expect(unreadable.html).toContain('id="input-error"')
    expect((await test_({ tool: '' })).text).toContain('tool must not be empty.')
  })
})
