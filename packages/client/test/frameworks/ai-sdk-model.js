import { MockLanguageModelV3 } from 'ai/test'
import { lunch } from './scene.mjs'

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
}

/** A model that makes the calls of one turn, unless it has their results. */
export const modelOf = (turn) =>
  new MockLanguageModelV3({
    doGenerate: async ({ prompt }) => {
      const isCalled = prompt.some(({ role }) => role === 'tool')
      const calls = turn.map(({ name, args, id }) => ({
        type: 'tool-call',
        toolCallId: id,
        toolName: name,
        input: JSON.stringify(args),
      }))
      return {
        content: isCalled ? [{ type: 'text', text: 'That is all.' }] : calls,
        finishReason: isCalled ? { unified: 'stop' } : { unified: 'tool-calls' },
        usage,
        warnings: [],
      }
    },
  })

export const model = modelOf([lunch])
