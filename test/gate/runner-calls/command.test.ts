import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { effectOfCommand } from '../../../src/gate/runner-calls/command/classify.ts'
import { readCommands } from '../../../src/gate/runner-calls/reading/read-commands.ts'
import { parseCommand } from '../../../src/gate/runner-calls/command/parse.ts'
import { resolvePath } from '../../../src/gate/runner-calls/paths.ts'
import type { Effect } from '../../../src/gate/runner-calls/tool-call.ts'
import { commandLines } from './command-lines.ts'
import { anyCharacter } from '../../support/any-character.ts'
import { testRows } from '../../support/rows.ts'

const root = resolvePath('/work/app', null)
const folders = { root, current: [root], keepsFolder: false }
const effectIn = (text: string) => effectOfCommand(text, folders)

const lineEffects = Object.entries(commandLines).flatMap(([effect, lines]) =>
  lines.map((line) => [effect, line] as const),
)
testRows(lineEffects)('a command has the effect of what it does', (effect, line) => {
  expect(effectIn(line)).toBe(effect)
})

describe('a word that is open', () => {
  const plainLines = Object.values(commandLines)
    .flat()
    .filter((line) => /^[\w./~@:,=*?{}[\]^+-]+( [\w./~@:,=*?{}[\]^+-]+)*$/.test(line))
    .filter((line) => !/^(echo|true|x=|test -n|cd$)/.test(line))
  const openings = ["$(echo 'x ')", '"$(echo \'x \')"', '`echo x`', '$X', '${X}', '$#', '{a,b}']

  testRows(openings)('before or after any word makes a command run something, or worse', (opening) => {
    expect(plainLines.length).toBeGreaterThan(150)
    const opened = plainLines.flatMap((line) => {
      const words = line.split(' ')
      return words.flatMap((word, at) =>
        [opening + word, word + opening].map((glued) => words.with(at, glued).join(' ')),
      )
    })
    expect(opened.filter((text) => !asks.has(effectIn(text)))).toEqual([])
  })
  const asks = new Set<Effect>(['runs', 'network', 'credentials'])
})

describe('where a `cd` holds for later calls', () => {
  const effectThere = (text: string) => effectOfCommand(text, { ...folders, keepsFolder: true })

  testRows([
    'cd src',
    'cd',
    'cd ..',
    'cd src && ls',
    'cd src; ls; cd ..',
    'cd src | ls',
    'cd src && cd /work/app',
    'ls $(cd src) && cd src',
    '(cd /work/app) && cd fixtures/repo.git',
    'cd ~/Library/LaunchAgents',
  ])('one that changes the folder requires consent', (text) => {
    expect(effectThere(text)).toBe('runs')
  })

  testRows([
    ['(cd src && ls)', 'reads'],
    ['(cd src); ls', 'reads'],
    ['echo "$(cd src && ls)"', 'reads'],
    ['(cd src && echo > x)', 'edits_inside'],
    ['(cd /tmp && cat a.ts)', 'reads_outside'],
    ['cd /work/app && git status', 'reads'],
    ['cd . && ls', 'reads'],
    ['(cd src; ls); cd /work/app', 'reads'],
    ['cd src && cat .env', 'credentials'],
  ])('one within a subshell, or to where the call is, does not hold', (text, effect) => {
    expect(effectThere(text)).toBe(effect)
  })
})

describe('in a folder that the gate does not know', () => {
  const effectThere = (text: string) => effectOfCommand(text, { ...folders, current: [null] })

  testRows([
    'cat notes',
    'cat < notes',
    'echo x > settings.json',
    'touch a',
    'cd src && ls',
    'grep -r foo src',
    'rg foo',
    'find src',
    'git status',
    'git -C . status',
    'git -C sub status',
    'git -C /work/app -C sub status',
    'cat dev/null',
  ])('a relative path requires consent', (text) => {
    expect(effectThere(text)).toBe('runs')
  })

  testRows([
    ['ls', 'reads'],
    ['git -C /work/app status', 'reads'],
    ['git -C /work/app diff HEAD -- src/a.ts', 'reads'],
    ['cat /work/app/a.ts', 'reads'],
    ['grep -n foo /work/app/a.ts 2>/dev/null', 'reads'],
    ['echo x > /work/app/a.ts', 'edits_inside'],
    ['cat /etc/hosts', 'reads_outside'],
    ['cat .env', 'credentials'],
    ['git show HEAD:.env', 'credentials'],
  ])('a command that names no relative path has its effect', (text, effect) => {
    expect(effectThere(text)).toBe(effect)
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
    (c: string) => `{ ${c}; }`,
    (c: string) => `if ls; then ${c}; fi`,
    (c: string) => `if ${c}; then ls; else pwd; fi`,
    (c: string) => `for f in a b; do ${c}; done`,
    (c: string) => `while ls; do\n${c}\ndone`,
    (c: string) => `case a in (b) ls ;; (*) ${c} ;; esac`,
    (c: string) => `[[ -n $(${c}) ]]`,
    (c: string) => `diff <(${c}) a.ts`,
    (c: string) => `cat <<E\n$(${c})\nE\n`,
    (c: string) => `cat <<< "$(${c})"`,
    (c: string) => `echo "\${a:-$(${c})}"`,
    (c: string) => `timeout 5 ${c}`,
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
  testRows([
    ['length', `echo ${'a'.repeat(16_000)}`],
    ['depth', `${'echo $('.repeat(9)}ls${')'.repeat(9)}`],
    ['deep subshells', `${'( '.repeat(5000)}ls${' )'.repeat(5000)}`],
    ['shells in shells', `${'eval '.repeat(3000)}ls`],
    ['words', 'ls a '.repeat(600)],
    ['commands', 'ls;'.repeat(502)],
    ['names in words', `which ${Array.from({ length: 1_100 }, (_, i) => `a.${i}`).join(',')} b:.env`],
    ['redirections', `ls ${'>a '.repeat(300)}`],
    ['assignments', `${'LANG=C '.repeat(300)} ls`],
    ['folders', Array.from({ length: 12 }, (_, i) => `cd d${i}`).join(' && ')],
  ])('beyond a bound a command is unsure', (_name, text) => {
    expect(effectIn(text)).toBe('runs')
  })

  testRows([
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
  ])('a command of the full length is decided, whatever it is made of', (part) => {
    const text = `ls ${part.repeat(16_000)}`.slice(0, 16_000)
    expect(['reads', 'reads_outside', 'runs', 'credentials']).toContain(effectIn(text))
  })
})

test('a line that breaks off, or has a sign where a word must stand, is read to its end', () => {
  const signs = '; & | ( ) < > " \' $ ` # = ; \n { } x'.split(' ')
  const starts = [
    '',
    'for f in ',
    'for f in a; do ',
    'case x in ',
    'case x in a) ',
    '[[ ',
    'if ls; then ',
    'cat <<< ',
    '{ ',
  ]
  for (const start of starts)
    for (const one of signs) for (const two of signs) parseCommand(`${start}${one}${two}`)
  expect(parseCommand('for f in ;;')).toBeNull()
  expect(parseCommand('for f in a;; do ls; done')).toBeNull()
})
