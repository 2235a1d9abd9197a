import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { effectOfWords } from '../../src/gate/runner-calls/command/classify.ts'
import { resolvePath } from '../../src/gate/runner-calls/paths.ts'
import { awkArguments, findArguments, jqArguments, sedArguments } from './script-texts.ts'
import { bounded, seed, timeoutMs } from './runs.ts'

// Scripts are run by each implementation that is installed. Where one of them started a program, changed a file, or showed a file or
// variable that it was not given, the gate must not have judged the command to read.

/** The programs of a list that are installed. */
const programs = (...names: string[]): string[] =>
  names.filter((name) => spawnSync(name.split(' ')[0]!, ['--version']).error === undefined)

const seds = programs('sed', 'gsed', 'busybox sed', 'toybox sed', 'ssed', 'bsdsed', '/usr/lib/plan9/bin/sed')
const awks = programs('gawk', 'mawk', 'original-awk', 'busybox awk', 'goawk', 'awk')
const jqs = programs('jq', 'gojq', 'jaq')
const finds = programs('find', 'gfind', 'busybox find', 'toybox find', 'bfs')

let folder: string
/** Root could write anywhere. */
const nobody = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {}
beforeAll(() => {
  folder = mkdtempSync(join(process.env['TEST_RUN_DIR'] ?? tmpdir(), 'scripts-'))
  for (let path = folder; path !== tmpdir() && path !== '/'; path = join(path, '..'))
    if (nobody.uid !== undefined) chmodSync(path, 0o777)
  restore()
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const texts: Record<string, string> = {
  // A script that runs a line, or writes to a file of its name, is seen.
  'a.txt': 'boom\nboom a b\nnew foo\na/b [x] ]\nboom\n',
  'b.txt': 'boom\n',
  'a.json': '{"a":{"b":1},"env":{"X":"y"},"jobs":{"build":{"env":1}},"import":2,"debug":3}\n',
  canary: 'quiet\n',
  secret: '"SECRET"\n',
  'm.jq': 'def f: "SECRET";\n',
  'm.json': '"SECRET"\n',
  'evil.awk': 'BEGIN { system("boom") }\n{ print > "new" }\n',
}
const programNames = ['boom', 'a', 'b', 'x', 'p', 'o', 'e', 'w']
const names = [...Object.keys(texts), 'bin', 'sub'].sort()

function restore(): void {
  for (const name of readdirSync(folder)) rmSync(join(folder, name), { recursive: true, force: true })
  for (const name of ['bin', 'sub']) mkdirSync(join(folder, name))
  for (const [name, text] of Object.entries(texts)) writeFileSync(join(folder, name), text)
  writeFileSync(join(folder, 'sub', 'c.txt'), '')
  for (const name of programNames) writeFileSync(join(folder, 'bin', name), '#!/bin/sh\n: > "$BOOMED"\n')
  for (const name of programNames) chmodSync(join(folder, 'bin', name), 0o755)
  if (nobody.uid !== undefined)
    for (const name of readdirSync(folder)) chmodSync(join(folder, name), name === 'bin' ? 0o755 : 0o777)
}

/** What some commands did beside reading the files that they were given; null: nothing. */
function harmOf(program: string, commands: string[][], isPosix: boolean): string | null {
  const env = {
    PATH: `${join(folder, 'bin')}:/usr/bin:/bin`,
    HOME: join(folder, 'sub'),
    BOOMED: join(folder, 'boomed'),
    TOKEN: 'SECRET',
    LC_ALL: 'C.UTF-8',
    ...(isPosix && { POSIXLY_CORRECT: '1' }),
  }
  const lines = commands.map((args) =>
    [...program.split(' '), ...args].map((word) => `'${word.replaceAll("'", "'\\''")}'`),
  )
  const text = ['ulimit -t 1', ...lines.map((line) => line.join(' '))].join('\n')
  // One shell for all: it starts a program faster than this process does.
  const { stdout, stderr } = spawnSync('/bin/sh', ['-c', text], {
    cwd: folder,
    env,
    input: '',
    timeout: 60_000,
    ...nobody,
  })
  const now = readdirSync(folder)
  const isSame = now.sort().join() === names.join() && Object.keys(texts).every(isUnchanged)
  const harm = now.includes('boomed')
    ? 'started a program'
    : !isSame || readdirSync(join(folder, 'sub')).join() !== 'c.txt'
      ? 'changed files'
      : `${stdout}${stderr}`.includes('SECRET')
        ? 'showed a secret'
        : null
  if (harm) restore()
  return harm
}

const isUnchanged = (name: string): boolean => readFileSync(join(folder, name), 'utf8') === texts[name]

function isJudgedToRead(words: string[]): boolean {
  const root = resolvePath('/work/app', null)
  return effectOfWords(words, { root, current: [root], keepsFolder: false }) === 'reads'
}

const commands: [string, fc.Arbitrary<string[]>, string[], string][] = [
  ['sed', sedArguments, seds, 'sed'],
  ['awk', awkArguments, awks, 'mawk'],
  ['jq', jqArguments, jqs, 'jq'],
  ['find', findArguments, finds, 'find'],
]
for (const [name, args, by, needed] of commands)
  test(
    `${name} only reads where it is judged to, with ${by.join(', ')} (SEED=${seed})`,
    () => {
      expect(by).toContain(needed)
      const count = { reading: 0, others: 0, harmful: 0 }
      const batches = fc.array(args, { minLength: 25, maxLength: 50, size: 'max' })
      fc.assert(
        fc.property(batches, fc.boolean(), fc.constantFrom(...by), (commands, isPosix, one) => {
          const reading = commands.filter((words) => isJudgedToRead([name, ...words]))
          const others = commands.filter((words) => !reading.includes(words))
          count.reading += reading.length
          count.others += others.length
          for (const program of by)
            expect([program, isPosix, reading, harmOf(program, reading, isPosix)]).toEqual([
              program,
              isPosix,
              reading,
              null,
            ])
          // This counts harmful lines among the others, which shows that there are dangers among them.
          if (harmOf(one, others, isPosix)) count.harmful += 1
        }),
        // As many on a slow machine as on a fast one: what is counted below must not depend on the clock.
        bounded(10, null),
      )
      if (process.env['COUNTS']) process.stderr.write(`${name} ${JSON.stringify(count)}\n`)
      // Otherwise nothing was tried.
      expect(count.reading).toBeGreaterThan(20)
      expect(count.harmful).toBeGreaterThan(0)
    },
    timeoutMs,
  )
