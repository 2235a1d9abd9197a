import { expect, test } from '@jest/globals'
import { toolResult, toolResultFields } from '../../src/transports/mcp/gate-tools.ts'

test('a result that is written as text has the bytes of the same result as an object', () => {
  const body = {
    text: '"quoted" \\ \u2028 \u{1f600}\n',
    at: new Date(0),
    none: undefined,
    rows: [{ id: 1 }, null],
  }
  expect(`{${toolResultFields(body)}}`).toBe(JSON.stringify(toolResult(body)))
})
