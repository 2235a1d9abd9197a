import { LogLevel, WebClient, type Logger } from '@slack/web-api'

export interface SlackClientOptions {
  /** Absent for the one call that asks for a token. */
  token?: string
  apiUrl?: string
  /** For one HTTP call. */
  timeoutMs?: number
}

/** A client that makes one attempt a call, with a time-out, and logs nothing. */
export function slackClient({ token, apiUrl, timeoutMs = 15_000 }: SlackClientOptions): WebClient {
  return new WebClient(token, {
    ...(apiUrl ? { slackApiUrl: apiUrl } : {}),
    retryConfig: { retries: 0 },
    rejectRateLimitedCalls: true,
    timeout: timeoutMs,
    allowAbsoluteUrls: false,
    // The SDK writes the token into this object: shared between two clients, one would post as the other.
    headers: {},
    logger: silentLogger,
  })
}

/** The SDK logs bodies and answers; what matters is in the outcome. */
const silentLogger: Logger = {
  debug() {},
  info() {},
  warn() {},
  error() {},
  setLevel() {},
  setName() {},
  getLevel: () => LogLevel.ERROR,
}
