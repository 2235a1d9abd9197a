import { availableParallelism } from 'node:os'

export default {
  // Files run one after the other in the realm of a worker process, and share the modules that it has loaded.
  testEnvironment: '<rootDir>/test/support/jest/environment.js',
  testRunner: '<rootDir>/test/support/jest/run-file.js',
  injectGlobals: false,
  roots: ['<rootDir>/test', '<rootDir>/packages'],
  testMatch: ['**/*.test.ts'],
  extensionsToTreatAsEsm: ['.ts'],
  // Of the global setup: what tests import is loaded by test/support/jest/hooks.js.
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      { jsc: { target: 'es2023', parser: { syntax: 'typescript' } }, module: { type: 'es6' } },
    ],
  },
  globalSetup: '<rootDir>/test/support/global-setup.ts',
  globalTeardown: '<rootDir>/test/support/global-teardown.ts',
  testSequencer: '<rootDir>/test/support/waiting-first.js',
  // Long enough for a machine that is busy with other things: a test that hangs is found all the same.
  testTimeout: 180_000,
  // Most files use less than half of a core: they wait for servers, and for what a killed process leaves to run out.
  maxWorkers: availableParallelism() + 2,
}
