import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type CommandResult, gateOn } from './gate-command.ts'

const account = ['--account', 'acct_0000000000000000']
let gate: (...argv: string[]) => Promise<CommandResult>
let dataDir: string
beforeAll(() => {
  dataDir = mkdtempSync(join(process.env['TEST_RUN_DIR'] ?? tmpdir(), 'usage-'))
  // Usage is checked before anything is reached: nobody listens there.
  gate = gateOn({ DATABASE_URL: 'postgres://nobody@127.0.0.1:9/none' })
})
afterAll(() => rmSync(dataDir, { recursive: true, force: true }))

const member = ['--email', 'a@example.com']
const curriculum = ['curriculum', 'add', ...account, '--slug', 's', '--title', 't', '--grants', 'write']

test.each<[string, string[], RegExp]>([
  ['an unknown noun', ['acount'], /Usage: gate <noun>/],
  ['no noun', [], /Usage: gate <noun>/],
  ['an unknown verb', ['member', 'remove'], /Usage: gate member <verb>/],
  ['a noun of every object', ['toString'], /Usage: gate <noun>/],
  ['an unknown option', ['member', 'list', ...account, '--all'], /Unknown option '--all'/],
  ['a word too much', ['member', 'list', ...account, 'now'], /Unexpected argument 'now'/],
  ['a missing option', ['account', 'create'], /--name is required/],
  ['a missing value', ['account', 'create', '--name'], /--name/],
  ['an option given twice', ['member', 'list', ...account, ...account], /--account is given more than once/],
  ['a malformed account', ['member', 'list', '--account', 'acme'], /--account must be acct_/],
  ['an empty name', ['account', 'create', '--name', ' '], /--name must not be empty/],
  ['a name of two lines', ['account', 'create', '--name', 'a\nb'], /--name must be one line/],
  [
    'a malformed e-mail',
    ['member', 'add', ...account, '--name', 'X', '--email', 'a@b@c'],
    /--email must be an e-mail/,
  ],
  [
    'an e-mail that adds a header',
    ['member', 'add', ...account, '--name', 'X', '--email', 'a@b.c\r\nBcc: x@y.z'],
    /--email/,
  ],
  [
    'an e-mail that is too long',
    ['member', 'add', ...account, '--name', 'X', '--email', `${'a'.repeat(250)}@b.cd`],
    /at most 254/,
  ],
  [
    'a malformed Slack id',
    ['member', 'add', ...account, '--name', 'X', '--slack', 'u0ada'],
    /--slack must be a Slack/,
  ],
  ['nobody named', ['member', 'deactivate', ...account], /exactly one of --email, --slack/],
  [
    'two names for one member',
    ['member', 'deactivate', ...account, ...member, '--slack', 'U0'],
    /exactly one of/,
  ],
  [
    'a tier and no tier',
    ['member', 'set-tier', ...account, ...member, '--clear', '--tier', 'write'],
    /exactly one of --tier, --clear/,
  ],
  [
    'an unknown tier',
    ['member', 'set-tier', ...account, ...member, '--tier', 'root'],
    /--tier must be one of/,
  ],
  ['nothing to change', ['member', 'update', ...account, ...member], /give at least one of --name/],
  [
    'an identity both new and removed',
    ['member', 'update', ...account, ...member, '--new-slack', 'U1', '--remove-slack'],
    /not both/,
  ],
  ['no modules', [...curriculum, '--modules', '0'], /--modules must be a whole number from 1 to 100/],
  ['half a module', [...curriculum, '--modules', '1.5'], /--modules must be a whole number/],
  [
    'days below one',
    [...curriculum, '--modules', '1', '--valid-days=-1'],
    /--valid-days must be a whole number/,
  ],
  [
    'a malformed slug',
    [
      'curriculum',
      'add',
      ...account,
      '--slug',
      'Safe Sending',
      '--title',
      't',
      '--modules',
      '1',
      '--grants',
      'write',
    ],
    /--slug/,
  ],
  [
    'a malformed time',
    ['key', 'mint', ...account, '--name', 'X', '--expires', 'tomorrow'],
    /--expires must be an ISO 8601/,
  ],
  ['a malformed actor', ['key', 'mint', ...account, '--name', 'X', '--actor', 'Ada'], /--actor must be/],
  [
    'a malformed id',
    ['action', 'cancel', ...account, '--id', '0', '--reason', 'x'],
    /--id must be a positive whole number/,
  ],
  [
    'a currency that cannot be weighed',
    ['policy', 'explain', ...account, '--kind', 'refund', '--tier', 'write', '--currency', 'jpy'],
    /--currency/,
  ],
  [
    'a policy file that is not there',
    ['policy', 'set', ...account, '--file', '/nonexistent/policy.json'],
    /--file cannot be read/,
  ],
  [
    'a ledger named twice',
    ['ledger', 'verify', ...account, '--file', 'x'],
    /exactly one of --account, --file/,
  ],
])('%s is exit 2 with the usage on stderr', async (_, argv, message) => {
  const result = await gate(...argv)
  expect(result).toMatchObject({ code: 2, stdout: '', stderr: expect.stringMatching(/Usage: gate/) })
  expect(result.stderr).toMatch(message)
})

test.each([[['--help']], [['member', '--help']], [['member', 'add', '--help']], [['doctor', '--help']]])(
  '%j shows the usage and is exit 0',
  async (argv) => {
    expect(await gate(...argv)).toMatchObject({
      code: 0,
      stderr: '',
      stdout: expect.stringMatching(/^Usage: gate/),
    })
  },
)

test('the usage of a verb tells every option and which exclude each other', async () => {
  const { stdout } = await gate('member', 'set-tier', '--help')
  expect(stdout.split('\n')[0]).toBe(
    'Usage: gate member set-tier --account ACCOUNT (--email EMAIL | --slack SLACK_ID) (--tier TIER | --clear) [--json]',
  )
})

test('a database that cannot be reached is exit 1 with a sentence', async () => {
  expect(await gate('account', 'list', '--json')).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringMatching(/database cannot be reached/),
  })
})

test('without DATABASE_URL and without a service on DATA_DIR, the way out is told', async () => {
  const result = await gateOn({ DATA_DIR: dataDir })('account', 'list')
  expect(result).toMatchObject({ code: 1, stdout: '' })
  expect(result.stderr).toBe(
    `No service is running on ${dataDir}, and DATABASE_URL is not set. Start the service with \`npm start\`, or set DATABASE_URL.\n`,
  )
})

test('a malformed environment is exit 1, with the variable named and its value not repeated', async () => {
  const result = await gateOn({ DATABASE_URL: 'mysql://root:secret@db' })('account', 'list')
  expect(result).toMatchObject({ code: 1, stdout: '', stderr: expect.stringMatching(/DATABASE_URL must be/) })
  expect(result.stderr).not.toContain('secret')
})

test('migrating needs the owner', async () => {
  expect(await gate('migrate')).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringMatching(/^DATABASE_OWNER_URL must also be set/),
  })
})
