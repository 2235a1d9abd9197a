import type { EntryKind } from '../../gate/lifecycle.ts'
import { resultWords } from '../../gate/result-words.ts'
import { upstreamKind } from '../../gate/declared/upstream-call.ts'
import type { Words } from './entry-words.ts'
import { withoutStop } from './without-stop.ts'

type UpstreamEntryKind = Extract<EntryKind, 'tool_called' | 'tool_answered' | 'tool_not_called'>

/** The words of entries about calls of tools of MCP servers that were passed on without consent. */
export const upstreamWords: Record<UpstreamEntryKind, Words> = {
  tool_called: ({ text }) => `Passed on: ${withoutStop(text('rule') ?? 'rule not recorded')}`,
  tool_answered: ({ data }) => resultWords(upstreamKind, data),
  tool_not_called: ({ data }) => resultWords(upstreamKind, data),
}
