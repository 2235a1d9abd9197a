import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, test } from '@jest/globals'
import { adminWrite } from '../../src/db/admin-write.ts'
import { erasePayload } from '../../src/db/queries/actions/erase.ts'
import { sha256 } from '../../src/ledger/digest.ts'
import { limits } from '../../src/limits.ts'
import { endMandateNow, mandatesOf } from '../../src/operations/mandates/mandates.ts'
import { askedInSlack, pressInSandbox, slackRequests } from '../support/consent.ts'
import { useGate } from '../support/use-gate.ts'
import { readingHook } from '../support/reading-hook.ts'
import { testRows } from '../support/rows.ts'
import type { Asked } from '../support/runner.ts'
import { runnerScene } from '../support/runner-scene.ts'
import { sessionOf } from '../support/session.ts'
import { until } from '../support/until.ts'
import { usedBefore } from '../support/used-key.ts'

const gate = useGate()

const offerText = 'without asking'

const manifest = JSON.stringify({ scripts: { test: 'jest', lint: 'eslint .', build: 'tsc' } })

/** A runner's scene with a hook that reads the files of a project. */
async function readingScene() {
  const made = await runnerScene(gate)
  const files: Record<string, string> = { 'package.json': manifest }
  return {
    ...made,
    files,
    hook: readingHook(gate, made.hook, files),
    blindHook: made.hook,
    anotherHook: async () => readingHook(gate, await made.anotherHook(), files),
  }
}

/** The same, in which requests are found by what they say: those of a call and of an offer come in any order. */
async function scene() {
  const made = await readingScene()
  const requestOf = (...texts: string[]) =>
    until(`${texts.join()} is asked about in Slack`, async () =>
      slackRequests(gate, made.slack).findLast(
        (one) => one.token !== undefined && texts.every((text) => one.text.includes(text)),
      ),
    )
  const press = async (button: 'approve' | 'decline', ...texts: string[]) => {
    const { message } = await requestOf(...texts)
    await pressInSandbox(gate, message, `gate_${button}`)
  }
  const { hook, isGranted, client } = made
  return {
    ...made,
    requestOf,
    press,
    mandates: async () => (await client.list({ kind: 'runner_mandate' })).body.actions,
    /** The member approves a call, and it is made. */
    async approveCall(line: string) {
      const call = { callId: randomUUID() }
      const { action } = await hook.ask(line, call)
      await press('approve', line)
      await isGranted(action!)
      expect(await hook.ask(line, call)).toMatchObject({ decision: 'allow', action })
    },
  }
}

/** A member who has approved `npm test` and `npx tsc --noEmit`, each once. */
async function approvedTwice() {
  const made = await scene()
  await made.approveCall('npm test')
  await made.approveCall('npx tsc --noEmit')
  return {
    ...made,
    /** The third question comes with the offer. */
    async offered(line = 'npm test') {
      await made.hook.ask(line)
      await made.requestOf(offerText)
      return (await made.mandates())[0]!
    },
  }
}

/** The same, and the offer is approved. */
async function inForce() {
  const made = await approvedTwice()
  const { id } = await made.offered()
  await made.press('approve', offerText)
  await made.isGranted(id)
  return { ...made, id: id as number }
}

const session = async (account: string, { email, memberId }: { email: string | null; memberId: string }) => ({
  account,
  memberId,
  adminId: null,
  tokenHash: await sessionOf(gate.deps, account, email!),
})

test('after two approvals the third question comes with an offer, which says what it covers and until when', async () => {
  const { hook, requestOf, offered, mandates } = await approvedTwice()
  expect(await mandates()).toEqual([])
  const offer = await offered('npm test && npx jest a.test.ts')
  expect(offer).toMatchObject({
    kind: 'runner_mandate',
    status: 'proposed',
    consent_required: 'chat',
    payload: {
      runner: 'claude',
      tool: 'Bash',
      cwd: '/work/project',
      commands: ['npm test', 'npx jest a.test.ts', 'npx tsc --noEmit'],
      days: 30,
      pinned_to: [{ path: 'package.json', sha256: sha256(manifest).toString('hex') }],
    },
  })
  const { text } = await requestOf(offerText)
  expect(text).toContain('Let Claude Code run 3 commands for 30 days without asking')
  for (const shown of [
    ...offer.payload.commands,
    '/work/project',
    'exactly these commands',
    'end it in the console',
    `package.json (SHA-256 ${sha256(manifest).toString('hex').slice(0, 16)})`,
  ])
    expect(text).toContain(shown)
  // One offer, however many questions follow.
  await hook.ask('npm run lint')
  expect(await mandates()).toHaveLength(1)
})

