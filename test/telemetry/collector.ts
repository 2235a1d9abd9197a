import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A span as a collector gets it. */
export interface CollectedSpan {
  name: string
  traceId: string
  spanId: string
  parentSpanId: string | undefined
  attributes: Record<string, string>
}

export interface Collector {
  url: string
  spans: CollectedSpan[]
  /** Everything that it was sent, as it was sent. */
  bodies: string[]
  stop(): Promise<void>
}

/** A collector of OpenTelemetry: takes OTLP over HTTP as JSON. */
export async function startCollector(): Promise<Collector> {
  const spans: CollectedSpan[] = []
  const bodies: string[] = []
  const server = createServer((request, response) => {
    const parts: Buffer[] = []
    request.on('data', (part: Buffer) => parts.push(part))
    request.on('end', () => {
      const body = Buffer.concat(parts).toString('utf8')
      bodies.push(body)
      spans.push(...spansIn(JSON.parse(body)))
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    bodies,
    async stop() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

const spansIn = (sent: any): CollectedSpan[] =>
  sent.resourceSpans.flatMap(({ scopeSpans }: any) =>
    scopeSpans.flatMap(({ spans }: any) =>
      spans.map(({ name, traceId, spanId, parentSpanId, attributes }: any) => ({
        name,
        traceId,
        spanId,
        parentSpanId: parentSpanId || undefined,
        attributes: Object.fromEntries(
          attributes.map(({ key, value }: any) => [key, String(Object.values(value)[0])]),
        ),
      })),
    ),
  )

/** The names of a span and those above it, from the top. */
export function pathOf(spans: CollectedSpan[], span: CollectedSpan): string[] {
  const parent = spans.find(({ spanId }) => spanId === span.parentSpanId)
  return [...(parent ? pathOf(spans, parent) : []), span.name]
}
