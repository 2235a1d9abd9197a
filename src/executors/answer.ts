import { InexactJson, parseExactJson } from '../gate/json/exact-json.ts'
import { isStorableJson } from '../gate/json/json-shape.ts'
import { limits } from '../limits.ts'

/** How deep the JSON of an answer may be nested. */
const executorAnswerDepthMax = 64

/** What an executor says of what it did. */
export interface Answered {
  /** JSON text. Absent: it said nothing, or what it said is not kept. */
  result?: string
  leftOut?: 'too_large' | 'not_json' | 'not_exact'
}

/**
 * The JSON of an answer that says that it was done. What the database cannot keep counts as no JSON; what other readers read
 * otherwise is not kept, because the gate would show and digest another value. Pure.
 */
export function answerOf(body: Buffer | undefined): Answered {
  if (body === undefined) return { leftOut: 'too_large' }
  if (body.length === 0) return {}
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(body)
    const value = parseExactJson(text)
    if (!isStorableJson(value, executorAnswerDepthMax)) return { leftOut: 'not_json' }
    const result = JSON.stringify(value)
    // Numbers can become longer than they came.
    return Buffer.byteLength(result) > limits.executorAnswerBytesMax ? { leftOut: 'too_large' } : { result }
  } catch (error) {
    return { leftOut: error instanceof InexactJson ? 'not_exact' : 'not_json' }
  }
}
