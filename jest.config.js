import { availableParallelism } from 'node:os'
import { filesOf } from './test/support/jest/files.js'

const files = filesOf(import.meta.dirname)

const common = {
  rootDir: import.meta.dirname,
  // Files run one after the other in the realm of a worker process, and share the modules that it has loaded.
  testEnvironment: '<rootDir>/test/support/jest/environment.js',
  testRunner: '<rootDir>/test/support/jest/run-file.js',
  injectGlobals: false,
  roots: ['<rootDir>/test', '<rootDir>/packages'],
  extensionsToTreatAsEsm: ['.ts'],
  // Of the global setup: what tests import is loaded by test/support/jest/hooks.js.
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      { jsc: { target: 'es2023', parser: { syntax: 'typescript' } }, module: { type: 'es6' } },
    ],
  },
}

const withServers = {
  ...common,
  globalSetup: '<rootDir>/test/support/global-setup.ts',
  globalTeardown: '<rootDir>/test/support/global-teardown.ts',
}

/** `npm test` runs `unit` and `gate`. CONTRIBUTING.md says what runs the others. */
export default {
  // One more than there are cores: a third of the time a file waits for a server.
  maxWorkers: availableParallelism() + 1,
  // Finds a test that hangs, also on a busy machine.
  testTimeout: 180_000,
  projects: [
    // Without a PostgreSQL and a Temporal server. Which files need them, test/support/jest/files.js finds out.
    { ...common, displayName: 'unit', testMatch: files.unit },
    { ...withServers, displayName: 'gate', testMatch: files.gate },
    // Kills, browsers, whole services, faults.
    { ...withServers, displayName: 'long', testMatch: ['**/*.long.ts'] },
    // Temporal as a cluster of processes on PostgreSQL, and the database with a standby. May have to build the server first.
    { ...withServers, displayName: 'cluster', testMatch: ['**/*.cluster.ts'] },
    // The programs of agent runners themselves, installed from the registry on first use.
    {
      ...withServers,
      displayName: 'runners',
      testMatch: ['<rootDir>/test/runner-binaries/*.ts'],
      testTimeout: 400_000,
    },
    // The client for Python, and clients made from the OpenAPI description by generators: all of it installed on first use.
    {
      ...withServers,
      displayName: 'clients',
      testMatch: ['<rootDir>/test/generated-clients/*.ts', '**/*.clients.ts'],
    },
    // Stripe's own test mode, with a key of yours.
    { ...withServers, displayName: 'live', testMatch: ['<rootDir>/test/live/*.ts'] },
  ],
}
