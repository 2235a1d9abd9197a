import { AsyncLocalStorage } from 'node:async_hooks'

const requests = new AsyncLocalStorage<{ hasWritten: boolean }>()

/** Runs one request. Once it may have written, nothing that fails in it afterwards can say that nothing was changed. */
export const asOneRequest = <T>(run: () => T): T => requests.run({ hasWritten: false }, run)

/** Notes that a write of this request was done, or may have been. */
export function noteWrite(): void {
  const request = requests.getStore()
  if (request) request.hasWritten = true
}

/** Whether this request may have written. */
export const hasWritten = (): boolean => requests.getStore()?.hasWritten ?? false
