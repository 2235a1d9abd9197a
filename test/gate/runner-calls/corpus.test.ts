import { readFileSync } from 'node:fs'
import { expect, test } from '@jest/globals'
import { effectOf } from '../../../src/gate/runner-calls/effect.ts'
import { enteredFolder } from '../../../src/gate/runner-calls/entered-folder.ts'
import type { Effect, ToolCall } from '../../../src/gate/runner-calls/tool-call.ts'
import { projectCommands } from '../../../src/gate/runner-calls/project-line.ts'
import { testRows } from '../../support/rows.ts'
import { toolCall } from './tool-call.ts'

// The lines of corpus.txt, which agents type every day, and what the gate takes them for.

const wanted = {
  looks: ['reads', 'reads_outside'],
  edits: ['edits_inside', 'edits_outside'],
  runs: ['runs', 'network'],
  denied: ['credentials', 'network'],
} satisfies Record<string, Effect[]>
type Class = keyof typeof wanted
const classes = Object.keys(wanted) as Class[]

const lines = linesOf(readFileSync(new URL('corpus.txt', import.meta.url), 'utf8'))

function linesOf(text: string): { is: Class; line: string }[] {
  const all: { is: Class; line: string }[] = []
  let is: Class = 'looks'
  for (const part of text.replaceAll('\n\t', '\0').split('\n')) {
    const heading = /^== (\w+)$/.exec(part)?.[1]
    if (heading) is = heading as Class
    else if (part.trim() !== '' && (!part.startsWith('#') || part.includes('\0')))
      all.push({ is, line: part.replaceAll('\0', '\n') })
  }
  return all
}

function effectFor(runner: ToolCall['runner'], command: string): Effect {
  const tool = { claude: 'Bash', gemini: 'run_shell_command' }[runner as 'claude' | 'gemini']
  const call = toolCall(tool, { command }, { runner })
  // The hook finds an ordinary folder where a line leaves the shell in one.
  const ordinaryFolder = enteredFolder(call)?.path
  return effectOf(ordinaryFolder === undefined ? call : { ...call, ordinaryFolder })
}

const judged = (runner: ToolCall['runner']) =>
  lines.map(({ is, line }) => {
    const effect = effectFor(runner, line)
    return { is, line, effect, isWanted: (wanted[is] as Effect[]).includes(effect) }
  })

test('the corpus has lines of every class', () => {
  expect(lines.length).toBeGreaterThanOrEqual(400)
  for (const is of classes) expect(lines.filter((line) => line.is === is).length).toBeGreaterThanOrEqual(20)
})

testRows<[ToolCall['runner']]>([['claude'], ['gemini']])(
  'at least 19 of 20 lines of the corpus that only look have that effect, and all other lines have theirs',
  (runner) => {
    const all = judged(runner)
    const others = all.filter(({ isWanted }) => !isWanted)
    if (process.env['CORPUS_PRINT']) {
      for (const { is, effect, line } of others) process.stdout.write(`${is} → ${effect}: ${line}\n`)
      for (const is of classes) {
        const ofClass = all.filter((one) => one.is === is)
        const share = ofClass.filter(({ isWanted }) => isWanted).length
        process.stdout.write(`${runner} ${is}: ${share} of ${ofClass.length}\n`)
      }
    }
    const looks = all.filter(({ is }) => is === 'looks')
    expect(looks.filter(({ isWanted }) => isWanted).length / looks.length).toBeGreaterThanOrEqual(0.95)
    expect(looks.filter(({ effect }) => effect === 'credentials' || effect === 'network')).toEqual([])
    expect(others.filter(({ is }) => is !== 'looks')).toEqual([])
  },
)

test("the lines that a mandate can allow are a project's own tools, and many of these", () => {
  const can = (line: string) => projectCommands(toolCall('Bash', { command: line })) !== null
  const allowed = lines.filter(({ line }) => can(line))
  if (process.env['CORPUS_PRINT']) process.stdout.write(`a mandate can allow ${allowed.length}\n`)
  expect(allowed.filter(({ is }) => is !== 'runs')).toEqual([])
  expect(allowed.length).toBeGreaterThanOrEqual(44)
})
