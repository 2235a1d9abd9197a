import { type Logger, pino } from 'pino'
import type { Config } from './config.ts'

/** The log: JSON lines, or formatted text on a terminal. API keys are redacted. */
export function makeLog(config: Config): Logger {
  return pino({
    level: config.LOG_LEVEL,
    serializers: { err: withoutValues },
    redact: ['req.headers.authorization', 'headers.authorization', 'api_key', '*.api_key'],
    ...(process.stdout.isTTY ? { transport: { target: 'pino-pretty', options: { singleLine: true } } } : {}),
  })
}

/** An error without what PostgreSQL adds about the row: it may hold a message or an address. */
const withoutValues = (error: Error): object => ({
  ...pino.stdSerializers.err(error),
  detail: undefined,
  where: undefined,
})
