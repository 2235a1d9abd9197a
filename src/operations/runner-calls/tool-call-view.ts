import type { RunnerToolPayload } from '../../actions/runner-tool/kind.ts'
import type { ApprovedFiles } from '../../db/queries/runner/approved-files.ts'
import type { ToolCallToKeep } from '../../db/queries/runner/tool-consents.ts'
import { type Json, canonical } from '../../gate/canonical.ts'
import { keepInput } from '../../gate/runner-calls/kept-input.ts'
import { maskSecrets } from '../../gate/runner-calls/mask.ts'
import type { ToolVerdict } from '../../gate/runner-calls/rules.ts'
import type { ToolCall } from '../../gate/runner-calls/tool-call.ts'
import { isForShell } from '../../gate/runner-calls/tools.ts'
import { sha256 } from '../../ledger/digest.ts'
import { limits } from '../../limits.ts'
import { type BoundFiles, bindingOf, noFiles, payloadFiles, startsOf } from './bind-files.ts'

/** An input with the starts of its files: a longer card cannot be shown in Slack. */
const toolInputWithFilesCharsMax = 8_000

const toolInputMaskedCharsMax = 100_000

/** A tool call with what is derived from it. */
export interface DigestedCall {
  call: ToolCall
  /** SHA-256 of the input in its RFC 8785 form, hex. */
  inputDigest: string
  /** The input as JSON with secrets masked; null where it is too long to be kept. */
  input: string | null
  /** What identifies the call, for a repeat and for the report of its outcome. */
  ref: Buffer
  /** Everything that a repeat of the call must have in common with it. */
  binding: Buffer
  /** The files that it runs, where it needs consent. */
  bound: BoundFiles
}

/**
 * @param by  the key and the member that the runner asks for
 * @param bound  the files that a consent to it is bound to
 */
export function digested(
  call: ToolCall,
  by: { keyId: string; memberId: string },
  bound: BoundFiles = noFiles,
): DigestedCall {
  const whole = canonical(call.input)
  const inputDigest = sha256(whole).toString('hex')
  return {
    call,
    inputDigest,
    input: inputToKeep(call, whole),
    ref: toolCallRef(by.keyId, { ...call, inputDigest }),
    binding: hashOf(
      'binding',
      by.memberId,
      by.keyId,
      call.runner,
      call.session,
      call.cwd,
      call.mcpServer,
      call.tool,
      inputDigest,
      ...(bound.files.length === 0 ? [] : [canonical(bindingOf(bound))]),
    ),
    bound,
  }
}

/** @param whole  the input in its RFC 8785 form */
function inputToKeep(call: ToolCall, whole: string): string | null {
  // Masked secrets shorten a text, but not so much.
  if (whole.length > toolInputMaskedCharsMax) return null
  const input = canonical(masked(call.input, (field) => isForShell(call, field)))
  return input.length <= limits.toolInputKeptCharsMax ? input : null
}

export const digestOf = (input: ToolCall['input']): string => sha256(canonical(input)).toString('hex')

/**
 * What identifies a call of a key: the runner's id of it; where it gives none, what is called. Two such calls within
 * `limits.toolCallSameMs` are one.
 */
export function toolCallRef(
  keyId: string,
  call: Pick<ToolCall, 'runner' | 'session' | 'callId' | 'tool'> & { inputDigest: string },
): Buffer {
  const { runner, session, callId, tool, inputDigest } = call
  return callId === null
    ? hashOf('same', keyId, runner, session, tool, inputDigest)
    : hashOf('id', keyId, runner, session, callId)
}

const hashOf = (...parts: (string | null)[]): Buffer => sha256(canonical(parts))

/** What a row keeps of the call: its input, and how the files begin that it runs. */
export const inputWithFiles = ({ input, bound }: DigestedCall, approved: ApprovedFiles): string | null =>
  input === null ? null : keepInput(input, startsOf(bound, approved), toolInputWithFilesCharsMax)

/** The call as a row shows it. @param approved  files as they were approved before */
export function payloadOf(
  { call, inputDigest, bound }: DigestedCall,
  { effect, rule, note, neededTier, consent }: ToolVerdict,
  approved: ApprovedFiles = new Map(),
): RunnerToolPayload {
  const files = payloadFiles(bound, approved)
  return {
    runner: call.runner,
    ...present('runner_version', call.runnerVersion),
    ...present('session', call.session),
    ...present('call_id', call.callId),
    ...present('agent_id', call.agentId),
    tool: call.tool,
    input_digest: inputDigest,
    ...present('cwd', call.cwd),
    ...present('mcp_server', call.mcpServer),
    effect,
    ...present('rule', rule),
    note,
    ...present('required_tier', neededTier),
    ...present('required_consent', consent),
    ...present('files', files.length === 0 ? null : files),
    ...present('unbound', bound.unbound.length === 0 ? null : bound.unbound),
  }
}

/** The call as it is kept beside its row. */
export const toKeep = (
  { call, input, ref, binding }: DigestedCall,
  { effect, rule }: Pick<ToolVerdict, 'effect' | 'rule'>,
): ToolCallToKeep => ({
  binding,
  runner: call.runner,
  tool: call.tool,
  effect,
  ref,
  rule,
  call: readAgain(call, input),
})

/** What rules read, for a dry run: null where the input is too long. */
export const readAgain = ({ cwd, mcpServer }: ToolCall, input: string | null): string | null =>
  input === null || input.length > limits.toolInputReadAgainCharsMax
    ? null
    : // In RFC 8785 form, as the input already is.
      `{"cwd":${canonical(cwd)},"input":${input},"mcp_server":${canonical(mcpServer)}}`

const present = <Name extends string, Value>(name: Name, value: Value | null) =>
  (value === null ? {} : { [name]: value }) as { [N in Name]?: Value }

function masked(value: Json, isCommand: (field: string) => boolean, field = ''): Json {
  if (typeof value === 'string') return maskSecrets(value, isCommand(field))
  if (Array.isArray(value)) return value.map((item) => masked(item, isCommand, field))
  if (typeof value !== 'object' || value === null) return value
  const fields = new Map<string, Json>()
  for (const [name, of] of Object.entries(value)) {
    const shown = maskSecrets(name, isCommand(field))
    // Two names that are masked alike are still two fields: none may take the other's place on the card.
    fields.set(
      fields.has(shown) || (shown !== name && Object.hasOwn(value, shown))
        ? `${shown} (${fields.size + 1})`
        : shown,
      masked(of ?? null, isCommand, isCommand(field) ? field : name),
    )
  }
  return Object.fromEntries(fields)
}
