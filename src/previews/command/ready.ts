import { request } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { limits } from '../../limits.ts'

/** How often a starting preview is checked. */
const previewReadyPollMs = 250

/**
 * Waits until the server answers `/` with a status below 500. The first answer may take long, since development servers
 * build first; only the signal limits it.
 * @param signal  ends the wait
 * @throws the signal's reason
 */
export async function untilReady(socketPath: string, host: string, signal: AbortSignal): Promise<void> {
  for (;;) {
    const status = await askOnce(socketPath, host, signal)
    signal.throwIfAborted()
    if (status !== undefined && status < 500) return
    await delay(previewReadyPollMs, undefined, { signal })
  }
}

/** @returns the status; undefined if there was no answer, for any reason */
function askOnce(socketPath: string, host: string, signal: AbortSignal): Promise<number | undefined> {
  return new Promise((resolve) => {
    const asked = request({
      socketPath,
      path: '/',
      agent: false,
      signal,
      headers: { host, accept: 'text/html,*/*' },
      maxHeaderSize: limits.previewAnswerHeadersBytesMax,
    })
    asked.on('error', () => resolve(undefined))
    asked.on('close', () => resolve(undefined))
    asked.on('response', (answer) => {
      resolve(answer.statusCode)
      answer.on('error', () => {})
      asked.destroy()
    })
    asked.end()
  })
}
