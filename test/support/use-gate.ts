import { afterAll, beforeAll } from '@jest/globals'
import { startConsole } from './console.ts'
import { type GateOptions, type TestGate, letGo, startGate } from './gate.ts'

/**
 * A gate for the tests of a file, or of a `describe`: it starts before them, and stops after them.
 * @returns an object that has the members of a gate once it has started
 */
export const useGate = (options: GateOptions = {}): TestGate => use(() => startGate(options))

/** The same, for visitors of the console. */
export const useConsole = (options: GateOptions = {}): TestGate => use(() => startConsole(options))

function use(start: () => Promise<TestGate>): TestGate {
  const gate = {} as TestGate
  beforeAll(async () => void Object.assign(gate, await start()))
  letGo(gate)
  afterAll(() => gate.stop())
  return gate
}
