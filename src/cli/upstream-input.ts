import type { ToolRule } from '../gate/declared/tool-rule.ts'
import { limits } from '../limits.ts'
import { parseInput } from '../operations/parse.ts'
import { headerLines } from '../operations/upstreams/fields.ts'
import { ruleDocument } from '../operations/upstreams/rule-document.ts'
import type { Header, NewUpstream } from '../operations/upstreams/servers.ts'
import { readFileOption, readJsonOption } from './read-file-option.ts'
import { UsageError } from './verb.ts'

interface HeaderOptions {
  header: Header[]
  headers: string | undefined
}

/** A server as the options of `gate upstream add` describe it. @throws UsageError */
export function newUpstream(
  given: HeaderOptions & { name: string; url: string | undefined; command: string | undefined },
): NewUpstream {
  const sent = headersOf(given)
  if (given.command === undefined) return { name: given.name, url: given.url!, headers: sent }
  if (sent.length > 0) throw new UsageError('a command has no headers: give it an environment in its file')
  return { name: given.name, command: given.command }
}

/** The headers of the options and of their file. @throws UsageError */
export function headersOf({ header, headers: from }: HeaderOptions): Header[] {
  const read = headerLines.safeParse(from === undefined ? '' : readFileOption('headers', from))
  if (!read.success) throw new UsageError(`--headers ${read.error.issues[0]!.message}`)
  const all = [...header, ...read.data]
  if (all.length > limits.upstreamHeadersMax)
    throw new UsageError(`at most ${limits.upstreamHeadersMax} headers can be sent`)
  return all
}

interface RuleOptions {
  rule: ToolRule['rule'] | undefined
  tier: string | undefined
  consent: string | undefined
  idempotent: boolean
  file: string | undefined
}

/** The rule of the options or of their file. @throws UsageError, GateError `invalid` */
export function ruleOf({ rule, tier: needed, consent, idempotent, file: from }: RuleOptions): ToolRule {
  if (from !== undefined) {
    if (needed !== undefined || consent !== undefined || idempotent)
      throw new UsageError('--file has the whole rule: leave the other options out')
    return parseInput(ruleDocument, readJsonOption('file', from))
  }
  const isPlain = needed === undefined && consent === undefined
  return parseInput(ruleDocument, {
    rule,
    ...(isPlain
      ? {}
      : { requires: { tier: needed ?? 'write', ...(consent === undefined ? {} : { consent }) } }),
    ...(idempotent ? { is_idempotent: true } : {}),
  })
}