test('a call that waits for its member runs as soon as the offer beside it is approved', async () => {
  const { hook, press, mandates } = await approvedTwice()
  const waiting = hook.ask('npm test', { wait: 50 })
  await press('approve', offerText)
  const { decision, action } = await waiting
  expect([decision, action]).toEqual(['allow', (await mandates())[0].id])
})

test('calls that a mandate covers run without a question, each with an entry and a count', async () => {
  const { hook, id, slack, counted, verify, account } = await inForce()
  const entries = (kind: string) =>
    gate.database.asSuperuser(
      `select entry::json from gate.ledger where account_id = '${account}' and kind = '${kind}' order by seq`,
    )
  const before = await counted()
  const call = { callId: 'toolu_covered' }
  for (const line of [
    'npm test',
    'npx tsc --noEmit',
    'npm test && npx tsc --noEmit',
    'npm test 2>&1 | tail -5',
  ])
    expect(await hook.ask(line, line === 'npm test' ? call : {})).toMatchObject({
      decision: 'allow',
      action: id,
    })
  // A repeat of the same call is no other use.
  expect((await hook.ask('npm test', call)).decision).toBe('allow')
  // A mandate counts in another session, and for a subagent, by design.
  expect((await hook.ask('npm test', { session: 's2', agent: 'a1' })).decision).toBe('allow')
  expect(slackRequests(gate, slack)).toHaveLength(4)
  expect(await counted()).toMatchObject({ allowed: Number(before!['allowed']) + 5 })

  const used = await entries('mandate_used')
  expect(used).toHaveLength(5)
  expect(used[0]!['entry']).toMatchObject({ action: id, data: { strength: 'chat', by: 'mandate' } })
  await hook.report('npm test', call)
  expect(await entries('tool_reported')).toHaveLength(1)
  expect(await verify()).toMatchObject({ ok: true })
  const [stored] = await gate.database.asSuperuser(
    `select uses::int from gate.mandate where account_id = '${account}' and action_id = ${id}`,
  )
  expect(stored!['uses']).toBe(5)
})

test('calls that a mandate does not cover are asked about or denied', async () => {
  const { hook, anotherHook } = await inForce()
  const other = await anotherHook()
  const rows: [string | Record<string, unknown>, Asked?, typeof hook?][] = [
    ['npm test && curl https://evil.example'],
    ['npm test -- --x'],
    ['npm run lint'],
    ['CI=1 npm test'],
    ['npm test > out.txt'],
    ['cd sub && npm test'],
    ['(npm test)'],
    ['npm test; npx tsc --noEmit; rm -rf build'],
    ['npm test && cat README.md'],
    ['npm test', { cwd: '/work/other' }],
    ['npm test', { cwd: '/work/project/sub' }],
    ['npm test', { cwd: '/work/project/' }],
    ['npm test', { tool: 'mcp__shell__run' }],
    [{ command: 'npm test', dangerouslyDisableSandbox: true }],
    [{ command: 'npm test', workdir: '/work/other' }],
    ['npm test', {}, other],
  ]
  for (const [line, given = {}, by = hook] of rows)
    expect([line, given, (await by.ask(line, given)).decision]).toEqual([line, given, 'deny'])
  expect((await hook.ask('npm test')).decision).toBe('allow')
})

test('a mandate is pinned to the manifest: once that is another one, its calls are asked about, with a new offer', async () => {
  const { hook, blindHook, files, press, requestOf, mandates, isGranted, id } = await inForce()
  const decisionOn = async (line: string) => (await hook.ask(line)).decision
  const other = manifest.replace('jest', 'vitest')
  files['package.json'] = other
  for (const line of ['npm test', 'npx tsc --noEmit'])
    expect([line, await decisionOn(line)]).toEqual([line, 'deny'])
  expect((await requestOf('npm test', 'CHANGED since action')).text).toContain('test: vitest')
  files['package.json'] = manifest
  expect(await decisionOn('npm test')).toBe('allow')
  delete files['package.json']
  expect(await decisionOn('npm test')).toBe('deny')
  // A hook that does not tell what the files are.
  expect((await blindHook.ask('npm test')).decision).toBe('deny')

  const anew = (await mandates()).find((one: { id: number }) => one.id !== id)
  expect(anew.payload.pinned_to).toEqual([{ path: 'package.json', sha256: sha256(other).toString('hex') }])
  await press('approve', offerText, sha256(other).toString('hex').slice(0, 16))
  await isGranted(anew.id)
  expect(await decisionOn('npm test')).toBe('deny')
  files['package.json'] = other
  expect(await hook.ask('npx tsc --noEmit')).toMatchObject({ decision: 'allow', action: anew.id })
})

