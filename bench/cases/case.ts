import type { Comparison } from '../support/load.ts'
import { type Finding, combine } from '../report.ts'
import type { Services } from '../support/services.ts'

export interface CaseOptions {
  /** Seconds to measure each side, for each number of clients. */
  seconds: number
  /** Kills of a worker for each point of the case `recovery`. */
  kills: number
  /** Proposals that are open during the last kills of the case `recovery`. */
  held: number
  log: (line: string) => void
}

export interface BenchCase {
  name: string
  /** Runs only when it is named. */
  isOnRequest?: true
  run(services: Services, options: CaseOptions): Promise<Finding[]>
}

/**
 * Measures several times over what was made once, which takes longer than to measure it.
 * @returns the median of each figure, with the range
 */
export async function repeated(
  repeats: number,
  measure: (n: number) => Promise<Finding[]>,
): Promise<Finding[]> {
  const measured: Finding[][] = []
  for (let n = 0; n < repeats; n++) measured.push(await measure(n))
  return combine(measured)
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
