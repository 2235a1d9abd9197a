import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { effectOfCommand } from '../../src/gate/runner-calls/command/classify.ts'
import { resolvePath } from '../../src/gate/runner-calls/paths.ts'
import { bounded, seed, timeoutMs } from './runs.ts'

// Lines that the gate takes for ones that only look are run by real shells: none of them starts another program, changes a file or
// prints a secret.

let folder: string
const shells = ['/bin/bash', '/bin/dash', '/usr/bin/zsh', '/usr/bin/busybox'].filter((path) =>
  existsSync(path),
)
const secret = 'hunter2'
beforeAll(() => {
  folder = mkdtempSync(join(process.env['TEST_RUN_DIR'] ?? tmpdir(), 'looks-'))
  mkdirSync(join(folder, 'bin'))
  writeFileSync(join(folder, 'bin', 'bad'), `#!/bin/sh\necho >> "$RAN"\n`)
  chmodSync(join(folder, 'bin', 'bad'), 0o755)
  for (const name of ['given/src/sub', 'given/docs']) mkdirSync(join(folder, name), { recursive: true })
  const files = {
    '.env': secret,
    'key.pem': secret,
    'src/a.ts': 'x 1',
    'src/b.ts': 'bad',
    'docs/a.md': '.env\nkey.pem',
    list: 'bad',
  }
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, 'given', name), `${text}\n`)
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** What a shell did that is more than to look; null: nothing. */
function harm(shell: string, line: string): string | null {
  const cwd = join(folder, 'work')
  const ran = join(folder, 'ran')
  if (!existsSync(cwd)) cpSync(join(folder, 'given'), cwd, { recursive: true })
  const args = shell.endsWith('busybox') ? ['sh', '-c', line] : ['-c', line]
  const env = {
    PATH: `/usr/bin:/bin:${join(folder, 'bin')}`,
    HOME: cwd,
    RAN: ran,
    SECRET: secret,
    token: secret,
  }
  const options = {
    cwd,
    env,
    timeout: 5_000,
    input: 'a\nb\n',
    encoding: 'utf8',
    killSignal: 'SIGKILL',
  } as const
  const { stdout, stderr } = spawnSync(shell, args, options)
  const names = (of: string) => readdirSync(of, { recursive: true }).toSorted().join('\n')
  const harms = [
    existsSync(ran) && 'it ran a program',
    `${stdout}${stderr}`.includes(secret) && 'it printed a secret',
    names(cwd) !== names(join(folder, 'given')) && 'it made a file',
  ].filter(Boolean)
  if (harms.length === 0) return null
  for (const path of [ran, cwd]) rmSync(path, { recursive: true, force: true })
  return harms.join(', ')
}

const looks = (line: string): boolean => {
  const root = resolvePath('/work/app', null)
  const effect = effectOfCommand(line, { root, current: [root], keepsFolder: false })
  return effect === 'reads' || effect === 'reads_outside'
}

