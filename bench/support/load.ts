/** The measurements of one slice of load. */
export interface Slice {
  latenciesMs: number[]
  elapsedMs: number
  /** The number of calls for the rate, if it differs from the number of latencies. */
  calls?: number
}

export interface Measured {
  p50Ms: number
  p99Ms: number
  perSecond: number
}

export interface Comparison {
  ours: Measured
  bare: Measured
  /** Our rate divided by the plain rate: the median over all pairs of slices. */
  rateRatio: number
  /** Our median latency divided by the plain one, in the same way. */
  p50Ratio: number
  /** Our p99 divided by the plain one, of the latencies of all slices: one slice has too few. */
  p99Ratio: number
}

/**
 * Keeps `clients` callers busy, with one call at a time each, for a time or for a total number of calls.
 * @param prepare  what a call sends: not measured
 */
export async function load<Prepared = undefined>(
  clients: number,
  bound: { ms: number } | { count: number },
  call: (client: number, prepared: Prepared) => Promise<unknown>,
  prepare?: () => Prepared,
): Promise<Slice> {
  const latenciesMs: number[] = []
  const startedAt = performance.now()
  const endsAt = 'ms' in bound ? startedAt + bound.ms : Infinity
  let left = 'count' in bound ? bound.count : Infinity
  const caller = async (client: number) => {
    while (left > 0 && performance.now() < endsAt) {
      left--
      const prepared = prepare?.() as Prepared
      const from = performance.now()
      await call(client, prepared)
      latenciesMs.push(performance.now() - from)
    }
  }
  await Promise.all(Array.from({ length: clients }, (_, client) => caller(client)))
  return { latenciesMs, elapsedMs: performance.now() - startedAt }
}

/**
 * Runs pairs of slices, one of each side, in alternating order, so that a drift affects both sides equally.
 * @param between  runs before each slice, not measured
 */
export async function compare(options: {
  pairs: number
  ours: () => Promise<Slice>
  bare: () => Promise<Slice>
  between?: () => Promise<void>
}): Promise<Comparison> {
  const ours: Slice[] = []
  const bare: Slice[] = []
  const sides = [
    { run: options.ours, into: ours },
    { run: options.bare, into: bare },
  ]
  for (let pair = 0; pair < options.pairs; pair++) {
    for (const { run, into } of pair % 2 === 0 ? sides : sides.toReversed()) {
      await options.between?.()
      into.push(await run())
    }
  }
  return comparison(ours, bare)
}

/** Compares slices of two sides, of which those at the same place were measured at about the same time. */
export function comparison(ours: Slice[], bare: Slice[]): Comparison {
  const overPairs = (value: (slice: Slice) => number) =>
    median(ours.map((slice, pair) => value(slice) / value(bare[pair]!)))
  const [all, allBare] = [measured(ours), measured(bare)]
  return {
    ours: all,
    bare: allBare,
    p99Ratio: all.p99Ms / allBare.p99Ms,
    rateRatio: overPairs(rateOf),
    p50Ratio: overPairs((slice) => quantile(slice.latenciesMs, 0.5)),
  }
}

/** The latencies of all slices; the rate is the median of the rates of the slices. */
export function measured(slices: Slice[]): Measured {
  const latencies = slices.flatMap((slice) => slice.latenciesMs)
  return {
    p50Ms: quantile(latencies, 0.5),
    p99Ms: quantile(latencies, 0.99),
    perSecond: median(slices.map(rateOf)),
  }
}

export function median(values: number[]): number {
  const sorted = Float64Array.from(values).sort()
  const [low, high] = [sorted[Math.ceil(sorted.length / 2) - 1], sorted[Math.floor(sorted.length / 2)]]
  return low === undefined || high === undefined ? Number.NaN : (low + high) / 2
}

export function quantile(values: number[], q: number): number {
  const sorted = Float64Array.from(values).sort()
  return sorted[Math.min(sorted.length - 1, Math.floor(q * sorted.length))] ?? Number.NaN
}

function rateOf(slice: Slice): number {
  return ((slice.calls ?? slice.latenciesMs.length) * 1_000) / slice.elapsedMs
}
