import { createHash } from 'node:crypto'
import {
  type ReviewedToolRow,
  listUpstreamTools,
  reviewUpstreamTools,
  setUpstreamRule,
} from '../../db/queries/upstreams/upstreams.ts'
import { GateError } from '../../errors.ts'
import { type Json, canonical } from '../../gate/canonical.ts'
import { type ToolRule, defaultToolRule } from '../../gate/declared/tool-rule.ts'
import { type ToolState, servedName } from '../../upstreams/served-tool.ts'
import { unreadableSchema } from '../../upstreams/schemas/sound-schemas.ts'
import { mapConcurrent } from '../../waiting/map-concurrent.ts'
import { type AccountContext, type AdminContext, writeOf } from '../admin-context.ts'
import { type DefinitionLine, definitionLines } from './definition-lines.ts'
import { readUpstream } from './servers.ts'

/** The words for a tool in quarantine that no longer differs from what was reviewed. */
export const changedBackWords = 'Its definition changed, and has changed back to what was reviewed.'

/** A tool of a server, for an administrator. */
export interface UpstreamTool {
  tool: string
  /** The name that agents call it by. */
  name: string
  /** `gone`: its server no longer lists it. */
  state: ToolState | 'gone'
  rule: ToolRule
  /** Nobody set the rule: it is the default. */
  isDefaultRule: boolean
  /** The server's own claim; undefined: it makes none. */
  claimsReadOnly: boolean | undefined
  reviewed_at: Date | null
  reviewed_by: string | null
  quarantined_at: Date | null
  gone_at: Date | null
  /** The schema that is not served because clients cannot read it, and why. It can quote the server. */
  unreadable: string | undefined
}

/** The tools that a server lists, and those that it listed before, by name. @throws GateError `not_found` */
export async function listTools(context: AccountContext, upstream: string): Promise<UpstreamTool[]> {
  await readUpstream(context, upstream)
  const rows = await listUpstreamTools(context.db, context.account, upstream)
  return mapConcurrent(1, rows, (row) => toTool(upstream, row))
}

/** A tool with its definition. */
export interface ToolDetails extends UpstreamTool {
  /** SHA-256 of the definition, hex. */
  hash: string
  /** Written by the server; null: it has none, or one that is no text. */
  description: string | null
  /** Every value of the definition as it is listed now. */
  definition: DefinitionLine[]
  /** What differs from the definition that was reviewed; of a tool that nobody reviewed, everything. */
  lines: DefinitionLine[]
  /** Digest for the review of this tool alone: stands for exactly this definition. */
  digest: string
  /**
   * Digest of the stored rule. A rule set explicitly differs from the unset default, even if both have the same content.
   */
  ruleDigest: string
}

/** One tool of a server. @throws GateError `not_found` */
export async function readTool(
  context: AccountContext,
  upstream: string,
  tool: string,
): Promise<ToolDetails> {
  await readUpstream(context, upstream)
  const rows = await listUpstreamTools(context.db, context.account, upstream)
  const row = rows.find((one) => one.tool === tool)
  if (!row) throw noTool(upstream, tool)
  const { definition, hash } = row
  const { description } = JSON.parse(definition) as { description?: unknown }
  return {
    ...(await toTool(upstream, row)),
    hash,
    description: typeof description === 'string' ? description : null,
    definition: definitionLines({ definition, reviewed_definition: null }),
    lines: definitionLines(row),
    digest: digestOf([row]),
    ruleDigest: ruleDigestOf(row),
  }
}

/** What an administrator has to look at before they approve it. */
export interface Review {
  tools: (UpstreamTool & { lines: DefinitionLine[] })[]
  /** Stands for exactly these definitions. */
  digest: string
}

/**
 * The tools of a server that wait for a review, each with what is new: of a new tool everything, of a changed one the
 * difference to what was reviewed.
 * @param only  a tool; undefined: all that wait
 * @throws GateError `not_found`
 */
export async function readReview(context: AccountContext, upstream: string, only?: string): Promise<Review> {
  const rows = await waiting(context, upstream, only)
  return {
    tools: await mapConcurrent(1, rows, async (row) => ({
      ...(await toTool(upstream, row)),
      lines: definitionLines(row),
    })),
    digest: digestOf(rows),
  }
}

/**
 * Approves what a review showed: all of it, or nothing where anything changed since.
 * @param digest  of the review
 * @param set  the rule that the only tool gets in the same step, and the digest of the one that was shown; absent: tools keep theirs
 * @returns the names of the tools
 * @throws GateError `not_found`, `conflict`
 */
