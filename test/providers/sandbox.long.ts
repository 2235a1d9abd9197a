import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { get } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { startSandbox, type Sandbox, type SandboxOptions } from '../../dev/sandbox/sandbox.ts'
import { projectRoot } from '../../src/process/root.ts'
import { resendChannel } from '../../src/providers/resend/channel.ts'
import { slackChannel } from '../../src/providers/slack/channel.ts'
import { firstOutcome, outcomesOf, sliceFor } from './slices.ts'

let folder: string
let sandbox: Sandbox
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'sandbox-'))
  sandbox = await startSandbox({ dataFile: join(folder, 'messages.jsonl') })
})
afterEach(async () => {
  await sandbox.stop()
  rmSync(folder, { recursive: true })
})

type Addresses = Pick<Sandbox, 'slackApiUrl' | 'resendBaseUrl'>
const slackTo = (at: Addresses, token = 'xoxb-sandbox') =>
  slackChannel({ token, apiUrl: at.slackApiUrl, reconcileDelayMs: 0 })
const mailTo = (at: Addresses, apiKey = 're_sandbox') =>
  resendChannel({ apiKey, baseUrl: at.resendBaseUrl, from: 'Gate <gate@sandbox.invalid>' })

async function restarted(options: SandboxOptions = {}): Promise<void> {
  await sandbox.stop()
  sandbox = await startSandbox({ dataFile: join(folder, 'messages.jsonl'), ...options })
}

async function listing(path = '', accept = 'application/json'): Promise<string> {
  return (await fetch(`${sandbox.url}${path}`, { headers: { accept } })).text()
}

