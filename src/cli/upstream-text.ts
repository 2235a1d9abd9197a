import { type Review, type UpstreamTool, changedBackWords } from '../operations/upstreams/review.ts'
import type { UpstreamRow } from '../operations/upstreams/servers.ts'
import type { Refreshed } from '../upstreams/refresh.ts'
import { formatForPeople, printable } from './print.ts'
import type { GivenAccount } from './verb.ts'

/** What came of reading the tools. */
export function refreshedText(done: Refreshed & { upstream: string }, account: GivenAccount): string {
  const { upstream } = done
  if (done.state === 'failed')
    return `The tools of ${upstream} could not be read: ${printable(done.why)}. Those that are known stay as they are.`
  if (done.state === 'skipped')
    return `The tools of ${upstream} were not read: it was changed meanwhile, or the account is suspended.`
  const quarantined =
    done.quarantined.length === 0
      ? []
      : [`Changed since their review, and denied until the next one: ${done.quarantined.join(', ')}.`]
  return [
    `Read ${done.tools} tools of ${upstream}.`,
    ...quarantined,
    `Review new and changed tools, if there are any: gate upstream review${account} --name ${upstream}`,
  ].join('\n')
}

/** A server with its tools. */
export function serverText({
  tools,
  server,
  refused,
  failure,
  ...row
}: Omit<UpstreamRow, 'tools'> & { tools: UpstreamTool[] }): string {
  const about = {
    ...row,
    failure,
    server: server && `${server.name} ${server.version}, MCP ${server.protocol}`,
  }
  const rows = tools.map((tool) => ({ tool: tool.name, state: tool.state, rule: ruleText(tool) }))
  return [
    formatForPeople(about),
    '',
    formatForPeople(rows, { empty: 'It lists no tool that can be served.' }),
    ...refused.map(({ tool, why }) => `Not served: ${printable(JSON.stringify(tool))}: ${why}.`),
    ...tools.flatMap((tool) =>
      tool.unreadable === undefined ? [] : [`${tool.name}: ${printable(tool.unreadable)}.`],
    ),
  ].join('\n')
}

export type ReviewAnswer =
  | ({ upstream: string; only: string | undefined } & Review)
  | { upstream: string; approved: string[] }

/** Everything that an approval approves, and how to give it. Only escaped text of the server reaches the terminal. */
export function reviewText(answer: ReviewAnswer, account: GivenAccount): string {
  if ('approved' in answer)
    return `Approved ${answer.approved.join(', ')}. Agents can call them as their rules say: gate upstream show${account} --name ${answer.upstream}`
  const { upstream, only, tools, digest } = answer
  if (tools.length === 0) return `No tool of ${upstream} waits for a review.`
  const which = only === undefined ? '' : ` --tool ${only}`
  return [
    `Written by the MCP server ${upstream}, not by the gate. Models read it as it is.`,
    ...tools.flatMap((tool) => ['', ...toolText(tool)]),
    '',
    'Approve exactly this:',
    `  gate upstream review${account} --name ${upstream}${which} --approve ${digest}`,
  ].join('\n')
}

function toolText(tool: Review['tools'][number]): string[] {
  const isNew = tool.state === 'unreviewed'
  return [
    `${tool.name}: ${isNew ? 'new' : `changed since its review, in quarantine since ${tool.quarantined_at?.toISOString()}`}`,
    `  rule: ${ruleText(tool)}`,
    ...(tool.lines.length === 0 ? [`  ${changedBackWords}`] : []),
    ...tool.lines.map(
      ({ change, at, value }) =>
        `  ${change === 'removed' ? '-' : '+'} ${printable(at)}  ${printable(value)}`,
    ),
  ]
}

function ruleText({ rule, isDefaultRule, claimsReadOnly }: UpstreamTool): string {
  const { rule: word, requires, ...others } = rule
  const parts = [
    word,
    ...(requires === undefined ? [] : 'bands' in requires ? ['bands'] : [requires.tier, requires.consent]),
    ...(others.editable ? [`editable ${others.editable.join(' ')}`] : []),
    ...(others.is_idempotent === true ? ['idempotent'] : []),
    ...(isDefaultRule ? ['(default)'] : []),
  ]
  const claim = claimsReadOnly === true ? '; the server claims that it only reads' : ''
  return `${parts.join(' ')}${claim}`
}