export async function approveReview(
  context: AdminContext,
  upstream: string,
  {
    only,
    digest,
    set,
  }: { only: string | undefined; digest: string; set?: { rule: ToolRule; shown: string } },
): Promise<string[]> {
  const rows = await waiting(context, upstream, only)
  if (rows.length === 0) throw new GateError('conflict', `No tool of ${upstream} waits for a review.`)
  if (digestOf(rows) !== digest) throw changedSince(upstream)
  if (set && rows.some((row) => ruleDigestOf(row) !== set.shown)) throw otherRule('Nothing was approved')
  const tools = rows.map(({ tool }) => tool)
  const outcome = await reviewUpstreamTools(context.db, {
    ...writeOf(context),
    upstream,
    tools,
    hashes: rows.map(({ hash }) => hash),
    ...(set ? rulesOf(rows[0]!, set.rule) : { rule: null, shown: null }),
  })
  if (outcome !== 'reviewed') throw changedSince(upstream)
  return tools
}

/** The rule to store, null where it stays what it is: a default stays a default. And the stored one, to compare with. */
function rulesOf({ rule: stored }: ReviewedToolRow, rule: ToolRule) {
  const isSame = textOfRule(rule) === textOfRule(stored ?? defaultToolRule)
  return { rule: isSame ? null : textOfRule(rule), shown: textOfRule(stored) }
}

/**
 * Sets the rule of a tool, reviewed or not.
 * @param shown  the digest of the rule that was shown; absent: whatever it is
 * @throws GateError `not_found`, `conflict`
 */
export async function setToolRule(
  context: AdminContext,
  {
    upstream,
    tool,
    rule,
    shown,
  }: { upstream: string; tool: string; rule: ToolRule; shown?: string | undefined },
): Promise<void> {
  await readUpstream(context, upstream)
  const stored = shown === undefined ? null : textOfRule(await shownRule(context, { upstream, tool, shown }))
  const write = { ...writeOf(context), upstream, tool, rule: textOfRule(rule), shown: stored }
  const outcome = await setUpstreamRule(context.db, write)
  if (outcome === 'missing') throw noTool(upstream, tool)
  if (outcome === 'outdated') throw otherRule('Nothing was changed')
}

/** The rule of a tool that a digest stands for; null: the default. @throws GateError `not_found`, `conflict` */
async function shownRule(
  context: AccountContext,
  { upstream, tool, shown }: { upstream: string; tool: string; shown: string },
): Promise<ToolRule | null> {
  const rows = await listUpstreamTools(context.db, context.account, upstream)
  const row = rows.find((one) => one.tool === tool)
  if (!row) throw noTool(upstream, tool)
  if (ruleDigestOf(row) !== shown) throw otherRule('Nothing was changed')
  return row.rule
}

const textOfRule = (rule: ToolRule | null): string => canonical(JSON.parse(JSON.stringify(rule)) as Json)

const ruleDigestOf = ({ rule }: ReviewedToolRow): string =>
  createHash('sha256').update(textOfRule(rule)).digest('hex')

async function waiting(context: AccountContext, upstream: string, only?: string): Promise<ReviewedToolRow[]> {
  await readUpstream(context, upstream)
  const all = await listUpstreamTools(context.db, context.account, upstream)
  const rows = all.filter(({ gone_at: goneAt }) => goneAt === null)
  if (only !== undefined && !rows.some(({ tool }) => tool === only)) throw noTool(upstream, only)
  return rows.filter((row) => stateOf(row) !== 'reviewed' && (only === undefined || row.tool === only))
}

async function toTool(upstream: string, row: ReviewedToolRow): Promise<UpstreamTool> {
  const { tool, rule, reviewed_at, reviewed_by, quarantined_at, gone_at } = row
  return {
    tool,
    name: servedName(upstream, tool),
    state: gone_at === null ? stateOf(row) : 'gone',
    rule: rule ?? defaultToolRule,
    isDefaultRule: rule === null,
    claimsReadOnly: claimOf(row.definition),
    reviewed_at,
    reviewed_by,
    quarantined_at,
    gone_at,
    unreadable: gone_at === null ? await unreadableSchema(row.definition) : undefined,
  }
}

function claimOf(definition: string): boolean | undefined {
  const { annotations } = JSON.parse(definition) as { annotations?: { readOnlyHint?: boolean } }
  return annotations?.readOnlyHint
}

function stateOf({ reviewed_definition: reviewed, quarantined_at: at }: ReviewedToolRow): ToolState {
  if (reviewed === null) return 'unreviewed'
  return at === null ? 'reviewed' : 'quarantined'
}

/** Names and hashes have no space, so that two lists never look the same. */
const digestOf = (rows: ReviewedToolRow[]): string =>
  createHash('sha256')
    .update(rows.map(({ tool, hash }) => `${tool} ${hash}\n`).join(''))
    .digest('hex')

const changedSince = (upstream: string) =>
  new GateError(
    'conflict',
    `The tools of ${upstream} changed since you read them, or some were reviewed. Nothing was approved. Review them again.`,
  )

const otherRule = (result: string) =>
  new GateError(
    'conflict',
    `Someone set another rule since this page was shown. ${result}. The page now has the new rule.`,
  )

const noTool = (upstream: string, tool: string) =>
  new GateError('not_found', `${upstream} lists no tool ${tool}.`)