describe('the sandbox shows', () => {
  test('messages as the person would read them, newest first, as JSON', async () => {
    const slack = slackTo(sandbox)
    await slack.send(sliceFor(slack, { text: 'Fish & <chips>', proposerName: 'Ada <!here>\n*boss*' }))
    const mail = mailTo(sandbox)
    await mail.send(sliceFor(mail, { text: 'Closed on Friday.' }))
    const answer = JSON.parse(await listing())
    const at = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:]{8}\.\d{3}Z$/)
    const id = expect.any(String)
    expect(answer).toEqual({
      sandbox: true,
      messages: [
        {
          id,
          channel: 'email',
          to: 'ada@example.com',
          subject: 'Message from Ada',
          text: 'Closed on Friday.',
          at,
          action: 42,
        },
        { id, channel: 'slack', to: 'UADA', text: 'Fish & <chips>', at, action: 42 },
      ],
      stripe: [],
    })
    expect(JSON.parse(await listing('?limit=1')).messages).toHaveLength(1)
    // Slack shows the sender below the text, and takes no name for markup.
    expect(await listing('', 'text/html')).toContain(
      '<small>Message from Ada &lt;!here&gt; *boss* (via Acme’s gate)</small>',
    )
  })

  test('markup that was not escaped does what Slack would do, so a missing escape shows', async () => {
    await post('chat.postMessage', {
      channel: 'UADA',
      text: '<!channel> <@UBEN> <https://x.example|bank> &lt;!here&gt;',
    })
    expect(sandbox.messages()[0]!.text).toBe('@channel @UBEN bank <!here>')
  })

  test('a page on which hostile text stays text and which says what a sandbox is worth', async () => {
    const mail = mailTo(sandbox)
    const text =
      '<script>alert(1)</script> https://gate.example/decide/abc?a=1&b=2 https://x/"onmouseover="alert(1)'
    await mail.send(sliceFor(mail, { text, proposerName: '</h2><img src=x>' }))
    const page = await listing('', 'text/html')
    expect(page).not.toMatch(/<script|<img|"onmouseover/)
    expect(page).toContain('&lt;script&gt;alert(1)&lt;/script&gt;')
    expect(page).toContain('<a href="https://gate.example/decide/abc?a=1&amp;b=2"')
    expect(page.replaceAll('\n', ' ')).toContain(
      'nothing left this machine. Anyone on this machine can read every mailbox, so consent given here proves nothing.',
    )
  })

  test('one mailbox of several, with counts, and what to do where there is nothing', async () => {
    await sandbox.stop()
    sandbox = await startSandbox({ gateUrl: () => 'https://gate.example' })
    expect(await listing('', 'text/html')).toContain('<a href="https://gate.example/console">sign in')
    const [slack, mail] = [slackTo(sandbox), mailTo(sandbox)]
    await slack.send(sliceFor(slack, { text: 'To Slack.' }))
    await mail.send(sliceFor(mail, { text: 'First.' }))
    await mail.send({ ...sliceFor(mail, { text: 'Second.' }), key: 'another' })
    const all = await listing('', 'text/html')
    expect(all).toContain('>All mailboxes (3)</option>')
    expect(all).toContain('>E-mail: ada@example.com (2)</option>')
    expect(all.indexOf('Second.')).toBeLessThan(all.indexOf('First.'))
    const hers = await listing('?mailbox=ada%40example.com', 'text/html')
    expect(hers).toContain('<option value="ada@example.com" selected>')
    expect([hers.includes('First.'), hers.includes('To Slack.')]).toEqual([true, false])
    expect(JSON.parse(await listing('?mailbox=ada%40example.com&limit=1')).messages).toHaveLength(1)
    expect(await listing('?mailbox=%3Cb%3E', 'text/html')).toContain('No messages to &lt;b&gt;')
    expect(await listing('?refresh=1', 'text/html')).toContain('<meta http-equiv="refresh" content="5">')
  })

  test('the HTML of a mail, in a frame that runs nothing and loads nothing', async () => {
    await fetch(`${sandbox.resendBaseUrl}/emails`, {
      method: 'POST',
      headers: { authorization: 'Bearer re_sandbox', 'content-type': 'application/json' },
      body: JSON.stringify({
        from: 'a@b.example',
        to: 'ada@example.com',
        subject: 'Hello',
        text: 'Hello',
        html: '<p>Hello</p><script>alert(1)</script><img src="https://tracker.example/x.png">',
      }),
    })
    const [{ id }] = JSON.parse(await listing()).messages
    expect(await listing('', 'text/html')).toContain(`<a href="/messages/${id}">Show as HTML</a>`)
    const page = await listing(`messages/${id}`, 'text/html')
    expect(page).toContain(`<iframe src="/messages/${id}/html" sandbox="allow-popups`)
    expect(page).not.toContain('<script')
    const frame = await fetch(`${sandbox.url}messages/${id}/html`)
    expect(await frame.text()).toContain('<p>Hello</p>')
    const policy = frame.headers.get('content-security-policy')!
    expect(policy).toMatch(/^default-src 'none'; style-src 'unsafe-inline'; img-src data:;/)
    expect(policy).not.toContain('script')
    expect(policy).toMatch(/; sandbox allow-popups allow-popups-to-escape-sandbox$/)
    expect((await fetch(`${sandbox.url}messages/none`)).status).toBe(404)
    await restarted()
    expect((await fetch(`${sandbox.url}messages/${id}/html`)).status).toBe(200)
  })

  test('a link to the action of a Slack message and of a mail, by what the call carried and not by its text', async () => {
    await restarted({ gateUrl: () => 'https://gate.example/' })
    const [slack, mail] = [slackTo(sandbox), mailTo(sandbox)]
    const text = 'Proposed: #41, by MCP'
    await slack.send(sliceFor(slack, { text }))
    await mail.send(sliceFor(mail, { text }))
    const address = { addresses: ['ben@example.com'] }
    const about = { subject: 'Approval requested', text, actionNumber: 43 }
    await mail.send({ ...sliceFor(mail, address), message: mail.freezeNotice(about) })
    const { actionNumber: _, ...signIn } = about
    await mail.send({ ...sliceFor(mail, address), message: mail.freezeNotice(signIn) })
    const linked = (page: string) =>
      [...page.matchAll(/href="([^"]+)">Action #(\d+) in the console</g)].map(([, url, id]) => [url, id])
    const link = (id: string) => [`https://gate.example/console/ledger/${id}`, id]
    expect(linked(await listing('', 'text/html'))).toEqual([link('43'), link('42'), link('42')])
    const [newest, asked, , toSlack] = JSON.parse(await listing()).messages
    expect([newest.action, asked.action, toSlack.action]).toEqual([undefined, 43, 42])
    for (const { id, action } of [asked, toSlack])
      expect(linked(await listing(`messages/${id}`, 'text/html'))).toEqual([link(String(action))])
  })

  test('nothing to a page of another site that points its own name here', async () => {
    const request = get(sandbox.url, { headers: { host: 'evil.example', accept: 'application/json' } })
    const [response] = await once(request, 'response')
    expect(response.statusCode).toBe(421)
    expect(await text(response)).not.toContain('messages')
  })
})

