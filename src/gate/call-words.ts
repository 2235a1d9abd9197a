/** A change in how the call of a running action goes. */
export interface CallChange {
  state: 'pending' | 'sending' | 'accepted' | 'asking'
  code: string | null
  attempts: number
}

/** The change in a sentence without its full stop. Pure. */
export function callChangeWords({ state, code, attempts }: CallChange): string {
  const why = code === null ? '' : ` (${code})`
  switch (state) {
    case 'pending':
      return code === null ? 'The call is repeated' : `Attempt ${attempts} failed${why}. It is repeated`
    case 'sending':
      return `Attempt ${attempts} ended without a known outcome${why}. It is repeated or looked for`
    case 'accepted':
      return code === null ? 'Accepted, and under way there' : `Asking how far it is failed${why}`
    case 'asking':
      return `No longer repeated. Its outcome is asked for${why}`
  }
}

/** What fails, since when: `customer_deletion fails since 2026-01-01T12:00:00.000Z (http_503), 2 actions wait`. Pure. */
export const failingWords = (failing: {
  target: string
  failing_since: Date
  code: string
  actions: number
}): string =>
  `${failing.target} fails since ${failing.failing_since.toISOString()} (${failing.code}), ${failing.actions === 1 ? '1 action waits' : `${failing.actions} actions wait`}`

/** A call of a running action, as far as people are told. Times are ISO 8601. */
export interface RunningCall {
  attempts: number
  last_error: string | null
  repeated_until: string | null
}

/** What a running action waits for, in one or two sentences. Pure. */
export function runningWords(call: RunningCall | null | undefined): string {
  if (!call || call.last_error === null) return 'It is running.'
  const until = call.repeated_until === null ? '' : ` until ${minuteOf(call.repeated_until)} UTC`
  return `It is running, and not done yet: attempt ${call.attempts} failed (${call.last_error}). The gate repeats it${until}.`
}

const minuteOf = (iso: string): string => iso.slice(0, 16).replace('T', ' ')
