import { describe, expect, test } from '@jest/globals'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import ignore from 'ignore'
import { limits } from '../../src/limits.ts'
import { isIgnored, parseIgnoreFile } from '../../src/workspaces/gitignore.ts'
import { testRows } from '../support/rows.ts'

const unbounded = () => ({ left: Number.MAX_SAFE_INTEGER })

/** Our answer, asked as the walk asks: a file in an ignored folder is ignored. A path with `/` at its end is a folder. */
function ours(text: string, path: string): boolean {
  const rules = [parseIgnoreFile(text, 0, limits.ignoreRulesMax)]
  const isFolder = path.endsWith('/')
  const parts = (isFolder ? path.slice(0, -1) : path).split('/')
  return parts.some((_, i) =>
    isIgnored(rules, parts.slice(0, i + 1), isFolder || i < parts.length - 1, unbounded()),
  )
}

describe('a .gitignore is read as git reads it', () => {
  const rows: [rule: string, ignored: string[], shown: string[]][] = [
    ['*.log', ['a.log', 'x/y.log', '.log'], ['a.logs', 'log']],
    ['build', ['build', 'build/', 'x/build/', 'build/x'], ['builds', 'a.build']],
    ['build/', ['build/', 'x/build/', 'build/x'], ['build', 'x/build']],
    ['/build', ['build', 'build/x'], ['x/build']],
    ['doc/*.txt', ['doc/a.txt'], ['doc/x/a.txt', 'x/doc/a.txt', 'a.txt']],
    ['**/foo', ['foo', 'x/foo', 'x/y/foo/z'], ['xfoo']],
    ['foo/**', ['foo/a', 'foo/a/b'], ['foo', 'foo/', 'x/foo/a']],
    ['a/**/b', ['a/b', 'a/x/b', 'a/x/y/b'], ['b', 'x/a/b', 'a/b2']],
    ['a/***/b', ['a/b', 'a/x/b'], ['b']],
    ['a/b**/c', ['a/b/c', 'a/bx/c'], ['a/b/x/c']],
    ['*', ['a', 'a/b', '.x'], []],
    ['*.log\n!keep.log', ['a.log'], ['keep.log', 'x/keep.log']],
    ['x/\n!x/keep', ['x/keep'], []],
    ['x/*\n!x/keep', ['x/a'], ['x/keep']],
    ['# note\n\n\\#real', ['#real'], ['# note']],
    ['\\!real', ['!real'], ['real']],
    ['trailing   ', ['trailing'], ['trailing   ']],
    ['kept\\ ', ['kept '], ['kept']],
    ['kept\\  ', ['kept '], ['kept', 'kept  ']],
    ['tab\t', ['tab\t'], ['tab']],
    ['a?c', ['abc', 'a.c'], ['ac', 'a/c', 'abbc']],
    ['[a-c]1', ['a1', 'c1'], ['d1', '1']],
    ['[!a-c]1', ['d1'], ['a1', '/1']],
    ['[^a]', ['b'], ['a']],
    ['[]]x', [']x'], ['x']],
    ['[]-]', [']', '-'], ['x']],
    ['[a\\]b]', [']', 'a'], ['c']],
    ['[[:digit:]x]', ['7', 'x'], ['a']],
    ['[[:nonsense:]]', [], ['a', ':']],
    ['open[', [], ['open[', 'open']],
    ['end\\', [], ['end', 'end\\']],
    ['a\\*b', ['a*b'], ['axb']],
    ['report.[0-9]*.[0-9]*.json', ['report.1.22.json', 'report.1x.2.json'], ['report.x.1.json']],
    ['aa**/c', ['aa/c', 'aab/c'], ['aac/a', 'aa/b/c']],
    ['/', [], ['a']],
    ['!', [], ['a', '!']],
    ['UPPER', ['UPPER'], ['upper']],
    ['windows\r', ['windows'], ['windows\r']],
    ['\ufefffirst', ['first'], ['\ufefffirst']],
  ]

  testRows(rows)('rule by rule', (text, ignored, shown) => {
    expect(ignored.filter((path) => !ours(text, path))).toEqual([])
    expect(shown.filter((path) => ours(text, path))).toEqual([])
  })

  const part = fc.string({ unit: fc.constantFrom('a', 'b', 'c', '.', '-'), minLength: 1, maxLength: 4 })
  const usable = part.filter((name) => !/^\.+$/.test(name))
  const paths = fc.array(usable, { minLength: 1, maxLength: 4 }).map((parts) => parts.join('/'))
  const globPart = fc.oneof(
    fc.constant('**'),
    fc.string({
      unit: fc.constantFrom('a', 'b', 'c', '.', '-', '*', '?', '[ab]', '[!a]'),
      minLength: 1,
      maxLength: 5,
    }),
  )
  const rule = fc
    .tuple(
      fc.constantFrom('', '', '', '!'),
      fc.constantFrom('', '', '/'),
      fc.array(globPart, { minLength: 1, maxLength: 3 }),
      fc.constantFrom('', '', '/'),
    )
    .map(([not, slash, parts, folder]) => not + slash + parts.join('/') + folder)
  const files = fc.array(rule, { minLength: 1, maxLength: 4 }).map((rules) => rules.join('\n'))

  test('as the library that many tools use has it, whatever the rules', () => {
    fc.assert(
      fc.property(files, fc.array(paths, { minLength: 1, maxLength: 8 }), (text, all) => {
        const theirs = ignore({ ignorecase: false }).add(text)
        for (const path of all)
          expect([text, path, ours(text, path)]).toEqual([text, path, theirs.ignores(path)])
      }),
      { numRuns: 3_000 },
    )
  })

  // Without git, the library's word must do.
  if (spawnSync('git', ['--version']).status !== 0) return

  // Git takes the letters before the first wildcard off a rule with a path, and then finds `**` at its beginning: `aa**/c`
  // hides `aac` there, against its own manual. The library and we take it for an ordinary asterisk, as the manual says.
  const misread = /^!?\/?[^*?[\n]*[^/*?[!\n]\*{2,}(?:\/|$)/m

  test('as git itself has it, whatever the rules', () => {
    const repository = mkdtempSync(join(tmpdir(), 'gate-ignore-'))
    const git = (...args: string[]) => ['-C', repository, '-c', 'core.excludesFile=/dev/null', ...args]
    try {
      spawnSync('git', git('init', '-q'))
      fc.assert(
        fc.property(files, fc.uniqueArray(paths, { minLength: 5, maxLength: 40 }), (text, all) => {
          fc.pre(!misread.test(text))
          writeFileSync(join(repository, '.gitignore'), text)
          const asked = spawnSync('git', git('check-ignore', '--no-index', '-z', '--stdin'), {
            input: all.join('\0'),
          })
          const theirs = asked.stdout.toString().split('\0').filter(Boolean)
          expect([text, all.filter((path) => ours(text, path))]).toEqual([text, theirs])
        }),
        { numRuns: 100 },
      )
    } finally {
      rmSync(repository, { recursive: true, force: true })
    }
  })
})

describe('the cost of a .gitignore is bounded', () => {
  const long = Array.from({ length: 500 }, () => 'a').join('/')

  test.each([
    ['stars in a name', `${'*a'.repeat(120)}b`, 'a'.repeat(255)],
    ['classes', `${'[ab]*'.repeat(50)}c`, 'ab'.repeat(127)],
    ['any number of folders, time and again', `${'a/**/'.repeat(50)}b`, `${long}/c`],
    ['both', `${'**/*a*a*a*'.repeat(20)}b`, long],
  ])('%s: in a time that the lengths of rule and path multiply to', (_what, rule, path) => {
    const steps = unbounded()
    const [rules] = [parseIgnoreFile(rule, 0, 1)]
    const used = process.cpuUsage()
    expect(isIgnored([rules], path.split('/'), false, steps)).toBe(false)
    expect(Number.MAX_SAFE_INTEGER - steps.left).toBeLessThan(rule.length * path.length * 4)
    expect(process.cpuUsage(used).user / 1_000).toBeLessThan(500)
  })

  test('when the steps have run out, everything counts as ignored', () => {
    const rules = [parseIgnoreFile('!kept\n*x*y', 0, 10)]
    expect(isIgnored(rules, ['kept'], false, { left: 100 })).toBe(false)
    expect(isIgnored(rules, ['kept'], false, { left: 2 })).toBe(true)
  })

  test('rules beyond their number, and rules that are too long, are not there', () => {
    const many = parseIgnoreFile(Array.from({ length: 50 }, (_, i) => `r${i}`).join('\n'), 0, 20)
    expect(many.rules).toHaveLength(20)
    const length = limits.ignoreRuleCharsMax
    expect(parseIgnoreFile(`${'a'.repeat(length)}\n${'b'.repeat(length + 1)}`, 0, 20).rules).toHaveLength(1)
  })
})

test('an inner .gitignore decides before an outer one', () => {
  const [outer, inner] = [parseIgnoreFile('*.log\n/only', 0, 9), parseIgnoreFile('!*.log\n/own', 1, 9)]
  const decide = (path: string) => isIgnored([inner, outer], path.split('/'), false, unbounded())
  expect(['x/a.log', 'x/own', 'x/y/own', 'x/only'].map(decide)).toEqual([false, true, false, false])
})
