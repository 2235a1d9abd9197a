import { z } from 'zod'
import { type AccountKinds, kindsOf } from '../../actions/account-kinds.ts'
import { parseExactJson } from '../../gate/json/exact-json.ts'
import { isCurrency } from '../../gate/money.ts'
import { type Policy, withLimits } from '../../gate/policy.ts'
import { posture } from '../../gate/posture.ts'
import { presets } from '../../gate/preset.ts'
import { type Runner, runnerKind } from '../../gate/runner-calls/tool-call.ts'
import { type Tier, tiers } from '../../gate/tier.ts'
import { limits } from '../../limits.ts'
import {
  type CallQuestion,
  explainCall,
  folder,
  mcpServerName,
  runnerName,
  toolInput,
  toolName,
} from '../../operations/runner-calls/explain-call.ts'
import { eligibleInPolicy } from '../../operations/approvers/eligible.ts'
import { type PolicyDeps, policyInForce } from '../../operations/policy/policy-in-force.ts'
import { type Question, explainPolicy } from '../../operations/policy/explain-policy.ts'
import { parsePolicyDocument } from '../../operations/policy/parse-policy-document.ts'
import { presetDocument } from '../../operations/policy/preset-document.ts'
import { setPolicy } from '../../operations/policy/set-policy.ts'
import type { PolicyDocument } from '../../operations/policy/policy-document.ts'
import { diffPolicies } from '../../operations/policy/diff-policies.ts'
import { account } from '../account-option.ts'
import type { CliContext } from '../context.ts'
import { line, tier } from '../../operations/entered-fields.ts'
import { wholeNumber } from '../../operations/whole-number.ts'
import { readFileOption } from '../read-file-option.ts'
import { UsageError, defineVerb, flag, optional, required } from '../verb.ts'

const policyVersionMax = 1_000_000_000

const currency = z.string().refine(isCurrency, 'must be a supported currency, such as usd')
const note = optional('NOTE', line(limits.policyNoteCharsMax), 'Why it changes', 'Raise refunds for the sale')
const withoutApprovals = flag(
  'Also where approvers would have to agree: when none of them can be reached. The entry says so',
)
const inFull = (policy: Policy) => JSON.stringify(policy, null, 2)

export const policyVerbs = {
  show: defineVerb({
    summary: 'Show the policy in force, including defaults',
    options: { account },
    run: async (context, given) => withLimits(await policyInForce(depsOf(context), given.account)),
    text: inFull,
  }),

  set: defineVerb({
    summary: 'Replace the rules of the kinds in a policy document; other kinds do not change',
    options: {
      account,
      file: required(
        'FILE',
        z.string().min(1, 'must name a file'),
        'JSON file with the policy document',
        'policy.json',
      ),
      note,
      'without-approvals': withoutApprovals,
    },
    async run(context, given) {
      const target = { ...depsOf(context), account: given.account, session: null }
      const read = readDocument(given.file)
      const document = read(await target.kinds.now(given.account))
      if (given['without-approvals'] && given.note === undefined)
        throw new UsageError('--without-approvals needs a --note that says why.')
      const options = { withoutApprovals: given['without-approvals'] }
      const set = await setPolicy(target, document, given.note, options)
      for (const { kind, warning } of await eligibleInPolicy(target, given.account, set))
        if (warning !== undefined) context.say(`${kind}: ${warning}`)
      return withLimits(set)
    },
    text: inFull,
  }),

  restore: defineVerb({
    summary: 'Set the document of an earlier version again, as a new version',
    options: {
      account,
      version: required('N', wholeNumber(1, policyVersionMax), 'The version to restore', '3'),
      note,
    },
    async run(context, given) {
      const target = { ...depsOf(context), account: given.account, session: null }
      return withLimits(await setPolicy(target, { restores: given.version }, given.note))
    },
    text: inFull,
  }),

  preset: defineVerb({
    summary: 'Set the consent that every kind requires; amounts, tiers and limits do not change',
    options: {
      preset: required(
        presets.join('|'),
        z.enum(presets, `must be one of ${presets.join(', ')}`),
        'The preset: see docs/cli.md',
        'standard',
      ),
      account,
      'dry-run': flag('Show what would change, and change nothing'),
    },
    word: 'preset',
    shown: ['dry-run'],
    async run(context, given): Promise<PresetAnswer> {
      const deps = depsOf(context)
      const { inForce, document } = await presetDocument(deps, given.account, given.preset)
      const next = given['dry-run']
        ? { ...inForce, kinds: { ...inForce.kinds, ...document.kinds } }
        : await setPolicy({ ...deps, account: given.account, session: null }, document)
      return {
        preset: given.preset,
        version: next.version,
        changes: diffPolicies(inForce, next)
          .filter(({ change }) => change !== 'same')
          .map(({ change, text }) => `${change === 'added' ? '+' : '-'} ${text}`),
        agents_word: posture(next),
        is_dry_run: given['dry-run'],
      }
    },
    text: ({ preset, version, changes, agents_word, is_dry_run: isDryRun }: PresetAnswer) =>
      [
        ...(changes.length === 0 ? ['no rule changes'] : changes),
        '',
        isDryRun
          ? `preset ${preset}: not set (dry run); version ${version} stays in force`
          : `preset ${preset}: version ${version} is in force`,
        `agent's word alone${isDryRun ? ` with ${preset}` : ''}: ${agents_word}`,
      ].join('\n'),
  }),

  explain: defineVerb({
    summary: 'Explain whether a tier is sufficient for an action, by which rule, and who else must approve',
    options: {
      account,
      kind: required('KIND', line(limits.kindCharsMax), 'Kind of action', 'refund'),
      'amount-cents': optional(
        'N',
        wholeNumber(0, limits.amountCentsMax),
        'Amount in cents, for kinds with money',
        '25000',
      ),
      currency: optional('CURRENCY', currency, 'Currency of the amount', 'usd'),
      tier: required('TIER', tier, `Tier of the member: ${tiers.join(', ')}`, 'guarded_write'),
      'confirmed-cents': optional(
        'N',
        wholeNumber(0, limits.amountCentsMax),
        'Cents confirmed of the same subject in the last 24 hours',
        '5000',
      ),
      tool: optional('TOOL', toolName, 'For runner_tool: the tool, as the runner names it', 'Bash'),
      input: optional('JSON', toolInput, 'For runner_tool: its input; if absent: {}', '{"command":"ls"}'),
      runner: optional('RUNNER', runnerName, 'For runner_tool: the runner; if absent: claude', 'codex'),
      cwd: optional('PATH', folder, 'For runner_tool: the working folder', '/home/ada/project'),
      'mcp-server': optional('NAME', mcpServerName, 'For runner_tool: the MCP server of the tool', 'github'),
    },
    shown: ['amount-cents', 'currency'],
    run: async (context, given): Promise<object> =>
      given.kind === runnerKind
        ? explainCall(depsOf(context), given.account, callOf(given))
        : explainPolicy(depsOf(context), given.account, questionOf(given)),
  }),
}