describe('the sandbox keeps', () => {
  test('messages, their metadata and answered keys over a restart, even with a torn last line', async () => {
    const slack = slackTo(sandbox)
    const mail = mailTo(sandbox)
    const toSlack = sliceFor(slack)
    const toMail = sliceFor(mail, { addresses: ['ada@example.com', 'ben@example.com'] })
    const [slackSent] = await outcomesOf(slack.send(toSlack))
    const mailSent = await outcomesOf(mail.send(toMail))
    await sandbox.stop()
    appendFileSync(join(folder, 'messages.jsonl'), '{"messages":[{"id":"torn')
    sandbox = await startSandbox({ dataFile: join(folder, 'messages.jsonl') })

    expect(sandbox.messages().map(({ to }) => to)).toEqual(['ben@example.com', 'ada@example.com', 'UADA'])
    expect(await outcomesOf(mailTo(sandbox).send(toMail))).toEqual(mailSent)
    expect(await outcomesOf(slackTo(sandbox).reconcile(toSlack))).toEqual([slackSent])
    await slackTo(sandbox).send(sliceFor(slack))
    await restarted()
    expect(sandbox.messages()).toHaveLength(4)
  })

  test('everything it answered for, though killed', async () => {
    const dataFile = join(folder, 'killed.jsonl')
    const script = `
      const { startSandbox } = await import('./dev/sandbox/sandbox.ts')
      process.send(await startSandbox({ dataFile: ${JSON.stringify(dataFile)} }))`
    const args = [
      '--no-warnings',
      '--import',
      './test/support/run-ts.js',
      '--input-type=module',
      '-e',
      script,
    ]
    const child = spawn(process.execPath, args, {
      cwd: projectRoot,
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    })
    const [at] = (await once(child, 'message')) as [Addresses]
    const slack = slackTo(at)
    const mail = mailTo(at)
    const outcomes = [
      ...(await outcomesOf(slack.send(sliceFor(slack, { addresses: ['UADA', 'UBEN', 'UCYN'] })))),
      ...(await outcomesOf(mail.send(sliceFor(mail, { addresses: ['ada@example.com', 'ben@example.com'] })))),
    ]
    child.kill('SIGKILL')
    await once(child, 'exit')
    expect(outcomes.every(({ state }) => state === 'ok')).toBe(true)
    await restarted({ dataFile })
    expect(sandbox.messages()).toHaveLength(5)
  })

  test('the newest 20,000 and no more, in memory and on disk', async () => {
    const mail = mailTo(sandbox)
    const addresses = (slice: number) =>
      Array.from({ length: 100 }, (_, index) => `m${slice * 100 + index}@example.com`)
    for (let slice = 0; slice < 201; slice += 1)
      await mail.send(sliceFor(mail, { addresses: addresses(slice) }))
    expect(sandbox.messages()).toHaveLength(20_000)
    const before = statSync(join(folder, 'messages.jsonl')).size
    await restarted()
    expect(statSync(join(folder, 'messages.jsonl')).size).toBeLessThan(before)
    const people = sandbox.messages().map(({ to }) => to)
    expect(people).toHaveLength(20_000)
    expect([people[0], people.at(-1)]).toEqual(['m20099@example.com', 'm100@example.com'])
  })
})

