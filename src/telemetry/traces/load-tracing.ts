import {
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  context,
  defaultTextMapGetter,
  propagation,
  trace,
} from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { W3CTraceContextPropagator } from '@opentelemetry/core'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { Resource } from '@opentelemetry/resources'
import { BasicTracerProvider, BatchSpanProcessor } from '@opentelemetry/sdk-trace-base'
import { OpenTelemetryPlugin } from '@temporalio/interceptors-opentelemetry/lib/plugin.js'
import { productVersion } from '../../process/version.ts'
import { finishesWithin } from '../../waiting/finishes-within.ts'
import type { ObserveCall } from '../../waiting/observe-call.ts'
import { shownSpans } from './shown-spans.ts'
import { tracedDb } from './traced-db.ts'
import { tracedStarts } from './traced-starts.ts'
import type { RequestSpan, Tracing } from './tracing.ts'

// What waits for a collector that is slow or gone. What does not fit is dropped: nothing waits for it.
const queue = {
  maxQueueSize: 2_048,
  maxExportBatchSize: 256,
  scheduledDelayMillis: 2_000,
  exportTimeoutMillis: 5_000,
}
const stopMs = 3_000

/**
 * @param url  of the collector, OTLP over HTTP. Headers come from OTEL_EXPORTER_OTLP_HEADERS, the share of sampled traces from
 * OTEL_TRACES_SAMPLER: OpenTelemetry reads them.
 */
export function loadTracing({ url, service }: { url: string; service: string }): Tracing {
  const exporter = new OTLPTraceExporter({ url, timeoutMillis: queue.exportTimeoutMillis })
  const resource = new Resource({ 'service.name': service, 'service.version': productVersion })
  const spanProcessor = new BatchSpanProcessor(shownSpans(exporter), queue)
  const provider = new BasicTracerProvider({ resource, spanProcessors: [spanProcessor] })
  provider.register({
    contextManager: new AsyncLocalStorageContextManager().enable(),
    propagator: new W3CTraceContextPropagator(),
  })
  const tracer = provider.getTracer('qualification-gate')
  return {
    request: (headers) => beginRequest(tracer, headers),
    db: (db) => tracedDb(db, tracer),
    call: tracedCall(tracer),
    plugin: new OpenTelemetryPlugin({ resource, spanProcessor, tracer }),
    ...tracedStarts(),
    async stop() {
      await finishesWithin(stopMs, provider.shutdown()).catch(() => undefined)
      for (const part of [trace, context, propagation]) part.disable()
    },
  }
}

function beginRequest(tracer: Tracer, headers: Record<string, unknown>): RequestSpan {
  const parent = propagation.extract(ROOT_CONTEXT, headers, defaultTextMapGetter)
  const span = tracer.startSpan('request', { kind: SpanKind.SERVER }, parent)
  const own = trace.setSpan(parent, span)
  return {
    traceId: span.spanContext().traceId,
    run: (next) => context.with(own, next),
    end({ name, status, attributes }) {
      span.updateName(name)
      span.setAttributes({ ...attributes, 'http.response.status_code': status })
      if (status >= 500) span.setStatus({ code: SpanStatusCode.ERROR })
      span.end()
    },
  }
}

const tracedCall =
  (tracer: Tracer): ObserveCall =>
  (provider, call, outcomes) => {
    const options = { kind: SpanKind.CLIENT, attributes: { 'gate.provider': provider } }
    return tracer.startActiveSpan(`call ${provider}`, options, async (span) => {
      try {
        const result = await call()
        span.setAttribute('gate.outcome', [...new Set(outcomes(result))].toSorted().join(','))
        return result
      } catch (error) {
        span.setStatus({ code: SpanStatusCode.ERROR })
        throw error
      } finally {
        span.end()
      }
    })
  }
