import { SpanKind, SpanStatusCode, type Tracer, trace } from '@opentelemetry/api'
import type { Db } from '../../db/connect.ts'

/**
 * A database whose statements have a span, named after the function that has the statement: there is one function a statement.
 * What nobody's trace is under way for has none, as the polling of loops.
 */
export function tracedDb(db: Db, tracer: Tracer): Db {
  const traced = <T>(below: (...args: never[]) => unknown, run: () => Promise<T>): Promise<T> => {
    if (trace.getActiveSpan() === undefined) return run()
    const options = { kind: SpanKind.CLIENT, attributes: { 'db.system': 'postgresql' } }
    return tracer.startActiveSpan(callerOf(below), options, async (span) => {
      try {
        return await run()
      } catch (error) {
        span.setStatus({ code: SpanStatusCode.ERROR })
        throw error
      } finally {
        span.end()
      }
    })
  }
  const observed: Db = {
    ...db,
    read: (statement) => traced(observed.read, () => db.read(statement)),
    run: (statement) => traced(observed.run, () => db.run(statement)),
    once: (statement) => traced(observed.once, () => db.once(statement)),
  }
  return observed
}

/** The name of the function that called this one. */
function callerOf(below: (...args: never[]) => unknown): string {
  const { stackTraceLimit } = Error
  const held: { stack?: string } = {}
  Error.stackTraceLimit = 1
  Error.captureStackTrace(held, below)
  Error.stackTraceLimit = stackTraceLimit
  const name = /\n {4}at (?:async )?(?:Object\.)?([\w$]+) \(/.exec(held.stack ?? '')?.[1]
  return `statement ${name ?? 'unnamed'}`
}
