import { AsyncLocalStorage } from 'node:async_hooks'

const requests = new AsyncLocalStorage<{ hasWritten: boolean }>()

let running = 0
let leftBehind: NodeJS.Timeout | undefined

/** Runs one request. After its first write, an error of the request can no longer say that nothing was changed. */
export async function asOneRequest<T>(run: () => Promise<T>): Promise<T> {
  running++
  try {
    return await requests.run({ hasWritten: false }, run)
  } finally {
    endOne()
  }
}

/** How work ended that several requests share, and whether it has written. */
export interface Shared<T> {
  result: PromiseSettledResult<T>
  isWritten: boolean
}

/**
 * Runs work that several requests share, as a request of its own: what one of them wrote before says nothing about the others.
 * Each of them notes afterwards what it wrote.
 */
export async function asShared<T>(run: () => Promise<T>): Promise<Shared<T>> {
  const work = async () => {
    const [result] = await Promise.allSettled([run()])
    return { result, isWritten: hasWritten() }
  }
  // If no request is followed, none of those that share it asks whether it has written.
  return running === 0 ? work() : asOneRequest(work)
}

/** Goes on following requests for so long, because the work of one whose caller is gone goes on. Holds nothing of a request. */
export function followOn(ms: number): void {
  if (leftBehind) return void leftBehind.refresh()
  running++
  leftBehind = setTimeout(() => {
    leftBehind = undefined
    endOne()
  }, ms).unref()
}

/** Until it is disabled, Node 20 calls a hook for every promise of the process: a tenth of the time of a check or tool call. */
function endOne(): void {
  if (--running === 0) requests.disable()
}

/** Records that this request has written, or may have. */
export function noteWrite(): void {
  const request = requests.getStore()
  if (request) request.hasWritten = true
}

/** Whether this request may have written. */
export const hasWritten = (): boolean => requests.getStore()?.hasWritten ?? false
