import config from './jest.config.js'

/**
 * Temporal as a cluster of processes on PostgreSQL, and the database with a standby. Builds the Temporal server on first use,
 * which takes minutes: not part of `npm test`.
 */
export default {
  ...config,
  roots: ['<rootDir>/test/cluster'],
  testMatch: ['**/*.cluster.ts'],
  // The first test may have to build the server.
  testTimeout: 1_800_000,
  // Each file runs ten processes.
  maxWorkers: 1,
}
