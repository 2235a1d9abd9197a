import { isUtf8 } from 'node:buffer'
import { parseExactJson } from '../gate/json/exact-json.ts'
import { kept } from '../waiting/kept.ts'
import { timeLimit } from '../waiting/time-limit.ts'
import { boundedBody } from './bounded-body.ts'
import { CallFailure, type Network, sendGuarded } from './guarded-request.ts'

/** What programs say of themselves at their addresses. */
export interface Documents {
  /** Reads a JSON document. @throws CallFailure where there is none, or too many are being read */
  read(url: string): Promise<unknown>
}

const timeoutMs = 5_000
const underWayMax = 10
/** Names are looked up in a turn of their own, so that no account waits for them. */
const turn = 'documents'

/**
 * Reads documents as executors are called: checked, pinned, without redirects. Anyone can have one read, so few are read at once,
 * and what was read, or could not be, is kept for a while.
 */
export function documents(network: Network, bytesMax: number): Documents {
  const read = kept<unknown>({ ms: 600_000, max: 500 })
  const failed = kept<CallFailure>({ ms: 30_000, max: 500 })
  const underWay = new Map<string, Promise<unknown>>()
  async function fetchNow(url: string): Promise<unknown> {
    const { signal, clear } = timeLimit(timeoutMs)
    try {
      const headers = { accept: 'application/json' }
      const answer = await sendGuarded(network, { account: turn, url, method: 'GET', headers }, signal)
      try {
        const isJson = /^application\/(?:[\w.-]+\+)?json\b/i.test(answer.headers['content-type'] ?? '')
        if (answer.statusCode !== 200 || !isJson) throw new CallFailure('no_document', false)
        const body = await boundedBody(answer, bytesMax, signal)
        if (body === undefined) throw new CallFailure('too_large', false)
        if (!isUtf8(body)) throw new CallFailure('no_document', false)
        return parseExactJson(body.toString('utf8'))
      } finally {
        answer.destroy()
      }
    } catch (error) {
      throw error instanceof CallFailure ? error : new CallFailure('no_document', false)
    } finally {
      clear()
    }
  }
  return {
    async read(url) {
      const known = read.get(url)
      if (known) return known.value
      const failure = failed.get(url)
      if (failure) throw failure.value
      const same = underWay.get(url)
      if (same) return same
      if (underWay.size >= underWayMax) throw new CallFailure('busy', true)
      const reading = fetchNow(url)
        .then(
          (document) => {
            read.keep(url, document)
            return document
          },
          (error: CallFailure) => {
            failed.keep(url, error)
            throw error
          },
        )
        .finally(() => underWay.delete(url))
      underWay.set(url, reading)
      return reading
    },
  }
}
