import { AsyncLocalStorage } from 'node:async_hooks'

/**
 * Every store that is in use costs time at each promise and each callback, for as long as the process lives. A test file makes
 * some: each connection to Temporal has one, and so has the framework. This ends those of a file after it.
 */
const inUse = new Set()

for (const name of ['run', 'enterWith']) {
  const real = AsyncLocalStorage.prototype[name]
  AsyncLocalStorage.prototype[name] = function use(...given) {
    inUse.add(this)
    return Reflect.apply(real, this, given)
  }
}

/** One that is used again is in use again. */
export function endContextStores() {
  for (const store of inUse) store.disable()
  inUse.clear()
}