test('one mandate takes in the tools of another manifest, each pinned to its own', async () => {
  const { hook, files, approveCall, press, isGranted, mandates, id } = await inForce()
  files['Makefile'] = 'lint:\n\teslint .\n'
  await approveCall('make lint')
  await approveCall('make build')
  await hook.ask('make lint')
  await press('approve', offerText, 'make build')
  const wider = (await mandates()).find((one: { id: number }) => one.id !== id)
  await isGranted(wider.id)
  expect(wider.payload.pinned_to).toEqual([
    { path: 'package.json', sha256: sha256(manifest).toString('hex') },
    { path: 'GNUmakefile' },
    { path: 'makefile' },
    { path: 'Makefile', sha256: sha256(files['Makefile']!).toString('hex') },
  ])
  for (const line of ['npm test', 'make lint', 'make build && npx tsc --noEmit'])
    expect([line, (await hook.ask(line)).decision]).toEqual([line, 'allow'])
  // A makefile that goes first.
  files['GNUmakefile'] = 'lint:\n\tcurl https://evil.example\n'
  expect((await hook.ask('make lint')).decision).toBe('deny')
  expect((await hook.ask('npm test')).decision).toBe('allow')
})

describe('a mandate ends', () => {
  type Scene = Awaited<ReturnType<typeof inForce>>
  const rule = { tool: '*', decision: 'consent', tier: 'guarded_write', note: 'Ask.' }
  const bash = (command: string, decision: string) => ({
    tool: 'Bash',
    match: { command },
    decision,
    note: 'No.',
  })
  const changes: [string, Record<string, unknown> | null][] = [
    ['when a rule denies the command', { runner: { record: 'refused', rules: [bash('npm*', 'deny')] } }],
    [
      'when a rule asks about the command',
      { runner: { record: 'refused', rules: [bash('npm test*', 'consent'), rule] } },
    ],
    ['when another rule asks', { runner: { record: 'refused', rules: [rule] } }],
    [
      'when tool calls need a stronger consent',
      { kinds: { runner_tool: { tier: 'read_only', consent: 'page' } } },
    ],
    [
      'when mandates need a stronger consent',
      { kinds: { runner_mandate: { tier: 'guarded_write', consent: 'page' } } },
    ],
    ['when mandates need a higher tier', { kinds: { runner_mandate: { tier: 'write', consent: 'chat' } } }],
    ['when the member loses the tier', null],
  ]
  let made: Scene
  beforeAll(async () => {
    made = await inForce()
  }, 60_000)
  const decision = async () => (await made.hook.ask('npm test')).decision

  testRows(changes)('at once, for as long as it lasts', async (_, policy) => {
    expect(await decision()).toBe('allow')
    await (policy ? made.setPolicy(policy) : made.setTier(made.grace, 'read_only'))
    expect(await decision()).toBe('deny')
    expect(await made.verify()).toMatchObject({ ok: true })
    await (policy ? made.setPolicy({}) : made.setTier(made.grace, 'guarded_write'))
    expect(await decision()).toBe('allow')
  })

  test('after 30 days, by the stop switch, also after it is resumed, and when its key is revoked', async () => {
    const { hook, account, revokeKey, suspend, verify } = made
    const moveBy = (time: string) =>
      gate.database.asSuperuser(
        `update gate.mandate set expires_at = expires_at + interval '${time}' where account_id = '${account}'`,
      )
    await moveBy('-30 days')
    expect(await decision()).toBe('deny')
    await moveBy('30 days')
    expect(await decision()).toBe('allow')
    for (const isSuspended of [true, false]) {
      await suspend(isSuspended)
      expect([isSuspended, await decision()]).toEqual([isSuspended, 'deny'])
      expect(await verify()).toMatchObject({ ok: true })
    }
    await revokeKey(hook.keyId)
    expect((await hook.ask('npm test')).status).toBe(401)
  })

  test('once, by its member or an administrator, and by nobody else', async () => {
    const { account, grace, addMember, id, hook, verify } = await inForce()
    const ada = await addMember({ name: 'Ada', email: `ada-${id}-${account}@example.com`, tier: 'write' })
    const others = await session(account, ada)
    expect(await mandatesOf(gate.deps.db, others)).toEqual([])
    await expect(endMandateNow(gate.deps.db, others, id)).rejects.toMatchObject({ code: 'not_found' })
    expect((await hook.ask('npm test')).decision).toBe('allow')

    const own = await session(account, grace)
    expect(await mandatesOf(gate.deps.db, own)).toMatchObject([{ uses: 1, isInForce: true }])
    await endMandateNow(gate.deps.db, own, id)
    expect((await hook.ask('npm test')).decision).toBe('deny')
    expect(await verify()).toMatchObject({ ok: true })
    await expect(endMandateNow(gate.deps.db, own, id)).rejects.toMatchObject({ code: 'conflict' })
    expect(await mandatesOf(gate.deps.db, own)).toEqual([])
  })
})

