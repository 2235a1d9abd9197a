import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { account as accountOption } from '../../src/cli/account-option.ts'
import { needsAccount, readCommandLine } from '../../src/cli/command-line.ts'
import { nouns } from '../../src/cli/nouns.ts'
import { projectRoot } from '../../src/process/root.ts'
import { exampleOf } from '../../src/cli/usage.ts'
import type { Verb } from '../../src/cli/verb.ts'
import { type CommandResult, gateOn } from './gate-command.ts'
import { testRows } from '../support/rows.ts'

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

testRows<[string, string[], RegExp]>([
  ['an unknown noun', ['acount'], /^Unknown command "acount"\. Did you mean "account"\?/],
  ['no noun', [], /Usage: gate <noun>/],
  ['an unknown verb', ['member', 'lst'], /^Unknown command "member lst"\. Did you mean "member list"\?/],
  [
    'a verb that is like none',
    ['member', 'erase'],
    /^Unknown command "member erase"\.\n\nUsage: gate member/,
  ],
  ['the beginning of a noun', ['cert', 'list'], /Did you mean "certification"\?/],
  ['the verb before the noun', ['add', 'member'], /Did you mean "member add"\?/],
  ['a noun in the plural', ['help', 'members'], /Did you mean "member"\?/],
  ['two letters swapped in an option', ['member', 'add', '--nmae', 'X'], /Did you mean --name\?/],
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
    /--file \/nonexistent\/policy\.json cannot be read: there is no such file/,
  ],
  [
    'a ledger named twice',
    ['ledger', 'verify', ...account, '--file', 'x'],
    /exactly one of --account, --file/,
  ],
])('wrong usage is exit 2 with the usage on stderr', async (_, argv, message) => {
  const result = await gate(...argv)
  expect(result).toMatchObject({ code: 2, stdout: '', stderr: expect.stringMatching(/Usage: gate/) })
  expect(result.stderr).toMatch(message)
})

testRows([
  [['--help']],
  [['help']],
  [['member', '--help']],
  [['help', 'member']],
  [['member', 'add', '--help']],
  [['help', 'member', 'add']],
  [['doctor', '-h']],
])('asking for help shows the usage and is exit 0', async (argv) => {
  expect(await gate(...argv)).toMatchObject({
    code: 0,
    stderr: '',
    stdout: expect.stringMatching(/^Usage: gate/),
  })
})

test('the usage of a verb tells every option and which exclude each other', async () => {
  const { stdout } = await gate('member', 'set-tier', '--help')
  expect(stdout.split('\n')[0]).toBe(
    'Usage: gate member set-tier [--account ACCOUNT] (--email EMAIL | --slack SLACK_ID) (--tier TIER | --clear) [--json]',
  )
})

test('the help of a noun describes every option of its verbs, in lines of 100 characters', async () => {
  const { stdout } = await gate('help', 'key')
  expect(stdout).toMatch(
    /^  --kinds KIND,… +Kinds of action it may use; if absent: all\. Example: broadcast,refund$/m,
  )
  expect(stdout).toMatch(/^  gate key mint --name "support agent" --powers read,propose$/m)
  expect(stdout).toMatch(/^  gate key rotate --key key_/m)
  const long = stdout.split('\n').filter((line) => line.length > 100 && !line.startsWith('Usage: '))
  expect(long).toEqual([])
})

test('every option is described, and every example in the help is accepted', async () => {
  const verbs: [string, Verb][] = []
  for (const [noun, load] of Object.entries(nouns))
    verbs.push(
      ...Object.entries(await load()).map(([verb, spec]): [string, Verb] => [`${noun} ${verb}`, spec]),
    )
  expect(verbs.length).toBeGreaterThan(35)
  for (const [name, verb] of verbs) {
    const { values } = readCommandLine(verb, exampleOf(verb))
    expect([name, needsAccount(verb, values)]).toEqual([name, verb.options['account'] === accountOption])
    for (const [option, { about, example, placeholder, read }] of Object.entries(verb.options)) {
      expect([name, option, about]).toEqual([name, option, expect.stringMatching(/^[A-Z].{7,}[^.]$/)])
      if (placeholder !== undefined) read(option, [example!])
    }
  }
})

test('a database that cannot be reached is exit 1 with a sentence', async () => {
  expect(await gate('account', 'list', '--json')).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringMatching(/database cannot be reached/),
  })
})

test('GATE_ACCOUNT must be the id of an account', async () => {
  const result = await gateOn({ GATE_ACCOUNT: 'acme' })('member', 'list')
  expect(result).toMatchObject({ code: 1, stdout: '', stderr: expect.stringMatching(/GATE_ACCOUNT must be/) })
})

test('without DATABASE_URL and without a service on DATA_DIR, the error says what to do', async () => {
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

test('`gate version` names the version of the program, of the REST API and of MCP, as they are served', async () => {
  const { version } = JSON.parse(readFileSync(join(projectRoot, 'package.json'), 'utf8'))
  for (const word of ['--version', 'version'])
    expect(await gate(word)).toMatchObject({
      code: 0,
      stdout: `gate ${version} (REST API 1.0.0, MCP 2026-07-28)\n`,
    })
})
