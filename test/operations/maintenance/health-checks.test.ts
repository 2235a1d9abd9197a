import { expect } from '@jest/globals'
import type { Check } from '../../../src/operations/maintenance/check.ts'
import { type Seen, checksOf } from '../../../src/operations/maintenance/health-checks.ts'
import { readConfig } from '../../../src/config.ts'
import { testRows } from '../../support/rows.ts'

const now = new Date('2026-01-01T12:00:00Z')
const minutesAgo = (minutes: number) => new Date(now.getTime() - minutes * 60_000)

const seen: Seen = {
  config: readConfig({}),
  databaseObstacle: null,
  temporal: { state: 'up', address: '127.0.0.1:7233' },
  open: { open_proposals: 2, claims_without_end: 1, oldest_due: null, oldest_claim: minutesAgo(5) },
  failing: [],
  endpoints: [],
  accounts: ['acct_0000000000000001'],
  seals: { epoch: 7, sealed_at: minutesAgo(1), waiting_since: minutesAgo(1), faults: [] },
  witnessed: null,
  previewHosts: [{ modes: ['static', 'command'], unavailable: {} }],
  bots: [],
  upstreams: { servers: 2, troubles: [] },
  anchors: undefined,
  now,
}
const witnessed = (isQuorum: boolean) => ({
  cosigned: [{ witness: 'a.example', at: now }],
  missing: ['b.example'],
  isQuorum,
})
const look = (item: Check['item'], changes: Partial<Seen>) =>
  checksOf({ ...seen, ...changes }).find((check) => check.item === item)!

const mail = { RESEND_API_KEY: 're_1', MAIL_FROM: 'gate@example.com' }
const smtp = { SMTP_URL: 'smtps://gate:secret@smtp.example.com:465', MAIL_FROM: 'gate@example.com' }
const failing = (target: string, actions: number) => ({
  account_id: 'acct_a',
  target,
  failing_since: minutesAgo(30),
  code: 'http_503',
  actions,
})
const bot = (more: Partial<Seen['bots'][number]> = {}): Seen['bots'][number] => {
  const { failed = 0 } = more
  const last =
    failed > 0 ? { code: 'BotNotInConversationRoster', failed_at: now } : { code: null, failed_at: null }
  return { account_id: 'acct_a', app_id: 'app', members: 3, sent: 0, failed, ...last, ...more }
}
const stripe = { STRIPE_SECRET_KEY: 'sk_test_1' }
const two = ['acct_0000000000000001', 'acct_0000000000000002']
const slack = { SLACK_BOT_TOKEN: 'xoxb-1', SLACK_SIGNING_SECRET: '0123456789abcdef' }

