/** One part that doctor checked. `off`: it is not configured, which may be intended. */
export interface Check {
  item:
    | 'database'
    | 'temporal'
    | 'outbox'
    | 'executions'
    | 'executors'
    | 'events'
    | 'sealer'
    | 'witnesses'
    | 'mail'
    | 'slack'
    | 'teams'
    | 'stripe'
    | 'previews'
    | 'upstreams'
    | 'anchors'
  verdict: 'ok' | 'attention' | 'off'
  detail: string
}

/** Failing executors, providers and bots that `gate doctor` names. */
export const failingNamedMax = 10

export const ok = (item: Check['item'], detail: string): Check => ({ item, verdict: 'ok', detail })
export const attention = (item: Check['item'], detail: string): Check => ({
  item,
  verdict: 'attention',
  detail,
})
