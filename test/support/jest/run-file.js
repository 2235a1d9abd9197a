import { createRequire, register } from 'node:module'
import { pathToFileURL } from 'node:url'
import { endContextStores } from './context-stores.js'
import { endFile } from './end-of-file.js'

register('./hooks.js', import.meta.url)
const require = createRequire(import.meta.url)
const { default: runInCircus } = require('jest-circus/runner')

/**
 * Jest's `testRunner`: runs a test file with Jest's own circus, but loads modules as Node does, once for all files of a
 * worker. In a context of its own each file would load the whole program again, which takes longer than most of them.
 */
export default async function runFile(globalConfig, config, environment, _, testPath, send) {
  const { setGlobals } = await import('./globals.js')
  const { limits } = await import('../../../src/limits.ts')
  const own = { ...limits }
  // Pages wait at most this long for an execution, and no longer than CONFIRM_WAIT_MS, which support/gate.ts sets for a busy machine.
  Object.assign(limits, { connectWaitMs: 60_000, decideWaitMs: 60_000 })
  const bounds = { ...limits }
  const { prepareStackTrace } = Error
  // The types are blanked out: there is nothing to map.
  delete Error.prepareStackTrace
  try {
    const runtime = nativeRuntime((globals) => setGlobals({ ...globals, jest: jestOf(environment) }))
    const result = await runInCircus(globalConfig, config, environment, runtime, testPath, send)
    const left = Object.keys(limits).filter((name) => limits[name] !== bounds[name])
    if (left.length > 0)
      throw new Error(`The file leaves bounds changed for the next one: ${left.join(', ')}.`)
    return result
  } finally {
    // A clock that a test has moved would date the end of the file, by which Jest plans, and move that of the next file.
    environment.moduleMocker.restoreAllMocks()
    endFile()
    endContextStores()
    Object.assign(limits, own)
    Error.prepareStackTrace = prepareStackTrace
  }
}

const loaded = new Set()
let runs = 0

/** What circus asks of Jest's module loader, answered by Node's. */
function nativeRuntime(setGlobalsForRuntime) {
  return {
    setGlobalsForRuntime,
    requireModule: require,
    /** The framework itself, which is new for each file: it keeps the tests of one. */
    requireInternalModule(path) {
      Reflect.deleteProperty(require.cache, path)
      for (const key of Object.getOwnPropertySymbols(globalThis))
        if (frameworkState.has(key.description)) Reflect.deleteProperty(globalThis, key)
      return require(path)
    },
    unstable_shouldLoadAsEsm: () => true,
    /** A file that has run here before is watched: it and what it imports of ours is loaded again. */
    async unstable_importModule(path) {
      const again = loaded.has(path) ? `?run=${(runs += 1)}` : ''
      loaded.add(path)
      await import(pathToFileURL(path).href + again)
    },
    enterTestCode() {},
    leaveTestCode() {},
  }
}

const frameworkState = new Set(['EVENT_HANDLERS', 'JEST_STATE_SYMBOL'])

/** The part of `jest` that the tests use; nothing of it replaces modules. */
function jestOf({ moduleMocker, fakeTimersModern: timers }) {
  return {
    spyOn: moduleMocker.spyOn.bind(moduleMocker),
    useFakeTimers: () => timers.useFakeTimers(),
    useRealTimers: () => timers.useRealTimers(),
    advanceTimersByTime: (ms) => timers.advanceTimersByTime(ms),
    advanceTimersByTimeAsync: (ms) => timers.advanceTimersByTimeAsync(ms),
  }
}
