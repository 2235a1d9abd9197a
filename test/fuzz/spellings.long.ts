import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { applyRules } from '../../src/gate/runner-calls/rules.ts'
import { bounded, seed, timeoutMs } from './runs.ts'

// Lines are run by real shells. Where one of them started `git push`, a rule that denies it must have denied the line.

let folder: string
const shells = ['/bin/bash', '/bin/dash', '/usr/bin/zsh', '/usr/bin/busybox'].filter((path) =>
  existsSync(path),
)
beforeAll(() => {
  folder = mkdtempSync(join(process.env['TEST_RUN_DIR'] ?? tmpdir(), 'spellings-'))
  mkdirSync(join(folder, 'bin'))
  mkdirSync(join(folder, 'sub'))
  writeFileSync(join(folder, 'bin', 'git'), `#!/bin/sh\nprintf '%s\\037' "$@" >> "$RAN"\necho >> "$RAN"\n`)
  chmodSync(join(folder, 'bin', 'git'), 0o755)
  // Wildcards may stand for these.
  for (const name of ['push', 'git', '-f']) writeFileSync(join(folder, name), '')
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

let runs = 0
/** Whether a shell that is given the line starts `git push`. */
function pushes(shell: string, line: string): boolean {
  const ran = join(folder, `ran-${(runs += 1)}`)
  const args = shell.endsWith('busybox') ? ['sh', '-c', line] : ['-c', line]
  const env = { PATH: `${join(folder, 'bin')}:/usr/bin:/bin`, HOME: folder, RAN: ran }
  // By pipes, so that this waits also for what a line leaves in the background: it holds them open.
  spawnSync(shell, args, { cwd: folder, env, timeout: 10_000, input: '', stdio: 'pipe' })
  if (!existsSync(ran)) return false
  return readFileSync(ran, 'utf8')
    .split('\n')
    .some((run) => subcommandOf(run.split('\u001f')) === 'push')
}

const valued = ['-C', '-c', '--git-dir', '--work-tree', '--namespace']
function subcommandOf(args: string[]): string | undefined {
  const at = args.findIndex((arg, i) => !arg.startsWith('-') && !valued.includes(args[i - 1] ?? ''))
  return args[at]
}

const isDenied = (command: string): boolean => {
  const rules = [
    { tool: '*', match: { command: 'git push*' }, decision: 'deny', note: 'no' },
    { tool: '*', decision: 'allow', note: 'else' },
  ] as const
  const call = { runner: 'claude', tool: 'Bash', input: { command }, cwd: folder } as const
  const nothing = { runnerVersion: null, session: null, callId: null, agentId: null, mcpServer: null }
  return (
    applyRules({ rules: [...rules], record: 'refused' }, { ...call, ...nothing }, 'write').decision === 'deny'
  )
}

/** A word as shells take it apart: each character may be quoted in some way. */
const spelled = (word: string): fc.Arbitrary<string> =>
  fc
    .array(fc.constantFrom('', "'", '"', '\\', '""', "''", '$@', '\\\n', '?', '[]'), {
      minLength: word.length,
      maxLength: word.length,
    })
    .map((signs) =>
      word
        .split('')
        .map((char, i) => {
          const sign = signs[i]!
          if (sign === '?') return i > 0 ? '?' : char
          if (sign === '[]') return i > 0 ? `[${char}]` : char
          if (sign === "'" || sign === '"') return sign + char + sign
          return sign + char
        })
        .join(''),
    )

const blank = fc.constantFrom(' ', '  ', '\t', ' \\\n ')
const git = fc.oneof(
  spelled('git'),
  fc.constantFrom('git', 'bin/git', './bin/git', 'bin/../bin/git', '$G', '"$G"', 'g${E}it'),
)
const push = fc.oneof(
  spelled('push'),
  fc.constantFrom('push', '$P', '${P}', 'p*', '$(echo push)', '`echo push`', '{push,x}'),
)
const options = fc.constantFrom(
  '',
  '-C .',
  '-c a.b=c',
  '--no-pager',
  '--git-dir .git',
  '-C sub -c a.b=c',
  '-p',
  '"-C" sub',
)
const operands = fc.constantFrom(
  '',
  'origin',
  '-f',
  '"a b"',
  "'; ls'",
  '$X',
  '*',
  '> out',
  '2>&1',
  '>/dev/null 2>&1',
)
const simple = fc
  .tuple(git, blank, options, blank, push, blank, operands)
  .map(([a, b, c, d, e, f, g]) => [a, b, c, c && d, e, g && f, g].join(''))
const other = fc.constantFrom('true', 'echo push', 'ls', 'cd sub', 'cd .', 'git status', 'false', ':', 'X=1')
const command = fc.oneof({ weight: 4, arbitrary: simple }, { weight: 1, arbitrary: other })
const wrapped = fc
  .tuple(
    fc.constantFrom(
      '@',
      'A=1 @',
      'env @',
      'env -u A @',
      'env A=1 @',
      'command @',
      'exec @',
      'nice -n 1 @',
      'nohup @',
      'timeout 5 @',
      'setsid -w @',
      'stdbuf -oL @',
      '( @ )',
      '{ @; }',
      '! @',
      'if true; then @; fi',
      'for i in 1; do @; done',
      'while @; do break; done',
      'case x in x) @;; esac',
      'f() { @; }; f',
      'echo $(@)',
      'echo "$(@)"',
      'X=$(@)',
      'cat <<X\n$(@)\nX',
      'eval "@"',
      "eval '@'",
      "bash -c '@'",
      'sh -c "@"',
      "echo '@' | sh",
      "sh <<'X'\n@\nX",
      "xargs sh -c '@' </dev/null",
      'echo x | xargs @',
      'find . -maxdepth 0 -exec @ \\;',
      "trap '@' EXIT",
      '@ &\nwait',
      'a=@; $a',
      "alias g='@'\ng",
      '{ @\n}',
      'if @; then :; fi',
      'if false; then :; elif @; then :; fi',
      'if false; then :; else @; fi',
      'until @; do break; done',
      'for i in 1 2; do for j in 3; do @; done; done',
      'while read -r x; do @; break; done <<X\na\nX',
      'case x in\n(y | x)\n@\nesac',
      '[[ x ]] && @',
      '[[ -n $(@) ]]',
      'cat <(@)',
      'cat < <(@)',
      'cat <<< "$(@)"',
      'echo "${Z:-$(@)}"',
      'cat <<-X\n\t$(@)\n\tX',
      "bash <<'X'\n@\nX",
      'cat <<X | sh\n@\nX',
      "cat > s <<'X'; sh s\n@\nX",
      'cat <<A; @\na\nA',
      'cat <<A; cat <<B\na\nA\n$(@)\nB',
      'echo "$(cat <<X\n$(@)\nX\n)"',
      "source <(echo '@')",
      'for f in push; do git $f; done; @',
      'for g in git; do $g push; done; @',
      'for f in x; do printf -v f push; git $f; done; @',
      'f=push; git $f; @',
      'echo push | while read f; do git $f; done; @',
      'echo push | xargs -I{} git {}; @',
      '@ # list',
      'true # list\n@',
      'echo $((1 + 1)); @',
    ),
    command,
  )
  .map(([around, inner]) => around.replace('@', () => inner))
const line = fc
  .tuple(wrapped, fc.constantFrom('; ', ' && ', ' || ', ' | ', '\n', ' & '), wrapped, fc.boolean())
  .map(([a, operator, b, isBoth]) => `P=push G=git E=\n${isBoth ? a + operator + b : a}`)

test(
  `whatever a shell runs as \`git push\` is denied where \`git push*\` is (SEED=${seed})`,
  () => {
    let [tried, ran] = [0, 0]
    fc.assert(
      fc.property(line, fc.constantFrom(...shells), (text, shell) => {
        const isRun = pushes(shell, text)
        tried += 1
        if (isRun) ran += 1
        if (isRun) expect([text, isDenied(text)]).toEqual([text, true])
      }),
      bounded(1_500),
    )
    // Otherwise the lines are no lines that run it. How many are tried depends on the machine.
    expect(tried).toBeGreaterThan(20)
    expect(ran).toBeGreaterThan(tried / 2)
  },
  timeoutMs,
)
