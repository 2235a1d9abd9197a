import { z } from 'zod'
import { requestedStrengths } from '../../gate/consent.ts'
import { runnerMandateKind, runnerNames, runners } from '../../gate/runner-calls/tool-call.ts'
import { tiers } from '../../gate/tier.ts'
import { limits } from '../../limits.ts'
import { type ActionKind, type Summary, outcomes } from '../kind.ts'
import { stoppedFields, stoppedParts } from '../runner-tool/stopped.ts'
import { mandatePerformer } from '../mandate/perform.ts'

/** What a member allows in advance: these commands, each exactly so, in one folder of one machine. */
const payload = z.strictObject({
  runner: z.enum(runners),
  tool: z.string(),
  cwd: z.string(),
  /** Each in its words, with one space between. */
  commands: z.array(z.string()).min(1).max(limits.mandateCommandsMax),
  days: z.number(),
  /** The programs and manifests that they run, as they were; without a digest: there was no such file. */
  pinned_to: z.array(z.strictObject({ path: z.string(), sha256: z.string().optional() })),
  /** SHA-256 of the rule that asked about them, hex. */
  rule_digest: z.string(),
  required_tier: z.enum(tiers).optional(),
  required_consent: z.enum(requestedStrengths),
  ...stoppedFields,
})
export type RunnerMandatePayload = z.output<typeof payload>

/** A member's consent to a project's own tools, for a time. The gate proposes it after the member has approved such calls. */
export const runnerMandate: ActionKind<RunnerMandatePayload> = {
  kind: runnerMandateKind,
  payload,
  defaultRule: { tier: 'guarded_write', consent: 'chat' },
  isHttpProposable: false,
  reaches: 'nobody',
  expiresAfterMs: 86_400_000,
  shows: {
    payload,
    result: z.object({ outcome: z.enum(outcomes), in_force_until: z.string().optional() }),
  },
  requires: ({ required_tier: tier = 'read_only', required_consent: consent }) => ({
    tier,
    consent,
    rule: 'A mandate requires what each of its calls requires',
  }),
  summary,
  outcome: ({ commands, days }) => `Allowed: ${commandsOf(commands)} for ${days} days without asking`,
  performer: mandatePerformer,
}

const commandsOf = ({ length }: string[]): string => (length === 1 ? '1 command' : `${length} commands`)

function summary(given: RunnerMandatePayload): Summary {
  const { runner, tool, cwd, commands, days, pinned_to: pins } = given
  const { facts, written } = stoppedParts(given)
  const isPlain = plain.test(cwd)
  const folder: [string, string][] = [['Folder', cwd]]
  return {
    title: `Let ${runnerNames[runner]} run ${commandsOf(commands)} for ${days} days without asking`,
    written: [['Commands', commands.join('\n')], ...(isPlain ? [] : folder), ...written],
    facts: [
      ...(isPlain ? folder : []),
      ...facts,
      ['Covers', `exactly these commands in this folder, from this machine. ${passedOn}`],
      ['Pinned to', pinWords(pins)],
      [
        'Risk',
        'they run other files of the folder, such as tests, which the agent can change: they can do all that you can do there',
      ],
      ['Ends', `${days} days after you approve, or when you or an administrator end it in the console`],
      ['If you decline', 'you are asked about each call as before'],
    ],
    details: [['Tool', tool]],
  }
}

/** Files that are there. That one is missing counts too, and needs no words. */
function pinWords(pins: RunnerMandatePayload['pinned_to']): string {
  const shown = pins.filter(({ path, sha256 }) => sha256 !== undefined && plain.test(path))
  if (shown.length === 0)
    return 'the words of the commands alone: the gate knows no file that says what they do'
  return `${shown.map(({ path, sha256 }) => `${path} (SHA-256 ${sha256!.slice(0, 16)})`).join(', ')}. You are asked again once it is changed`
}

const plain = /^[\w./@+-]{1,200}$/

const passedOn = 'Their output may be cut by head, tail, grep, wc, sort, uniq or cat'
