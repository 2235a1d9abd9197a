import type { Comparison } from '../support/load.ts'
import type { Finding } from '../report.ts'
import type { Services } from '../support/services.ts'

export interface CaseOptions {
  /** Seconds to measure each side, for each number of clients. */
  seconds: number
  /** Actions of the larger account in the case `list`. */
  rows: number
  /** Open proposals in the case `open`. */
  open: number
  /** Proposals that expire within a minute in the case `expiry`. */
  expiring: number
  /** Entries of the ledger in the case `seal`. */
  entries: number
  /** Full cycles in the case `memory`. */
  cycles: number
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

/** A finding that compares the slowest of a hundred. */
export function byTail(
  name: string,
  clients: number,
  { ours, bare, p99Ratio }: Pick<Comparison, 'ours' | 'bare' | 'p99Ratio'>,
  target?: Finding['target'],
): Finding {
  return {
    case: name,
    clients,
    unit: 'ms p99',
    ours: ours.p99Ms,
    bare: bare.p99Ms,
    ratio: p99Ratio,
    ...(target ? { target } : {}),
  }
}

/** A finding about a figure of ours alone. */
export function byFigure(
  name: string,
  [ours, unit]: readonly [number, string],
  target?: Finding['target'],
): Finding {
  return { case: name, clients: 1, unit, ours, bare: null, ratio: null, ...(target ? { target } : {}) }
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
