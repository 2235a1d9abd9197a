import { expect, test } from '@jest/globals'
import { type FileStart, keepInput, readKeptInput } from '../../../src/gate/runner-calls/kept-input.ts'
import { toolCallLine } from '../../../src/operations/actions/tool-call-line.ts'

const input = { command: 'sh a.sh; sh b.sh' }
const start = (path: string): FileStart => ({ path, text: '"\n'.repeat(100), shows: 'whole' })

test('files stand beside an input, the last are left out where they do not fit, and an input alone is as it was', () => {
  const text = JSON.stringify(input)
  expect(keepInput(text, [], 10)).toBe(text)
  expect(readKeptInput(text)).toEqual({ input, starts: [] })
  const both = keepInput(text, [start('a.sh'), start('b.sh')], 2_000)
  expect(readKeptInput(both)).toEqual({ input, starts: [start('a.sh'), start('b.sh')] })
  const one = keepInput(text, [start('a.sh'), start('b.sh')], both.length - 1)
  expect(readKeptInput(one)).toEqual({ input, starts: [start('a.sh')] })
  expect(keepInput(text, [start('a.sh')], 100)).toBe(text)
  expect(toolCallLine({ tool: 'Bash', runner: 'claude' }, both)).toEqual({
    line: 'Bash by Claude Code',
    subject: 'sh a.sh; sh b.sh',
  })
})
