import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import { appendFileSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { addParticipant, removeParticipant } from '../../src/db/queries/previews/conversations.ts'
import { adminWrite } from '../../src/db/admin-write.ts'
import type { TestAccount, TestMember } from '../support/account.ts'
import { type ApiAnswer, type ApiClient, apiClient } from '../support/api-client.ts'
import { entriesOf } from '../support/ledger-entries.ts'
import { type TestGate, startGate } from '../support/gate.ts'
import { callTool } from '../support/mcp-tool.ts'
import { errorBody } from '../support/error-body.ts'
import { makeConversation, writeFiles } from '../support/site.ts'
import { testRows } from '../support/rows.ts'

let gate: TestGate
let root: string
let account: TestAccount & { client: ApiClient }
let client: ApiClient
let ada: TestMember
let bea: TestMember

beforeAll(async () => {
  root = mkdtempSync(join(process.env['TEST_RUN_DIR'] ?? tmpdir(), 'workspace-'))
  gate = await startGate({ workers: false, env: { WORKSPACE_ROOT: join(root, 'workspaces') } })
  account = await gate.account()
  client = account.client
  ada = await account.addMember({ name: 'Ada', email: 'ada@example.com', slack: 'U0ADA' })
  bea = await account.addMember({ name: 'Bea', email: 'bea@example.com' })
  await converse(account, 'site', [ada])
  write('site', { 'index.html': '<h1>Hé</h1>\n', 'css/site.css': 'h1 {}', '.env': 'KEY=1', 'x.pem': 'key' })
  writeFileSync(join(root, 'secret.txt'), 'outside')
}, 60_000)
afterAll(async () => {
  await gate.stop()
  rmSync(root, { recursive: true, force: true })
})

const converse = (of: TestAccount, id: string, members: TestMember[]) =>
  makeConversation(gate, of.account, id, members)
const folder = (id: string, of = account) =>
  gate.deps.workspaces.place({ account: of.account, conversationId: id })

const write = (id: string, files: Record<string, string | Buffer>, of = account) =>
  writeFiles(gate, of.account, id, files)

const asAda = { email: 'ada@example.com' }
const list = (id: string, query: Record<string, string> = asAda, by = client) =>
  by.request('GET', `/api/v1/conversations/${id}/files?${new URLSearchParams(query)}`)
const read = (id: string, path: string, query: Record<string, string> = {}, by = client) =>
  by.request(
    'GET',
    `/api/v1/conversations/${id}/files/read?${new URLSearchParams({ path, ...asAda, ...query })}`,
  )

const absent = errorBody(
  'not_found',
  'The conversation or file was not found among those of this member. Check conversation_id; list_workspace_files lists the files of a conversation.',
)
const expectAbsent = (answer: ApiAnswer) => expect([answer.status, answer.body]).toEqual([404, absent])

describe('listing', () => {
  test('answers the files by path with their sizes and times, and nothing that is hidden', async () => {
    const { status, body } = await list('site')
    expect([status, body]).toEqual([
      200,
      {
        conversation_id: 'site',
        files: [
          { path: 'css/site.css', size: 5, modified_at: expect.stringMatching(/^20\d\d-.*\.\d{3}Z$/) },
          { path: 'index.html', size: 13, modified_at: expect.any(String) },
        ],
        truncated: false,
      },
    ])
  })

  test('names the member as every read does: by e-mail in any case, or by Slack', async () => {
    for (const query of [
      { email: 'ADA@example.com' },
      { provider: 'email', external_id: 'ada@example.com' },
      { provider: 'slack', external_id: 'U0ADA' },
    ])
      expect((await list('site', query)).status).toBe(200)
  })

  test('is cut at 1,000 files, says so, and goes on behind next_after; the last page says it is the last', async () => {
    await converse(account, 'many', [ada])
    const paths = Array.from({ length: 2_300 }, (_, n) => `f${String(n).padStart(4, '0')}`)
    write('many', Object.fromEntries(paths.map((path) => [path, ''])))
    const found: string[] = []
    const pages: ApiAnswer[] = []
    for (let after: string | undefined = ''; after !== undefined; after = pages.at(-1)!.body.next_after) {
      pages.push(await list('many', after === '' ? asAda : { ...asAda, after }))
      found.push(...pages.at(-1)!.body.files.map((file: { path: string }) => file.path))
    }
    expect(found).toEqual(paths)
    expect(
      pages.map(({ body }) => [body.files.length, body.truncated, body.next_after, typeof body.note]),
    ).toEqual([
      [1_000, true, 'f0999', 'string'],
      [1_000, true, 'f1999', 'string'],
      [300, false, undefined, 'undefined'],
    ])
  })

  test('tells what was left out, which is truncated too', async () => {
    await converse(account, 'deep', [ada])
    write('deep', { [`${'d/'.repeat(70)}x`]: '', a: '' })
    const { body } = await list('deep')
    expect(body).toMatchObject({ files: [{ path: 'a' }], truncated: true })
    expect(body.note).toMatch(/^Not listed because too large: files deeper than 64 folders/)
    expect(body).not.toHaveProperty('next_after')
  })

  test('of a conversation in which nothing was built is empty', async () => {
    await converse(account, 'new', [ada])
    rmSync(folder('new'), { recursive: true })
    expect((await list('new')).body).toEqual({ conversation_id: 'new', files: [], truncated: false })
  })
})

describe('reading', () => {
  test('answers a small file at once', async () => {
    const { status, body } = await read('site', 'index.html')
    expect([status, body]).toEqual([
      200,
      {
        conversation_id: 'site',
        path: 'index.html',
        size: 13,
        offset: 0,
        content: '<h1>Hé</h1>\n',
        encoding: 'utf-8',
        next_offset: null,
        truncated: false,
      },
    ])
  })

  test('answers a large one in pages of 64 KiB that are cut between characters and join byte for byte', async () => {
    const file = Buffer.from('a€😀é\n'.repeat(20_000))
    write('site', { 'large.txt': file })
    const parts: Buffer[] = []
    const pages: ApiAnswer[] = []
    for (let offset: number | null = 0; offset !== null; offset = pages.at(-1)!.body.next_offset) {
      pages.push(await read('site', 'large.txt', { offset: String(offset) }))
      parts.push(Buffer.from(pages.at(-1)!.body.content))
    }
    expect(Buffer.concat(parts).equals(file)).toBe(true)
    expect(parts.slice(0, -1).every((part) => part.length > 65_532 && part.length <= 65_536)).toBe(true)
    for (const { body } of pages) {
      const isLast = body.next_offset === null
      expect(body).toMatchObject({ size: file.length, encoding: 'utf-8', truncated: !isLast })
      expect(body.note).toMatch(/version [0-9a-f]{12}/)
    }
    rmSync(join(folder('site'), 'large.txt'))
  })

  test('begins behind the character that an offset lies inside of, and says where', async () => {
    expect((await read('site', 'index.html', { offset: '6' })).body).toMatchObject({
      offset: 7,
      content: '</h1>\n',
    })
  })

  test('answers what is no text as binary, with its size and without content', async () => {
    write('site', { 'a.png': Buffer.from([0x89, 0x50, 0x4e, 0x47, 0]) })
    expect((await read('site', 'a.png')).body).toEqual({
      conversation_id: 'site',
      path: 'a.png',
      size: 5,
      offset: 0,
      content: '',
      encoding: 'binary',
      next_offset: null,
      truncated: false,
      note: expect.stringContaining('not UTF-8 text'),
    })
    rmSync(join(folder('site'), 'a.png'))
  })

  test('tells on the next page that a file has changed: by its version', async () => {
    write('site', { 'log.txt': 'a'.repeat(100_000) })
    const version = ({ body }: ApiAnswer) => /version (\w{12})/.exec(body.note)?.[1]
    const first = await read('site', 'log.txt')
    const same = await read('site', 'log.txt', { offset: '65536' })
    appendFileSync(join(folder('site'), 'log.txt'), 'b')
    const changed = await read('site', 'log.txt', { offset: '65536' })
    expect([version(first) === version(same), version(first) === version(changed)]).toEqual([true, false])
    truncateSync(join(folder('site'), 'log.txt'), 10)
    expect((await read('site', 'log.txt', { offset: '65536' })).body).toMatchObject({
      size: 10,
      content: '',
      next_offset: null,
      note: expect.stringContaining('ends before this offset'),
    })
    rmSync(join(folder('site'), 'log.txt'))
  })
})

describe('the very same 404 for', () => {
  testRows([
    ['a conversation that is not there', 'none'],
    ['an id in another case', 'SITE'],
    ['an id that none can be', 'a.b'],
    ['an id with a slash', 'a%2Fb'],
    ['an id that leads into the folder of the account', '..%2fsite'],
    ['an id that is too long', 'a'.repeat(65)],
    ['an id that is far too long', 'a'.repeat(5_000)],
    ['an id with a NUL', 'site%00'],
    ['an id of another alphabet', 's%C3%AFte'],
    ['an empty id', ''],
  ])('a conversation that is not there', async (_what, id) => {
    expectAbsent(await list(id))
    expectAbsent(await read(id, 'index.html'))
  })

  test('a conversation in which the member does not take part, whatever it holds', async () => {
    for (const path of ['index.html', 'nothing', '.env'])
      expectAbsent(await read('site', path, { email: bea.email! }))
    expectAbsent(await list('site', { email: bea.email! }))
  })

  test("another account's conversation, though the ids and the e-mail are the same", async () => {
    const other = await gate.account()
    const twin = await other.addMember({ email: 'ada@example.com' })
    await converse(other, 'theirs', [twin])
    write('theirs', { 'a.txt': 'theirs' }, other)
    expectAbsent(await list('theirs'))
    expectAbsent(await read('theirs', 'a.txt'))
    expectAbsent(await list('site', asAda, other.client))
    expect((await read('theirs', 'a.txt', {}, other.client)).body.content).toBe('theirs')
  })

  testRows([
    ['a file that is not there', 'nothing'],
    ['a folder', 'css'],
    ['a hidden file', '.env'],
    ['a private key', 'x.pem'],
    ['what lies in a hidden folder', '.git/config'],
    ['a path upwards', '../../../secret.txt'],
    ['a path up and down', 'css/../index.html'],
    ['an absolute path', '/etc/passwd'],
    ['a path encoded twice', '%2e%2e%2fsecret.txt'],
    ['a path with a NUL', 'index.html\0'],
    ['a path in another case', 'INDEX.html'],
    ['a path that is too long', 'x'.repeat(3_000)],
    ['an empty path', ''],
    ['a path with a slash at its end', 'index.html/'],
    ['a file through a link', 'link'],
    ['a file behind a linked folder', 'up/secret.txt'],
  ])('a path that is not there', async (_what, path) => {
    write('site', { '.git/config': '' })
    for (const [name, target] of [
      ['link', join(root, 'secret.txt')],
      ['up', root],
    ] as const) {
      rmSync(join(folder('site'), name), { force: true })
      symlinkSync(target, join(folder('site'), name))
    }
    expectAbsent(await read('site', path))
  })

  // A client would clean these up before it sent them.
  testRows([
    '../files?',
    '%2e%2e/files?',
    './files?',
    'site/files/read?path=..%2f..%2f..%2fsecret.txt&',
    'site/files/read?path=%2e%2e/%2e%2e/%2e%2e/secret.txt&',
    'site/files/read?path=%2fetc%2fpasswd&',
    'site/files/read?path=css%2f..%2f.env&',
    'site/files/read?path=index.html%00&',
  ])('an address as raw bytes', async (address) => {
    const socket = connect(Number(new URL(gate.api.url).port), '127.0.0.1')
    const head = [
      `GET /api/v1/conversations/${address}email=ada@example.com HTTP/1.1`,
      'host: a',
      `authorization: Bearer ${account.key}`,
      'connection: close',
    ]
    socket.write(`${head.join('\r\n')}\r\n\r\n`)
    const answer = await text(socket)
    expect(answer).toMatch(/^HTTP\/1.1 404 /)
    expect(JSON.parse(/\{.*\}/.exec(answer)![0])).toEqual(absent)
  })

  test('over MCP: an error with that sentence', async () => {
    for (const [name, args] of [
      ['list_workspace_files', { conversation_id: 'none' }],
      ['list_workspace_files', { conversation_id: '../x' }],
      ['read_workspace_file', { conversation_id: 'site', path: '.env' }],
      ['read_workspace_file', { conversation_id: 'site', path: '../../secret.txt' }],
      ['read_workspace_file', { conversation_id: 'site', path: 'a\0' }],
    ] as const) {
      expect(await callTool(client, name, { ...args, ...asAda })).toMatchObject({
        isError: true,
        body: absent,
      })
    }
  })
})

test('a member who is taken out of a conversation, or out of the account, sees its files no longer, from the next request on', async () => {
  const cy = await account.addMember({ name: 'Cy', email: 'cy@example.com' })
  const asCy = { email: 'cy@example.com' }
  const change = () => ({
    ...adminWrite(account.account),
    conversationId: 'site',
    memberId: cy.memberId,
  })
  const status = async () => [
    (await list('site', asCy)).status,
    (await read('site', 'index.html', asCy)).status,
  ]
  expect(await status()).toEqual([404, 404])
  await addParticipant(gate.database.db, change())
  expect(await status()).toEqual([200, 200])
  await removeParticipant(gate.database.db, change())
  expect(await status()).toEqual([404, 404])
  await addParticipant(gate.database.db, change())
  await account.setActive(cy, false)
  expect((await list('site', asCy)).body).toEqual(
    errorBody('not_found', 'No active member of this account has this identity.', 'actor'),
  )
})

test('a key that is bound to other members gets 404, as for a member who does not exist', async () => {
  const { key } = await account.mintKey({ actors: [bea] })
  expect((await list('site', asAda, apiClient(gate.api.url, key))).status).toBe(404)
})

test('listing and reading make no row and no entry in the ledger', async () => {
  const before = await entriesOf(gate.database, account.account)
  const rows = (await client.list()).body
  await list('site')
  await read('site', 'index.html')
  await read('site', 'nothing')
  await callTool(client, 'list_workspace_files', { conversation_id: 'site', ...asAda })
  expect(await entriesOf(gate.database, account.account)).toEqual(before)
  expect((await client.list()).body).toEqual(rows)
})

describe('422 and the field named', () => {
  testRows([
    ['nobody', {}, 'Name the member'],
    ['half an identity', { provider: 'slack' }, 'external_id'],
    ['an unknown parameter', { ...asAda, recursive: '1' }, 'recursive'],
    ['an empty after', { ...asAda, after: '' }, 'after'],
    ['an after that is too long', { ...asAda, after: 'x'.repeat(1_026) }, 'after'],
    ['the id a second time', { ...asAda, conversation_id: 'site' }, 'conversation_id'],
  ])('for a listing', async (_what, query, named) => {
    const answer = await list('site', query as unknown as Record<string, string>)
    expect([answer.status, answer.body.error]).toEqual([422, expect.stringContaining(named)])
  })

  testRows([
    ['no path', {}, 'path is required'],
    ['an offset below zero', { path: 'a', offset: '-1' }, 'offset'],
    ['half an offset', { path: 'a', offset: '1.5' }, 'offset'],
    ['an offset that is a word', { path: 'a', offset: 'x' }, 'offset'],
    ['an unknown parameter', { path: 'a', length: '5' }, 'length'],
  ])('for a read', async (_what, query, named) => {
    const answer = await client.request(
      'GET',
      `/api/v1/conversations/site/files/read?${new URLSearchParams({ ...asAda, ...query } as Record<string, string>)}`,
    )
    expect([answer.status, answer.body.error]).toEqual([422, expect.stringContaining(named)])
  })
})

test('a suspended account goes on reading', async () => {
  const other = await gate.account()
  await converse(other, randomUUID(), [await other.addMember({ email: 'ada@example.com' })])
  await other.suspend(true)
  const [conversation] = await gate.database.asSuperuser(
    `select conversation_id from gate.conversation where account_id = '${other.account}'`,
  )
  expect((await list(String(conversation!['conversation_id']), asAda, other.client)).status).toBe(200)
})
