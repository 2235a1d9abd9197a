import { expect, test } from '@jest/globals'
import { environment } from '../../src/environment/environment.ts'
import { withClients } from './clients-part.ts'
import { configurationPage } from './configuration-page.ts'
import { withEvents } from './events-table.ts'
import { readPage } from './markdown.ts'
import { withMetrics } from './metrics-table.ts'
import { withResults } from './results-table.ts'
import { withRooms } from './rooms-table.ts'
import { testRows } from '../support/rows.ts'

test('docs/configuration.md matches the schema; otherwise run npm run docs:tables', () => {
  expect(readPage('docs/configuration.md')).toBe(configurationPage())
})

testRows(Object.keys(environment.shape))(
  'every setting has a line with form, default and meaning',
  (name) => {
    const line = new RegExp(`^\\| \`${name}\` \\| .+ \\| .+ \\| .{10,} \\|$`, 'm')
    expect(readPage('docs/configuration.md')).toMatch(line)
  },
)

test('the rooms in docs/architecture.md match rooms.js; otherwise run npm run docs:tables', () => {
  const page = readPage('docs/architecture.md')
  expect(page).toBe(withRooms(page))
})

test('the results in docs/performance.md match bench/figures.json; otherwise run npm run docs:tables', () => {
  const page = readPage('docs/performance.md')
  expect(page).toBe(withResults(page))
})

test('the metrics in docs/telemetry.md match src/telemetry/table.ts; otherwise run npm run docs:tables', () => {
  const page = readPage('docs/telemetry.md')
  expect(page).toBe(withMetrics(page))
})

test('the lines in docs/connect-an-agent.md match src/keys/agent-clients.ts; otherwise run npm run docs:tables', () => {
  const page = readPage('docs/connect-an-agent.md')
  expect(page).toBe(withClients(page))
})

test('the types in docs/event-types.md match src/gate/event-types.ts; otherwise run npm run docs:tables', () => {
  const page = readPage('docs/event-types.md')
  expect(page).toBe(withEvents(page))
})
