import { z } from 'zod'
import { executorAllow } from '../../config.ts'
import { consentStrengths } from '../../gate/consent.ts'
import { toolRules } from '../../gate/declared/tool-rule.ts'
import { tier } from '../../operations/entered-fields.ts'
import {
  commandName,
  headerLine,
  reviewDigest,
  toolName,
  upstreamName,
  upstreamUrl,
} from '../../operations/upstreams/fields.ts'
import { type Refreshed, hasSecrets, refreshTools } from '../../operations/upstreams/refresh-tools.ts'
import { approveReview, listTools, readReview, setToolRule } from '../../operations/upstreams/review.ts'
import {
  type UpstreamSettings,
  addUpstream,
  changeUpstream,
  listUpstreams,
  readUpstream,
  removeUpstream,
} from '../../operations/upstreams/servers.ts'
import { makeUpstreams } from '../../upstreams/upstream-deps.ts'
import { account } from '../account-option.ts'
import { type CliContext, adminContextOf } from '../context.ts'
import { headersOf, newUpstream, ruleOf } from '../upstream-input.ts'
import { type ReviewAnswer, refreshedText, reviewText, serverText } from '../upstream-text.ts'
import { UsageError, defineVerb, flag, optional, repeatable, required } from '../verb.ts'

const name = required('NAME', upstreamName, 'Its name: tools are called <NAME>__<tool>', 'github')
const file = z.string().min(1, 'must name a file')
const headers = {
  header: repeatable(
    'HEADER',
    headerLine,
    'A header that is sent with every request, encrypted here; repeat it for each',
    'X-Api-Version: 2',
  ),
  headers: optional(
    'FILE',
    file,
    'File with headers, one a line: they stay out of the shell history',
    'headers.txt',
  ),
}
const tools = repeatable(
  'TOOL',
  toolName,
  'A tool, as the server names it; repeat it for each',
  'create_issue',
)

export const upstreamVerbs = {
  add: defineVerb({
    summary: 'Put an MCP server behind the gate, and read its tools',
    options: {
      account,
      name,
      url: optional('URL', upstreamUrl, 'Its address, for Streamable HTTP', 'https://mcp.example.com/mcp'),
      command: optional('COMMAND', commandName, 'A command of the file in UPSTREAM_COMMANDS', 'filesystem'),
      ...headers,
    },
    exactlyOne: [['url', 'command']],
    async run(context, given) {
      await addUpstream(adminContextOf(context, given.account), settingsOf(context), newUpstream(given))
      return { upstream: given.name, ...(await refresh(context, given.account, given.name)) }
    },
    text: refreshedText,
  }),

  list: defineVerb({
    summary: 'List the MCP servers behind the gate',
    options: { account },
    empty: (of) => `No MCP servers. Add one with \`gate upstream add${of}\`.`,
    columns: [
      'upstream',
      'place',
      'tools',
      'unreviewed',
      'quarantined',
      'checked_at',
      'failing_since',
      'failure',
    ],
    run: async (context, given) =>
      (await listUpstreams(adminContextOf(context, given.account))).map((row) => ({
        ...row,
        place: row.url ?? `command ${row.command}`,
      })),
  }),

  show: defineVerb({
    summary: 'Show an MCP server and the rule of each of its tools',
    options: { account, name },
    async run(context, given) {
      const target = adminContextOf(context, given.account)
      return { ...(await readUpstream(target, given.name)), tools: await listTools(target, given.name) }
    },
    text: serverText,
  }),

  refresh: defineVerb({
    summary: 'Read the tools of an MCP server now; the worker does so every five minutes',
    options: { account, name },
    run: async (context, given) => ({
      upstream: given.name,
      ...(await refresh(context, given.account, given.name)),
    }),
    text: refreshedText,
    isReport: true,
    refusal: ({ state }: Refreshed) => (state === 'failed' ? 'The tools could not be read.' : null),
  }),

  review: defineVerb({
    summary: 'Show new and changed tools of an MCP server, and approve exactly what was shown',
    options: {
      account,
      name,
      tool: optional('TOOL', toolName, 'Only this tool; if absent: all that wait', 'create_issue'),
      approve: optional('DIGEST', reviewDigest, 'Approve what was shown with this digest', 'a'.repeat(64)),
    },
    async run(context, given): Promise<ReviewAnswer> {
      const target = adminContextOf(context, given.account)
      const { name: upstream, tool: only, approve: digest } = given
      if (digest === undefined) return { upstream, only, ...(await readReview(target, upstream, only)) }
      return { upstream, approved: await approveReview(target, upstream, { only, digest }) }
    },
    text: reviewText,
  }),

  'set-rule': defineVerb({
    summary: 'Allow, confirm or deny the calls of tools',
    options: {
      account,
      name,
      tool: tools,
      rule: optional(
        toolRules.join('|'),
        z.enum(toolRules, `must be one of ${toolRules.join(', ')}`),
        'Pass calls on at once, propose them to the member, or deny them',
        'allow',
      ),
      tier: optional(
        'TIER',
        tier,
        'Of confirm: the tier that it requires; if absent: write',
        'guarded_write',
      ),
      consent: optional(
        'STRENGTH',
        z.enum(consentStrengths, `must be one of ${consentStrengths.join(', ')}`),
        'Of confirm: the consent that it requires; if absent: chat',
        'page',
      ),
      idempotent: flag('A call whose outcome is unknown may be repeated'),
      file: optional('FILE', file, 'The whole rule as JSON, with bands by amount', 'rule.json'),
    },
    exactlyOne: [['rule', 'file']],
    shown: ['tool', 'rule'],
    async run(context, given) {
      if (given.tool.length === 0) throw new UsageError('--tool is required')
      const rule = ruleOf(given)
      const target = adminContextOf(context, given.account)
      for (const tool of given.tool) await setToolRule(target, { upstream: given.name, tool, rule })
      return { upstream: given.name, tools: given.tool, rule }
    },
  }),

  'set-headers': defineVerb({
    summary: 'Replace the headers of an MCP server, and the query of its address',
    options: {
      account,
      name,
      url: optional(
        'URL',
        upstreamUrl,
        'The same address with its new query; if absent: none',
        'https://mcp.example.com/mcp?key=2',
      ),
      ...headers,
    },
    shown: ['header'],
    async run(context, given) {
      const changed = { name: given.name, url: given.url, headers: headersOf(given) }
      await changeUpstream(adminContextOf(context, given.account), settingsOf(context), changed)
      return { upstream: given.name, ...(await refresh(context, given.account, given.name)) }
    },
    text: refreshedText,
  }),

  remove: defineVerb({
    summary: 'Remove an MCP server with its reviews, rules and credentials',
    options: { account, name },
    async run(context, given) {
      await removeUpstream(adminContextOf(context, given.account), given.name)
      return { removed: given.name }
    },
  }),
}

const settingsOf = (context: CliContext): UpstreamSettings => ({
  allow: executorAllow(context.config()),
  keys: () => context.secretsKeys(),
})

/** Reads the tools in this process, and ends what it started for that. */
async function refresh(context: CliContext, ofAccount: string, upstream: string): Promise<Refreshed> {
  const target = adminContextOf(context, ofAccount)
  const keys = (await hasSecrets(target, upstream)) ? context.secretsKeys() : undefined
  const upstreams = makeUpstreams(context.config(), { db: context.db(), keys })
  try {
    return await refreshTools(target, upstreams, upstream)
  } finally {
    await upstreams.connections.close()
  }
}