test('no API key can approve an offer; a declined one is not made again, and the calls are asked about as before', async () => {
  const { hook, offered, press, mandates, requestOf, client, grace } = await approvedTwice()
  const { id } = await offered()
  const answer = await client.confirm(id, { email: grace.email! })
  expect(answer.body.status).not.toBe('executed')
  expect((await hook.ask('npm test')).decision).toBe('deny')
  await press('decline', offerText)
  await until('it is declined', async () => (await mandates())[0]?.status === 'cancelled')
  expect((await hook.ask('npm test')).action).not.toBe(id)
  await hook.ask('npm run lint')
  await requestOf('npm run lint')
  expect(await mandates()).toHaveLength(1)
})

test('a wider mandate takes the place of the one before', async () => {
  const { hook, id, press, isGranted, mandates, account, approveCall } = await inForce()
  await approveCall('npm run lint')
  await approveCall('npm run build')
  await hook.ask('npm run lint')
  await press('approve', offerText, 'npm run build')
  const wider = (await mandates()).find((one: { id: number }) => one.id !== id)
  await isGranted(wider.id)
  expect(wider.payload.commands.toSorted()).toEqual([
    'npm run build',
    'npm run lint',
    'npm test',
    'npx tsc --noEmit',
  ])
  expect(await hook.ask('npm test && npm run lint')).toMatchObject({ decision: 'allow', action: wider.id })
  const rows = await gate.database.asSuperuser(
    `select action_id::int, ended_by from gate.mandate where account_id = '${account}' order by action_id`,
  )
  expect(rows).toEqual([
    { action_id: id, ended_by: 'system' },
    { action_id: wider.id, ended_by: null },
  ])
})

test('an erased mandate allows nothing, and the next question comes with a new offer', async () => {
  const { hook, id, account, mandates } = await inForce()
  // Actions that were decided within a day are not erased.
  await gate.database.asSuperuser(
    `update gate.action set created_at = created_at - interval '2 days', decided_at = decided_at - interval '2 days'
      where account_id = '${account}' and id = ${id}`,
  )
  const given = { ...adminWrite(account), id, reason: 'Test' }
  expect(await erasePayload(gate.database.db, given as never)).toMatchObject({ outcome: 'erased' })
  // This very call has waited for the member since before the mandate: to wait on is no new question.
  expect((await hook.ask('npm test')).reason).toMatch(/^Waiting for the consent/)
  expect(await mandates()).toHaveLength(1)
  // The next question comes with an offer, from the calls that were approved one by one.
  await hook.ask('npx tsc --noEmit')
  expect((await mandates()).at(-1)).toMatchObject({
    status: 'proposed',
    payload: { commands: ['npx tsc --noEmit', 'npm test'] },
  })
})

testRows<[string, string[], Record<string, string>?]>([
  ['npm', ['npm test', 'npm run lint']],
  ['npx', ['npx jest', 'npx tsc --noEmit']],
  ['cargo', ['cargo test', 'cargo check'], { 'build.rs': 'fn main() {}' }],
  ['make', ['make lint', 'make test'], { 'package.json': manifest }],
  ['go, beside npm', ['npm test && go test', 'npm test && go vet'], { 'package.json': manifest }],
  ['turbo', ['turbo run test', 'turbo lint'], { 'package.json': manifest }],
])(
  'is not offered where %s would take the manifest of a folder above',
  async (_, [one, other], there = {}) => {
    const { hook, files, approveCall, mandates, requestOf } = await scene()
    delete files['package.json']
    Object.assign(files, there)
    await approveCall(one!)
    await approveCall(other!)
    await hook.ask(one!, { session: 's9' })
    await requestOf(one!, 's9')
    expect(await mandates()).toEqual([])
  },
)

