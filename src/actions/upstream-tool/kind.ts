import { z } from 'zod'
import { type Json, canonical } from '../../gate/canonical.ts'
import type { EditableField } from '../../gate/edits/editable-fields.ts'
import { atJsonPointer } from '../../gate/declared/json-pointer.ts'
import { formatAmount } from '../../gate/money.ts'
import type { KindRule } from '../../gate/policy.ts'
import { upstreamKind } from '../../gate/declared/upstream-call.ts'
import { limits } from '../../limits.ts'
import { type ActionKind, type Summary, outcomes } from '../kind.ts'
import { upstreamToolPerformer } from './perform.ts'

/** A call as it is frozen: what was asked about is what is called. */
const payload = z.strictObject({
  /** The MCP server, by its name in the account. */
  upstream: z.string(),
  tool: z.string(),
  /** SHA-256 of the tool's definition as it was reviewed, hex. If the definition differs later, nothing is called. */
  definition_hash: z.string(),
  arguments: z.record(z.string(), z.unknown()),
  amount_cents: z.int().optional(),
  currency: z.string().optional(),
  /** What daily limits count by. */
  subject: z.string().optional(),
  /** What the rule of the tool required when the call was proposed. */
  requires: z.record(z.string(), z.unknown()).optional(),
  /** What a member may change before they approve, as the rule of the tool said when the call was proposed. */
  editable: z.array(z.string()).optional(),
  /** Only a call that is consented to has it: where it runs, and what the server's address is compared with before the call. */
  runs_at: z.string().optional(),
  address_digest: z.string().optional(),
})
export type UpstreamToolPayload = Omit<z.output<typeof payload>, 'arguments' | 'requires'> & {
  arguments: { [name: string]: Json | undefined }
  requires?: { [name: string]: Json | undefined } | undefined
}

/** A call of a tool of an MCP server behind the gate. */
export const upstreamTool: ActionKind<UpstreamToolPayload> = {
  kind: upstreamKind,
  payload: payload.refine(
    ({ arguments: given }) => canonical(given as Json).length <= limits.toolInputKeptCharsMax,
    'has arguments that are too long to be shown',
  ) as unknown as z.ZodType<UpstreamToolPayload>,
  // The rule of each tool decides; this is the floor, which the policy can raise.
  defaultRule: { tier: 'read_only', consent: 'agent_attested' },
  isHttpProposable: false,
  reaches: 'nobody',
  shows: {
    payload,
    result: z.object({
      outcome: z.enum(outcomes),
      code: z.string().optional(),
      is_error: z.literal(true).optional(),
      tool_result: z
        .record(z.string(), z.unknown())
        .optional()
        .meta({ description: 'What the MCP server answered, where one action is read. Not in lists.' }),
    }),
  },
  runsAt: ({ runs_at: runsAt }) => runsAt,
  ruleOf: ({ requires }) => requires as KindRule | undefined,
  summary: summaryOf,
  editable: ({ arguments: given, editable = [] }) =>
    editable.flatMap((at): EditableField[] => {
      const way = wayOf[typeof atJsonPointer(given, at)]
      return way === undefined ? [] : [{ at: `/arguments${at}`, label: at.slice(1), way }]
    }),
  outcome: ({ upstream, tool }, { is_error: isError }) =>
    isError === true
      ? `Called ${tool} of the MCP server ${upstream}, which answered with an error`
      : `Called ${tool} of the MCP server ${upstream}`,
  weigh: ({ amount_cents: amountCents, currency }) =>
    amountCents === undefined || currency === undefined ? undefined : { amountCents, currency },
  subject: ({ upstream, tool, subject }) =>
    subject === undefined ? undefined : `${upstream}__${tool} ${subject}`,
  argumentsOf: ({ upstream, tool, arguments: given }) => ({
    tool: `${upstream}__${tool}`,
    ...Object.fromEntries(Object.entries(given).map(([name, value]) => [`arguments.${name}`, value])),
  }),
  performer: upstreamToolPerformer,
}

// What is absent, a list or an object stays as it is.
const wayOf: Partial<Record<string, 'text' | 'number' | 'flag'>> = {
  string: 'text',
  number: 'number',
  boolean: 'flag',
}

function summaryOf({
  upstream,
  tool,
  arguments: given = {},
  definition_hash: hash = '',
  amount_cents: cents,
  currency,
}: UpstreamToolPayload): Summary {
  const amount = cents === undefined || currency === undefined ? '' : ` for ${formatAmount(cents, currency)}`
  const named: [string, string][] = [
    ['Tool', tool],
    ['MCP server', upstream],
  ]
  return {
    title: `Call ${named.every(isPlain) ? `${tool} of the MCP server ${upstream}` : 'a tool of an MCP server'}${amount}`,
    facts: named.filter(isPlain),
    written: [...named.filter((pair) => !isPlain(pair)), ...Object.entries(given).map(fieldOf)],
    details: [['Definition', hash.slice(0, 16)]],
  }
}

/** Names that can be taken for nothing else: all that are served. */
const isPlain = ([, name]: [string, string]): boolean => /^[\w-]{1,64}$/.test(name)

/** A field of the arguments, as the agent wrote it. Labels are the gate's: any other name is text of the agent, too. */
function fieldOf([name, value]: [string, unknown], at: number): [string, string] {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return /^[\w.$-]{1,64}$/.test(name) ? [name, text] : [`Field ${at + 1}`, `${JSON.stringify(name)}: ${text}`]
}
