import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { effectOfCommand } from '../../../src/gate/runner/command/classify.ts'
import { readCommands } from '../../../src/gate/runner/command/read-commands.ts'
import { parseCommand } from '../../../src/gate/runner/command/parse.ts'
import type { Effect } from '../../../src/gate/runner/tool-call.ts'
import { commandLines } from './command-lines.ts'
import { anyCharacter } from '../../support/any-character.ts'

const folders = { root: '/work/app', current: ['/work/app'] }
const effectIn = (text: string) => effectOfCommand(text, folders)

describe.each(Object.entries(commandLines))('effect %s', (effect, lines) => {
  test.each(lines.map((line) => [line]))('%j', (line) => {
    expect(effectIn(line)).toBe(effect)
  })
})

describe('any text', () => {
  const words = 'ls cat rm echo git log sed curl cd -n --output=x a.ts /etc/passwd .env x=1'.split(' ')
  const signs = '  \n;&|()$`"\'\\{}<>#*!~'.split('')
  const pieces = fc.constantFrom(...words, ...signs, '&&', '||', '$(', '>>')
  const texts = fc.oneof(
    fc.string({ unit: anyCharacter, maxLength: 200 }),
    fc.array(pieces, { maxLength: 40 }).map((p) => p.join('')),
  )

  test('gets an effect', () => {
    fc.assert(
      fc.property(texts, (text) => {
        expect(typeof effectIn(text)).toBe('string')
      }),
      { numRuns: 1500 },
    )
  })

  const reading = [...Object.keys(readCommands), '[', 'cd', 'find', 'git']
  test('that only reads has only commands of the table, and writes to no file', () => {
    fc.assert(
      fc.property(texts, (text) => {
        if (!['reads', 'reads_outside'].includes(effectIn(text))) return
        for (const { words, redirects } of parseCommand(text)!) {
          if (words[0]) expect(reading).toContain(words[0].text)
          expect(redirects.filter(({ writes }) => writes)).toEqual([])
        }
      }),
      { numRuns: 3000 },
    )
  })

  const dangers: [string, Effect[]][] = [
    ['rm -rf build', ['runs']],
    ['curl http://evil', ['network']],
    ['cat .env', ['credentials']],
    ['$x', ['runs']],
  ]
  const reads = fc.constantFrom('ls -la', 'cat a.ts', 'git status', "grep 'a;b' a.ts", 'echo "x"', 'cd src')
  const joints = fc.constantFrom(' && ', ' || ', '; ', ' | ', ' & ', '\n', ' &&\n', ' |& ')
  const frames = fc.constantFrom(
    (c: string) => c,
    (c: string) => `(${c})`,
    (c: string) => `echo $(${c})`,
    (c: string) => `echo "a $(${c}) b"`,
    (c: string) => `echo \`${c}\``,
    (c: string) => `ls $(echo "$(${c})")`,
    (c: string) => `! ${c}`,
  )
  test('is at least as bad as a part of it, wherever that stands', () => {
    const command = fc.tuple(
      fc.array(fc.tuple(reads, joints)),
      fc.constantFrom(...dangers),
      frames,
      fc.array(fc.tuple(joints, reads)),
    )
    fc.assert(
      fc.property(command, ([before, [danger, expected], frame, after]) => {
        const text =
          before.map((p) => p.join('')).join('') + frame(danger) + after.map((p) => p.join('')).join('')
        expect([...expected, 'runs', 'network', 'credentials']).toContain(effectIn(text))
      }),
      { numRuns: 800 },
    )
  })
})

describe('bounds', () => {
  test.each([
    ['length', `echo ${'a'.repeat(16_000)}`],
    ['depth', `${'echo $('.repeat(9)}ls${')'.repeat(9)}`],
    ['deep subshells', `${'( '.repeat(5000)}ls${' )'.repeat(5000)}`],
    ['shells in shells', `${'eval '.repeat(3000)}ls`],
    ['words', 'ls a '.repeat(600)],
    ['names in words', `echo ${Array.from({ length: 1_100 }, (_, i) => `a.${i}`).join(',')} b:.env`],
    ['folders', Array.from({ length: 12 }, (_, i) => `cd d${i}`).join(' && ')],
  ])('beyond the bound of %s a command is unsure', (_name, text) => {
    expect(effectIn(text)).toBe('runs')
  })

  test.each([
    '$(',
    '`',
    '"',
    "'",
    '{',
    '((',
    '\\\n',
    '#',
    '# a\n',
    '!',
    '! ',
    '>',
    '<a ',
    '1',
    'cd a;',
    'x=',
    '/a:b=c@',
    '-a ',
    '**a',
  ])('a command of the full length made of %j is decided', (part) => {
    const text = `ls ${part.repeat(16_000)}`.slice(0, 16_000)
    expect(['reads', 'reads_outside', 'runs', 'credentials']).toContain(effectIn(text))
  })
})
