import config from './jest.config.js'

/** The programs of agent runners themselves, installed from the registry on first use. Takes minutes: not part of `npm test`. */
export default {
  ...config,
  roots: ['<rootDir>/test/runner-binaries'],
  testMatch: ['**/*.ts'],
  // The first test of a runner may have to install it.
  testTimeout: 400_000,
  // Each run keeps a core busy.
  maxWorkers: 2,
}
