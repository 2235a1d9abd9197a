import { AsyncLocalStorage } from 'node:async_hooks'

const requests = new AsyncLocalStorage<{ hasWritten: boolean }>()

/** Runs one request. After its first write, an error of the request can no longer say that nothing was changed. */
export const asOneRequest = <T>(run: () => T): T => requests.run({ hasWritten: false }, run)

/** Records that this request has written, or may have. */
export function noteWrite(): void {
  const request = requests.getStore()
  if (request) request.hasWritten = true
}

/** Whether this request may have written. */
export const hasWritten = (): boolean => requests.getStore()?.hasWritten ?? false