testRows<[string, Check['item'], Partial<Seen>, Check['verdict'], RegExp]>([
  [
    'a role that is too strong',
    'database',
    { databaseObstacle: 'role: too strong' },
    'attention',
    /too strong/,
  ],
  [
    'Temporal down',
    'temporal',
    { temporal: { state: 'down', address: 'x:1' } },
    'attention',
    /x:1 does not answer/,
  ],
  [
    'Temporal with a stuck database',
    'temporal',
    { temporal: { state: 'interrupted', address: 'x:1' } },
    'attention',
    /x:1 answers `interrupted \(9\)`: its development server is stuck\. Restart that server/,
  ],
  ['work just due', 'outbox', { open: { ...seen.open, oldest_due: minutesAgo(0.1) } }, 'ok', /Nothing/],
  [
    'work overdue',
    'outbox',
    { open: { ...seen.open, oldest_due: minutesAgo(3) } },
    'attention',
    /gate repair/,
  ],
  ['a young execution', 'executions', {}, 'ok', /1 running/],
  [
    'an old execution',
    'executions',
    { open: { ...seen.open, oldest_claim: minutesAgo(61) } },
    'attention',
    /2026-01-01T10:59/,
  ],
  ['no failing executor', 'executors', {}, 'ok', /No call/],
  [
    'a dead executor and Stripe',
    'executors',
    { failing: [failing('customer_deletion', 3), failing('stripe', 1)] },
    'attention',
    /^customer_deletion of acct_a fails since 2026-01-01T11:30:00\.000Z \(http_503\), 3 actions wait; stripe of acct_a .* 1 action waits\. See/,
  ],
  [
    'more failing executors than are named',
    'executors',
    { failing: Array.from({ length: 12 }, (_, n) => failing(`kind_${n}`, 1)) },
    'attention',
    /kind_9 of acct_a .*; 2 more\./,
  ],
  ['a seal', 'sealer', {}, 'ok', /Epoch 7/],
  ['no witnesses', 'witnesses', {}, 'off', /WITNESS_POLICY/],
  [
    'a quorum of witnesses',
    'witnesses',
    { witnessed: witnessed(true) },
    'ok',
    /by a.example, not by b.example/,
  ],
  ['no quorum of witnesses', 'witnesses', { witnessed: witnessed(false) }, 'attention', /quorum is not met/],
  [
    'entries that wait for their seal',
    'sealer',
    { seals: { ...seen.seals, waiting_since: minutesAgo(6) } },
    'attention',
    /since 2026-01-01T11:54/,
  ],
  [
    'a rollback',
    'sealer',
    { seals: { ...seen.seals, faults: ['the database is older'] } },
    'attention',
    /database is older/,
  ],
  ['the sandbox', 'mail', {}, 'ok', /nothing is delivered/],
  ['mail', 'mail', { config: readConfig(mail) }, 'ok', /gate@example\.com/],
  [
    'a mail server',
    'mail',
    { config: readConfig(smtp), mailServer: 'ok' },
    'ok',
    /by the mail server smtp\.example\.com:465\.$/,
  ],
  [
    'a mail server without a trusted certificate',
    'mail',
    { config: readConfig(smtp), mailServer: { refused: 'not_secure' } },
    'attention',
    /^No mail goes by the mail server smtp\.example\.com:465: not_secure\. See/,
  ],
  [
    'a mail server that refuses every connection',
    'mail',
    { config: readConfig(smtp), mailServer: { unavailable: 'smtp_554', says: 'Not today' } },
    'attention',
    /smtp_554, it says “Not today”/,
  ],
  [
    'a mail server that the running sandbox was not given',
    'mail',
    { config: readConfig(smtp), mailServer: 'ok', isRunningSandbox: true },
    'attention',
    /^The running service has other credentials than this command/,
  ],
  ['a running sandbox', 'mail', { isRunningSandbox: true }, 'ok', /nothing is delivered/],
  [
    'mail of the running service that this command was not given',
    'mail',
    { isRunningSandbox: false },
    'attention',
    /environment of the service/,
  ],
  [
    'Slack of the running service that this command was not given',
    'slack',
    { isRunningSandbox: false },
    'attention',
    /environment of the service/,
  ],
  [
    'money of the running service that this command was not given',
    'stripe',
    { isRunningSandbox: false },
    'attention',
    /environment of the service/,
  ],
  ['Slack without mail', 'mail', { config: readConfig(slack) }, 'off', /RESEND_API_KEY/],
  [
    'neither of the two',
    'mail',
    { config: readConfig({ NODE_ENV: 'production' }) },
    'attention',
    /neither by e-mail nor in Slack/,
  ],
  ['Slack', 'slack', { config: readConfig(slack) }, 'ok', /Consent/],
  [
    'Slack without its secret',
    'slack',
    { config: readConfig({ SLACK_BOT_TOKEN: 'xoxb-1' }) },
    'attention',
    /SLACK_SIGNING_SECRET/,
  ],
  ['mail without Slack', 'slack', { config: readConfig(mail) }, 'off', /SLACK_BOT_TOKEN/],
  ['no bot', 'teams', {}, 'off', /No account has connected a bot/],
  [
    'bots',
    'teams',
    { bots: [bot(), bot({ members: 1 })] },
    'ok',
    /^2 bots, 4 members have a Teams identity\.$/,
  ],
  [
    'a person without the app',
    'teams',
    { bots: [bot({ sent: 5, failed: 1 })] },
    'ok',
    /^1 bot, 3 members .* acct_a: 1 request was not certainly sent in 24 hours, the last at \S+ \(BotNotInConversationRoster\)\.$/,
  ],
  [
    'a bot that reaches nobody',
    'teams',
    { bots: [bot(), bot({ failed: 2 })] },
    'attention',
    /^the bot of acct_a: 2 requests were not certainly sent .* asked by e-mail/,
  ],
  [
    'a bot without a token',
    'teams',
    { bots: [bot({ sent: 9, problem: 'Microsoft gives it no token (invalid_client)' })] },
    'attention',
    /^the bot of acct_a: Microsoft gives it no token \(invalid_client\)\. /,
  ],
  ['the sandbox', 'stripe', {}, 'ok', /no money moves/],
  ['no key of Stripe', 'stripe', { config: readConfig(mail) }, 'off', /No STRIPE_SECRET_KEY/],
  ['a key of the only account', 'stripe', { config: readConfig(stripe) }, 'ok', /only account/],
  [
    'a key of no account',
    'stripe',
    { config: readConfig(stripe), accounts: two },
    'attention',
    /serves no account, because there are 2/,
  ],
  [
    'a key of a named account',
    'stripe',
    { config: readConfig({ ...stripe, ENVIRONMENT_PROVIDERS_ACCOUNT: two[1] }), accounts: two },
    'ok',
    /money of acct_0000000000000002/,
  ],
  [
    'a name of no account',
    'stripe',
    { config: readConfig({ ...stripe, ENVIRONMENT_PROVIDERS_ACCOUNT: two[1] }) },
    'attention',
    /is not an account/,
  ],
  ['previews', 'previews', {}, 'ok', /1 worker: command, static/],
  ['no host', 'previews', { previewHosts: [] }, 'attention', /No worker serves previews/],
  [
    'a way that is unavailable',
    'previews',
    { previewHosts: [{ modes: ['static'], unavailable: { command: 'no bubblewrap' } }] },
    'attention',
    /command is unavailable: no bubblewrap/,
  ],
  [
    'no previews at all',
    'previews',
    { previewHosts: [], config: readConfig({ TOOLS: 'gate' }) },
    'off',
    /TOOLS/,
  ],
  ['MCP servers', 'upstreams', {}, 'ok', /2 MCP servers, no tool in quarantine/],
  ['no MCP servers', 'upstreams', { upstreams: { servers: 0, troubles: [] } }, 'off', /No MCP server/],
  [
    'tools in quarantine and a server that cannot be read',
    'upstreams',
    {
      upstreams: {
        servers: 2,
        troubles: [
          { account: 'acct_a', upstream: 'notes', quarantined: 2, failing_since: null },
          { account: 'acct_b', upstream: 'files', quarantined: 0, failing_since: minutesAgo(5) },
        ],
      },
    },
    'attention',
    /notes of acct_a has 2 tools in quarantine; files of acct_b could not be read since 2026-01-01T11:55/,
  ],
  [
    'more troubles than are named',
    'upstreams',
    {
      upstreams: {
        servers: 12,
        troubles: Array.from({ length: 12 }, (_, n) => ({
          account: 'acct_a',
          upstream: `up${n}`,
          quarantined: 1,
          failing_since: null,
        })),
      },
    },
    'attention',
    /up9 of acct_a has 1 tool in quarantine; 2 more\./,
  ],
  [
    'an anchor that does not fit',
    'anchors',
    { anchors: { file: 'a.jsonl', compared: 1, added: 0, faults: [{ place: 'acc', problem: 'p' }] } },
    'attention',
    /^1 anchors in a\.jsonl do not match/,
  ],
])('each number has its verdict', (_, item, changes, verdict, detail) => {
  expect(look(item, changes)).toEqual({ item, verdict, detail: expect.stringMatching(detail) })
})
