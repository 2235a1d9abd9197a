import { SpanStatusCode } from '@opentelemetry/api'
import { expect, test } from '@jest/globals'
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base'
import { shownSpans } from '../../src/telemetry/traces/shown-spans.ts'

test('a span leaves the process with what is known to hold no payload, whatever a library puts on it', async () => {
  const kept = new InMemorySpanExporter()
  const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(shownSpans(kept))] })
  const span = provider.getTracer('test').startSpan('RunActivity:performStep', {
    attributes: {
      'gate.action': 7,
      run_id: 'r',
      'http.request.body': 'quokka',
      temporalTerminateReason: 'quokka',
    },
  })
  span.recordException(new Error('column "message" of quokka'))
  span.addEvent('quokka', { of: 'quokka' })
  span.setStatus({ code: SpanStatusCode.ERROR, message: 'quokka' })
  span.end()
  const [shown] = kept.getFinishedSpans()
  expect(shown!.name).toBe('RunActivity:performStep')
  expect(shown!.attributes).toEqual({ 'gate.action': 7, run_id: 'r' })
  expect(shown!.events).toEqual([])
  expect(shown!.status).toEqual({ code: SpanStatusCode.ERROR })
  expect(shown!.spanContext().traceId).toBe(span.spanContext().traceId)
  expect(shown!.duration).toEqual(expect.any(Array))
})