describe('the sandbox as Slack:', () => {
  test('people whose id contains GONE cannot be reached, invalid tokens are refused, unknown methods too', async () => {
    const slack = slackTo(sandbox)
    const outcomes = await outcomesOf(slack.send(sliceFor(slack, { addresses: ['UGONE1', 'UADA'] })))
    expect(outcomes.map(({ state }) => state)).toEqual(['not_done', 'ok'])
    const refused = slackTo(sandbox, 'xoxb-invalid')
    expect(await firstOutcome(refused.send(sliceFor(refused)))).toEqual({
      state: 'not_done',
      code: 'invalid_auth',
    })
    expect(await post('files.upload', {})).toEqual({ ok: false, error: 'unknown_method' })
    expect(await post('toString', {})).toEqual({ ok: false, error: 'unknown_method' })
  })

  test('the history keeps metadata to itself unless asked, and obeys oldest', async () => {
    const slack = slackTo(sandbox)
    await slack.send(sliceFor(slack))
    const { messages } = await post('conversations.history', { channel: 'DUADA' })
    expect(messages).toHaveLength(1)
    expect(messages[0].metadata).toBeUndefined()
    const asked = { channel: 'DUADA', include_all_metadata: 'true' }
    expect((await post('conversations.history', asked)).messages[0].metadata.event_type).toBe(
      'gate_broadcast',
    )
    expect((await post('conversations.history', { ...asked, oldest: messages[0].ts })).messages).toEqual([])
  })

  test('an older message is found some pages back', async () => {
    const slack = slackTo(sandbox)
    const slice = sliceFor(slack)
    const sent = await firstOutcome(slack.send(slice))
    await slack.send(sliceFor(slack, { addresses: Array(50).fill('UADA') }))
    expect(await firstOutcome(slack.reconcile(slice))).toEqual(sent)
  })

  test('an address leads to the same person each time', async () => {
    const found = await post('users.lookupByEmail', { email: 'Ada@Example.com' })
    expect(found.user.id).toMatch(/^U[0-9A-F]{10}$/)
    expect((await post('users.lookupByEmail', { email: 'ada@example.com' })).user.id).toBe(found.user.id)
    expect(await post('users.lookupByEmail', { email: 'gone@example.com' })).toEqual({
      ok: false,
      error: 'users_not_found',
    })
  })
})

describe('the sandbox as Resend:', () => {
  test('a tag with any other character is refused', async () => {
    const mail = mailTo(sandbox)
    const slice = sliceFor(mail)
    const message = { ...slice.message, action_number: '#42' }
    expect(await firstOutcome(mail.send({ ...slice, message }))).toMatchObject({
      state: 'not_done',
      code: 'validation_error',
    })
  })

  test('a bad address fails alone, and the repeat of a slice delivers nothing more', async () => {
    const mail = mailTo(sandbox)
    const slice = sliceFor(mail, {
      addresses: ['ada@example.com', 'no..dots@example..com', 'ben@example.com'],
    })
    const outcomes = await outcomesOf(mail.send(slice))
    expect(outcomes.map(({ state }) => state)).toEqual(['ok', 'not_done', 'ok'])
    expect(await outcomesOf(mail.send(slice))).toEqual(outcomes)
    expect(sandbox.messages()).toHaveLength(2)
  })

  test('another body under a used key is a conflict; an invalid key is refused', async () => {
    const mail = mailTo(sandbox)
    await mail.send(sliceFor(mail, { key: 'k', text: 'first' }))
    const second = await firstOutcome(mail.send(sliceFor(mail, { key: 'k', text: 'second' })))
    expect(second).toEqual({ state: 'unknown', code: 'invalid_idempotent_request' })
    const refused = mailTo(sandbox, 're_invalid')
    expect(await firstOutcome(refused.send(sliceFor(refused)))).toEqual({
      state: 'not_done',
      code: 'invalid_api_key',
    })
  })
})

test('latency delays the answer, not the work', async () => {
  await restarted({ latencyMs: 60_000 })
  const slack = slackChannel({ token: 'xoxb-1', apiUrl: sandbox.slackApiUrl, timeoutMs: 100 })
  expect(await firstOutcome(slack.send(sliceFor(slack)))).toMatchObject({ code: 'timeout' })
})

async function post(method: string, body: Record<string, string>): Promise<any> {
  const answer = await fetch(`${sandbox.slackApiUrl}${method}`, {
    method: 'POST',
    headers: { authorization: 'Bearer xoxb-sandbox' },
    body: new URLSearchParams(body),
  })
  return answer.json()
}
