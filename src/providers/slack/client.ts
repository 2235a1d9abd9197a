import { LogLevel, WebClient, type Logger } from '@slack/web-api'
import { limits } from '../../limits.ts'

export interface SlackClientOptions {
  /** Absent for the call that requests a token. */
  token?: string
  apiUrl?: string
  /** The time for one HTTP call. */
  timeoutMs?: number
}

/** A client with one attempt per call, a timeout, and no logging. */
export function slackClient({
  token,
  apiUrl,
  timeoutMs = limits.providerCallMs,
}: SlackClientOptions): WebClient {
  return new WebClient(token, {
    ...(apiUrl ? { slackApiUrl: apiUrl } : {}),
    retryConfig: { retries: 0 },
    rejectRateLimitedCalls: true,
    timeout: timeoutMs,
    allowAbsoluteUrls: false,
    // The SDK writes the token into this object, so it must not be shared between clients.
    headers: {},
    logger: silentLogger,
  })
}

/** The SDK would log bodies and answers; outcomes carry what matters. */
const silentLogger: Logger = {
  debug() {},
  info() {},
  warn() {},
  error() {},
  setLevel() {},
  setName() {},
  getLevel: () => LogLevel.ERROR,
}
