import { ModernFakeTimers } from '@jest/fake-timers'
import { ModuleMocker } from 'jest-mock'

/**
 * The realm of the tests is that of the process itself: what Node throws is an `Error` here too, and a module is loaded once,
 * not once for each file. What a file changes of the process is undone after it.
 */
export default class ProcessEnvironment {
  global = globalThis
  moduleMocker = new ModuleMocker(globalThis)
  #undo = rememberProcess()
  #testTimeout

  constructor({ globalConfig, projectConfig: config }) {
    this.#testTimeout = globalConfig.testTimeout
    this.fakeTimersModern = new ModernFakeTimers({ config, global: globalThis })
  }

  async setup() {}

  /** A time that a test or a hook is given only lengthens the usual one: what hangs is found all the same. */
  handleTestEvent({ name, hook, test }) {
    const testTimeout = this.#testTimeout
    if (name === 'hook_start' && hook.timeout < testTimeout) hook.timeout = testTimeout
    if (name === 'test_start' && test.timeout < testTimeout) test.timeout = testTimeout
  }

  async teardown() {
    this.fakeTimersModern.dispose()
    this.#undo()
  }

  /** Jest asks for it, and runs nothing in it: see run-file.js. */
  getVmContext() {
    return null
  }
}

/** @returns what gives back the environment variables, the working directory and the console as they are now */
function rememberProcess() {
  const { env, exit } = process
  const variables = { ...env }
  const folder = process.cwd()
  const { console } = globalThis
  return () => {
    Object.assign(process, { env, exit })
    for (const name of Object.keys(env)) if (!(name in variables)) Reflect.deleteProperty(env, name)
    for (const [name, value] of Object.entries(variables)) if (env[name] !== value) env[name] = value
    if (process.cwd() !== folder) process.chdir(folder)
    globalThis.console = console
  }
}
