import { z } from 'zod'
import { requestedStrengths } from '../../gate/consent.ts'
import { unboundReasons } from '../../gate/runner-calls/files/found-files.ts'
import {
  fileProblems,
  problemWords,
  shownWords,
  unboundWords,
} from '../../gate/runner-calls/files/file-words.ts'
import { type FileStart, readKeptInput } from '../../gate/runner-calls/kept-input.ts'
import { effects, runnerKind, runnerNames, runners } from '../../gate/runner-calls/tool-call.ts'
import { tiers } from '../../gate/tier.ts'
import { type ActionKind, type Summary, outcomes } from '../kind.ts'
import { runnerToolPerformer } from './perform.ts'
import { stoppedFields, stoppedParts } from './stopped.ts'

/** A tool call as a row shows it. What the call carries is stored beside it: here is only its digest. */
const payload = z.strictObject({
  runner: z.enum(runners),
  runner_version: z.string().optional(),
  session: z.string().optional(),
  call_id: z.string().optional(),
  agent_id: z.string().optional(),
  tool: z.string(),
  /** SHA-256 of the input in its RFC 8785 form, hex. */
  input_digest: z.string(),
  cwd: z.string().optional(),
  mcp_server: z.string().optional(),
  effect: z.enum(effects),
  /** The rule of the policy that decided, from 1; absent: none matched. */
  rule: z.number().optional(),
  note: z.string().optional(),
  required_tier: z.enum(tiers).optional(),
  required_consent: z.enum(requestedStrengths).optional(),
  /** The files of the folder that it runs: a consent is bound to what they are. */
  files: z
    .array(
      z.strictObject({
        path: z.string(),
        /** Digest of the file's bytes, hex; absent: it was not read. */
        sha256: z.string().optional(),
        problem: z.enum(fileProblems).optional(),
        /** The action in which its member last approved a call that runs it: with these bytes, or with others. */
        same_as: z.number().optional(),
        changed_since: z.number().optional(),
      }),
    )
    .optional(),
  /** What a consent is not bound to. */
  unbound: z.array(z.enum(unboundReasons)).optional(),
  ...stoppedFields,
})
export type RunnerToolPayload = z.output<typeof payload>

/** A tool call of an agent runner: a row where it was refused, or where a rule requires the member's consent. */
export const runnerTool: ActionKind<RunnerToolPayload> = {
  kind: runnerKind,
  payload,
  defaultRule: { tier: 'read_only', consent: 'chat' },
  isHttpProposable: false,
  reaches: 'nobody',
  expiresAfterMs: 86_400_000,
  shows: {
    payload,
    result: z.object({ outcome: z.enum(outcomes), usable_until: z.string().optional() }),
  },
  requires: ({ tool, note, required_tier: tier = 'read_only', required_consent: consent = 'chat' }) => ({
    tier,
    consent,
    rule: note ?? `This ${tool} call requires consent`,
  }),
  summary: summaryOf,
  outcome: ({ tool }) => `Approved: ${tool} can run once`,
  performer: runnerToolPerformer,
}

function summaryOf(payload: RunnerToolPayload, { input }: { input: string | null }): Summary {
  const {
    runner,
    tool,
    cwd,
    mcp_server: server,
    effect,
    agent_id: agent,
    session,
    input_digest: digest,
    files = [],
    unbound = [],
  } = payload
  const stopped = stoppedParts(payload)
  const named: [string, string][] = [
    ['Tool', tool],
    ...optional('Folder', cwd),
    ...optional('MCP server', server),
  ]
  const asking = [...optional('Subagent', agent), ...optional('Session', session)]
  const odd = [...named, ...asking].filter((pair) => !isPlain(pair))
  const kept = input === null ? { input: {}, starts: [] } : readKeptInput(input)
  return {
    title: `Run a tool on the machine of ${runnerNames[runner]}`,
    facts: [
      ...stopped.facts,
      ...named.filter(isPlain),
      ['Effect', effectWords[effect]],
      ...files.map((file, at): [string, string] => [`File ${at + 1}`, fileWords(file)]),
      ...(unbound.length === 0
        ? []
        : [['Not bound', unbound.map((reason) => unboundWords[reason]).join('; ')] as [string, string]]),
    ],
    written: [...fieldsOf(kept.input), ...odd, ...oddPaths(files), ...stopped.written],
    files: files.flatMap(({ path }, at) =>
      kept.starts.filter((start) => start.path === path).map((start) => startWords(start, at + 1)),
    ),
    details: [...asking.filter(isPlain), ['Input digest', digest.slice(0, 16)]],
  }
}

/** Names that can be taken for nothing else. Others are shown as text of the agent. */
const isPlain = ([, name]: [string, string]): boolean => /^[\w./@+-]{1,200}$/.test(name)

const optional = (label: string, value: string | undefined): [string, string][] =>
  value === undefined ? [] : [[label, value]]

/** Each field of the input, as the agent wrote it. */
function fieldsOf(input: Record<string, unknown>): [string, string][] {
  return Object.entries(input).map(([name, value], at) => {
    const text = typeof value === 'string' ? value : JSON.stringify(value)
    // Labels are the gate's: a name that could be a sentence is text of the agent too.
    return isFieldName(name) ? [name, text] : [`Field ${at + 1}`, `${JSON.stringify(name)}: ${text}`]
  })
}

const isFieldName = (name: string): boolean => /^[\w.$-]{1,64}$/.test(name)

type File = NonNullable<RunnerToolPayload['files']>[number]

/** A file that it runs, and whether it was changed since its member approved it. */
function fileWords({ path, problem, same_as: same, changed_since: changed }: File): string {
  const state = problem
    ? problemWords[problem]
    : same !== undefined
      ? `as approved in action ${same}`
      : changed !== undefined
        ? `CHANGED since action ${changed}`
        : 'not approved before'
  return isPlain(['', path]) ? `${path}, ${state}` : state
}

/** Names that are shown as text of the agent. */
const oddPaths = (files: File[]): [string, string][] =>
  files.flatMap(({ path }, at) => (isPlain(['', path]) ? [] : [[`File ${at + 1}`, path] as [string, string]]))

function startWords({ path, text, shows, newLines }: FileStart, number: number): [string, string] {
  const name = isPlain(['', path]) ? path : `file ${number}`
  const what = shownWords[shows]
  if (newLines === undefined) return [`${what} ${name}`, text]
  const few = newLines.slice(0, newLinesMax).join(', ')
  const isNew =
    newLines.length === 0 ? 'no new line' : `new: line ${few}${newLines.length > newLinesMax ? ', …' : ''}`
  return [`${what} ${name}, ${isNew}`, text]
}

const newLinesMax = 20

const effectWords: Record<RunnerToolPayload['effect'], string> = {
  reads: 'reads files in the folder',
  reads_outside: 'reads files outside the folder',
  edits_inside: 'changes files in the folder',
  edits_outside: 'changes files outside the folder',
  network: 'uses the network',
  credentials: 'touches credentials',
  runs: 'runs a program: it can do anything that the person at the machine can',
  unknown: 'not known to the gate',
}