const variable = fc.constantFrom('f', 'x', 'token', 'SECRET', 'path')
const value = fc.oneof(
  variable.map((name) => `$${name}`),
  variable.map((name) => `"$${name}"`),
  variable.map((name) => `"\${${name}}"`),
  fc
    .tuple(
      variable,
      fc.constantFrom(':-', ':+', '-', '%', '##', '/'),
      fc.constantFrom('', 'b', '$token', '*', '*/', '.env'),
    )
    .map(([name, sign, word]) => `"\${${name}${sign}${word}}"`),
  fc.constantFrom(
    'src/a.ts',
    '.env',
    'src/*.ts',
    '*.ts',
    '*',
    './*',
    'key.pem',
    'list',
    '"a b"',
    "'*'",
    '$((1+2))',
    '$(cat list)',
    '`cat docs/a.md`',
    '$(bad)',
    '{src,.env}',
    '-f',
    '#',
    "'.env'",
    '~',
    '$PWD',
    'src/',
    '$HOME/.env',
    '> out',
    '< .env',
    '<(cat .env)',
    '<(bad)',
    '<(ls)',
  ),
)
const program = fc.constantFrom(
  'cat',
  'echo',
  'ls',
  'bad',
  'head -1',
  'grep b',
  "grep '.env'",
  'wc -l',
  'printf %s',
  'find',
  'cd',
  'sort',
  'test -f',
  '[ -n',
  'read',
  'read -r',
  'basename',
  ':',
  'xargs',
  'xargs cat',
  'xargs grep h',
  'xargs -I{} cat {}',
  'xargs wc -l',
  'find src -name',
  "find . -name '*.ts' -exec",
  'time',
  'timeout 1',
  'command',
  'nice',
)
const simple = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.constantFrom(
      'echo "$token"',
      'echo $SECRET',
      'cat "$f"',
      'cat $f',
      'cat .$x',
      'cat .env',
      'bad',
      'ls',
    ),
  },
  {
    weight: 5,
    arbitrary: fc
      .tuple(program, fc.array(value, { maxLength: 2 }))
      .map(([name, words]) => [name, ...words].join(' ')),
  },
  { weight: 1, arbitrary: fc.tuple(variable, value).map(([name, word]) => `${name}=${word}`) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      "find . -name '*.ts' | xargs cat",
      'ls | xargs wc -l',
      "find . -name '.e*' | xargs cat",
      'find . | xargs cat',
      'find . -print0 | xargs -0 cat',
      "find . -name '*.ts' -o -type f | xargs cat",
      "find . \\( -name '*.ts' -o -name '*.md' \\) -exec cat {} +",
      "find . -name '*.ts' -prune -o -type f -exec cat {} +",
      "find . -type f -exec cat {} + -name '*.ts'",
      'grep -rl x src | xargs cat',
    ),
  },
)
const { line } = fc.letrec<{ line: string; part: string }>((tie) => ({
  part: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    simple,
    fc
      .tuple(
        fc.constantFrom(
          '( @ )',
          '{ @; }',
          '! @',
          '{ @\n}',
          'if @; then %; fi',
          'if %; then :; else @; fi',
          'if :; then @; elif %; then %; fi',
          'for f in src/a.ts list; do @; done',
          'for f in .env; do @; done',
          'for x in 1 2; do @; %; done',
          'for f in src/*; do\n@\ndone',
          'for f in *; do @; done',
          'for token in a; do @; done',
          'for x in $(cat list); do @; done',
          'for path in .; do @; done',
          'while read -r f; do @; done < list',
          'while @; do break; done',
          'cat list | while read x; do @; done',
          'until @; do break; done',
          'while IFS= read -r x && %; do @; break; done',
          'while read -r token || %; do @; break; done <&-',
          'read token && @',
          'read token || @',
          'read token; @',
          'case a in a) @;; *) %;; esac',
          'case $x in (a|b) %;; (*) @; esac',
          'case "$f" in\n*)\n@\n;;\nesac',
          'echo "$(@)"',
          'cat <<X\n$(@)\nX',
          "cat <<'X'\n$(@)\nX",
          'cat <<X\n@\nX\n%',
          "cat <<-'X'\n\t@\n\tX\n%",
          '% <<X | @\nbad\nX',
          'cat <<X && @\nX\n%',
          'echo "$(cat <<X\n@\nX\n)"',
          'cat <<A; cat <<B\n@\nA\n%\nB',
          'cat <<X\n@\nXX\nX',
          'cat <<"X"\n@\nX',
          '[[ -f list ]] && @',
          '[[ -f list && -n $x ]]; @',
          '[[ -f x || -d @ ]]',
          '[[ $x == @ ]]',
          '[[ -n @ ]]',
          '[ -n "$(@)" ]',
          'f=list; @',
          'f=.env; @',
          'f=list && @',
          'false && f=list; @',
          '(f=list); @',
          'f=list | :; @',
          'x=$(%); @',
          'f=list; { f=.env; }; @',
          'f=list & @',
          'f=list; while @; do f=.env; break; done',
          'token=1; @',
          '(token=1); @',
          'false && token=1; @',
          'token=1 | :; @',
          'false && token=1 || @',
          '@ # list',
          '# list\n@',
          '@ | cat',
          '@ | xargs cat',
          '@ 2>/dev/null',
          '@ || true',
          'echo $(( 1 )) @',
          'diff <(@) <(%)',
          '@ < <(%)',
          'cat <<< "$(@)"',
          'cat <<< @',
          'echo {@,b}',
          'time @',
          'echo {} @',
          'echo $(@ }',
          'echo } @',
          'if @ then; fi',
          '@ }',
          '{ % } ; @',
          '[[ % ]] @',
        ),
        tie('part'),
        tie('part'),
      )
      .map(([around, inner, other]) => around.replace('@', () => inner).replaceAll('%', () => other)),
  ),
  line: fc
    .tuple(tie('part'), fc.constantFrom('; ', ' && ', ' || ', ' | ', '\n', ' & '), tie('part'), fc.boolean())
    .map(([a, operator, b, isBoth]) => (isBoth ? a + operator + b : a)),
}))

test(
  `what only looks for the gate only looks in a shell (SEED=${seed})`,
  () => {
    let tried = 0
    fc.assert(
      fc.property(line, (text) => {
        if (!looks(text)) return
        tried += 1
        for (const shell of shells) expect([shell, text, harm(shell, text)]).toEqual([shell, text, null])
      }),
      bounded(20_000),
    )
    // Otherwise nothing was tried.
    expect(tried).toBeGreaterThan(20)
  },
  timeoutMs,
)