test('is offered for a tool that needs no manifest', async () => {
  const { hook, files, approveCall, requestOf } = await scene()
  delete files['package.json']
  await approveCall('pytest tests/a.py')
  await approveCall('ruff check src')
  await hook.ask('pytest tests/a.py', { session: 's9' })
  expect((await requestOf(offerText)).text).toContain('ruff check src')
})

test('a mandate that was changed in the database does not verify', async () => {
  const { hook, account, verify } = await inForce()
  await hook.ask('npm test')
  const changes = [
    'uses = 0',
    `ended_at = now(), ended_by = 'system'`,
    `scope = '\\x00'`,
    `member_id = 'mem_other'`,
    `key_id = 'key_other'`,
    `expires_at = expires_at + interval '1 day'`,
    'granted_at = null, expires_at = null, uses = 0',
  ]
  for (const change of changes) {
    await gate.database.asSuperuser(
      `create table public.kept_mandate as select * from gate.mandate where account_id = '${account}';
       update gate.mandate set ${change} where account_id = '${account}'`,
    )
    expect([change, (await verify())?.ok]).toEqual([change, false])
    await gate.database.asSuperuser(
      `delete from gate.mandate where account_id = '${account}';
       insert into gate.mandate select * from public.kept_mandate; drop table public.kept_mandate`,
    )
    expect((await verify())?.ok).toBe(true)
  }
})

describe('an agent that asks too often', () => {
  /** Another key acts for the member, so this one has half of the requests. All but one of them are used up. */
  async function almostStopped(lines: string[]) {
    const made = await readingScene()
    await usedBefore(gate.database, made.keyId)
    const max = limits.consentAsksPerHourMax / 2
    for (let at = 0; at < max; at++) await made.hook.ask(lines[at % lines.length]!, { session: `s${at}` })
    await askedInSlack(gate, made.slack, max)
    return { ...made, max }
  }

  test('is stopped: the member is told once, with what was asked most, and can end it by a mandate', async () => {
    const { hook, slack, max, decide, isGranted, client } = await almostStopped([
      'npm test',
      'npm test',
      'npm run lint',
    ])
    const stopped = await hook.ask('npm test', { session: 'last' })
    expect(stopped).toMatchObject({ status: 200, decision: 'deny' })
    expect(stopped.reason).toMatch(
      /^You asked the member too often: until \d{4}-\d\d-\d\dT[\d:.]+Z calls that require consent are denied\. The member was told, and can allow these commands in advance\./,
    )
    const { text } = await askedInSlack(gate, slack, max + 1)
    expect(text).toContain('It is stopped until')
    expect(text).toContain('10 times: npm test')
    expect(text).toContain('5 times: npm run lint')

    const other = await hook.ask('rm -rf build')
    expect(other.reason).toMatch(
      /asked as often as is allowed.*Until \d{4}.*can allow the commands of action \d+ in advance/,
    )
    expect((await client.get(other.action!)).body).toMatchObject({
      status: 'denied',
      denial_code: 'asked_too_often',
    })
    await hook.ask('rm -rf dist')
    expect(slackRequests(gate, slack)).toHaveLength(max + 1)

    await decide('approve', max + 1)
    await isGranted(stopped.action!)
    expect((await hook.ask('npm test', { session: 'last' })).decision).toBe('allow')
    expect((await hook.ask('rm -rf build', { session: 'x' })).decision).toBe('deny')
  }, 60_000)

  test('about calls that cannot be allowed in advance, is stopped by one last request that says so, and may ask again after the hour', async () => {
    const { hook, slack, max, account, decide, isGranted } = await almostStopped(['rm -rf build'])
    const last = await hook.ask('rm -rf dist')
    expect(last.reason).toMatch(/until \d{4}.*can decide about this call/)
    const { text } = await askedInSlack(gate, slack, max + 1)
    expect(text).toContain('15 times: rm -rf build')
    expect((await hook.ask('rm -rf other')).reason).toMatch(
      /was told with action \d+, and can decide the open requests/,
    )
    expect(slackRequests(gate, slack)).toHaveLength(max + 1)
    await decide('approve', max + 1)
    await isGranted(last.action!)
    expect((await hook.ask('rm -rf dist')).decision).toBe('allow')
    expect((await hook.ask('rm -rf other')).decision).toBe('deny')

    await gate.database.asSuperuser(
      `update gate.consent_request set created_at = created_at - interval '61 minutes' where account_id = '${account}'`,
    )
    expect((await hook.ask('rm -rf other')).reason).toMatch(/^Waiting for the consent/)
    await askedInSlack(gate, slack, max + 2)
  }, 60_000)
})
