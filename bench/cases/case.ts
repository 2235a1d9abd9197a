import type { Comparison } from '../support/load.ts'
import type { Finding } from '../report.ts'
import type { Services } from '../support/services.ts'

export interface CaseOptions {
  /** Seconds to measure each side, for each number of clients. */
  seconds: number
  /** Open proposals in the case `open`. */
  open: number
  log: (line: string) => void
}

export interface BenchCase {
  name: string
  /** Runs only when it is named. */
  isOnRequest?: true
  run(services: Services, options: CaseOptions): Promise<Finding[]>
}

/** The numbers of clients of one account. */
export const clientCounts = [1, 16]

/** A finding that compares rates, with the latencies of both sides. */
export function byRate(
  name: string,
  clients: number,
  compared: Comparison,
  target?: Finding['target'],
): Finding {
  const { ours, bare, rateRatio } = compared
  return {
    case: name,
    clients,
    unit: '/s',
    ours: ours.perSecond,
    bare: bare.perSecond,
    ratio: rateRatio,
    ...(target ? { target } : {}),
    more: latencies(compared),
  }
}

/** A finding that compares median latencies. */
export function byLatency(
  name: string,
  clients: number,
  compared: Comparison,
  target?: Finding['target'],
): Finding {
  const { ours, bare, p50Ratio } = compared
  return {
    case: name,
    clients,
    unit: 'ms p50',
    ours: ours.p50Ms,
    bare: bare.p50Ms,
    ratio: p50Ratio,
    ...(target ? { target } : {}),
    more: latencies(compared),
  }
}

function latencies({ ours, bare }: Comparison): Record<string, number> {
  return {
    ours_p50_ms: ours.p50Ms,
    ours_p99_ms: ours.p99Ms,
    ours_per_second: ours.perSecond,
    bare_p50_ms: bare.p50Ms,
    bare_p99_ms: bare.p99Ms,
    bare_per_second: bare.perSecond,
  }
}