interface ExplainOptions {
  kind: string
  'amount-cents': number | undefined
  currency: string | undefined
  tier: Tier
  'confirmed-cents': number | undefined
  tool: string | undefined
  input: CallQuestion['input']
  runner: Runner | undefined
  cwd: string | undefined
  'mcp-server': string | undefined
}

/** @throws UsageError where the options are those of another kind */
function callOf(given: ExplainOptions): CallQuestion {
  refuseOptions(given, ['amount-cents', 'currency', 'confirmed-cents'], `a tool call has no amount`)
  if (given.tool === undefined) throw new UsageError(`--kind ${runnerKind} needs --tool, such as --tool Bash`)
  const { tool, tier, input, runner, cwd, 'mcp-server': mcpServer } = given
  return { tool, tier, input, runner, cwd, mcpServer }
}

function questionOf(given: ExplainOptions): Question {
  refuseOptions(given, ['tool', 'input', 'runner', 'cwd', 'mcp-server'], `it is for --kind ${runnerKind}`)
  return {
    kind: given.kind,
    amountCents: given['amount-cents'],
    currency: given.currency,
    tier: given.tier,
    confirmedCents: given['confirmed-cents'],
  }
}

function refuseOptions(given: ExplainOptions, names: (keyof ExplainOptions)[], why: string): void {
  const foreign = names.find((name) => given[name] !== undefined)
  if (foreign !== undefined)
    throw new UsageError(`--${foreign} does not go with --kind ${given.kind}: ${why}`)
}

interface PresetAnswer {
  preset: string
  /** The version in force; with `--dry-run` the version before the change. */
  version: number
  /** Policy lines that are added (`+`) or removed (`-`). */
  changes: string[]
  agents_word: string
  is_dry_run: boolean
}

const depsOf = (context: CliContext): PolicyDeps => ({ db: context.db(), kinds: kindsOf(context.db()) })

/**
 * Reads a file before anything is asked of the database.
 * @returns parses it, for the kinds of an account
 * @throws UsageError if the file does not contain a policy document
 */
function readDocument(file: string): (kinds: AccountKinds) => PolicyDocument {
  const text = readFileOption('file', file, limits.policyDocumentCharsMax)
  return (kinds) => {
    try {
      return parsePolicyDocument(kinds, parseExactJson(text))
    } catch (error) {
      throw new UsageError(
        `--file ${file} is not a policy document: ${(error as Error).message.replace(/\.$/, '')}`,
      )
    }
  }
}
