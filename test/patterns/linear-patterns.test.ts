import { spawnSync } from 'node:child_process'
import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, test } from '@jest/globals'
import { ts } from '@ts-morph/common'
import { projectRoot } from '../../src/process/root.ts'
import { testRows } from '../support/rows.ts'
import { slowInput } from './slow-input.ts'

/** Patterns that the analysis does not call linear, by their file and how they start: with the reason why no text is slow. */
const bounded: Record<string, string> = {
  'packages/hook/lib/toml.js """': 'tried once, at a quote: the reading ends where it fails',
  'packages/hook/lib/toml.js "(?:': 'tried once, at a quote: the reading ends where it fails',
  'dev/embedded/temporal.ts address already in use|p': 'what a server of ours says that does not start',
  'src/environment/forms.ts ^[A-Za-z0-9+/]{43}=(, ':
    'a variable of the environment. Linear: a comma starts each part, and none is in a part',
  'src/gate/runner-calls/command/awk.ts \\/(?:[\\w ,':
    'tried once, at a slash: the reading ends where it fails, and at 500 characters',
  'src/gate/runner-calls/command/compound.ts [A-Za-z_]\\w*':
    'tried once, after `for`: the reading ends where it fails',
  "src/gate/runner-calls/command/here-document.ts '\\w+'":
    'tried once, after `<<`: the reading ends where it fails',
  'src/gate/runner-calls/command/parse.ts #+(?=': 'tried once, at `#`: the reading ends where it fails',
  'src/gate/runner-calls/command/parse.ts (\\d+(?=[<>]))?': 'tried once, at the start of a word',
  'src/gate/runner-calls/command/parse.ts (\\d+|-)(?=[\\s;|&)]|$)': 'tried once, after an operator',
  'src/gate/runner-calls/command/parse.ts [A-Za-z_][A-Za-z0-9_]*': 'tried once, at the start of a word',
  'src/gate/runner-calls/command/scripts.ts [ ;\\n]+|(?:(?:': 'tried once, after the command before',
  'src/transports/scim/filter.ts ([a-z][\\w.:]{0,60}|':
    'tried where the condition before ends: the reading ends where it fails',
  'src/gate/runner-calls/mask.ts -----BEGIN (?:[A-Z0-9 ]{':
    'linear: only the first line after it can fail, at a space',
}

/** Made of texts, and not while modules are loaded: those that the patterns are made of. */
const madeLater: Record<string, [source: string, flags: string][]> = {
  'src/console/runner-rules/match-text.ts': [['[\\p{Cc}\\p{Cf}\\p{Zl}\\p{Zp}]', 'gu']],
  'dev/sandbox/sandbox.ts': [['^(127\\.0\\.0\\.1|localhost|\\[::1\\])(:\\d+)?$|^[a-z\\d-]+(:\\d+)?$', 'i']],
  'packages/attack/lib/redact.js': [['literal|other', 'gi']],
}

interface FoundPattern {
  file: string
  line: number
  source: string
  flags: string
}

test('every pattern is linear in the length of the text, or says why no text is slow', () => {
  const { literals, makers } = patternsOf(
    ['src', 'activities', 'workflows', 'dev', 'packages'].flatMap(filesUnder),
  )
  expect(literals.length).toBeGreaterThan(400)
  const found = new Map<string, string>()
  for (const { file, line, source, flags } of [...literals, ...madeIn(makers)]) {
    const problem = problemOf(source, flags)
    if (problem !== undefined) found.set(`${file} ${source}`, `${file}:${line} ${problem}`)
  }
  const starts = Object.keys(bounded)
  const isListed = (name: string) => starts.some((start) => name.startsWith(start))
  expect([...found].filter(([name]) => !isListed(name)).map(([, problem]) => problem)).toEqual([])
  const names = [...found.keys()]
  expect(starts.filter((start) => !names.some((name) => name.startsWith(start)))).toEqual([])
}, 60_000)

const slowPatterns: [pattern: RegExp, repeated: RegExp][] = [
  // Each attempt reads to the end, and there are as many attempts as characters.
  [/\s+$/, /^\s+$/],
  [/\s+x/g, /^\s+$/],
  [/\s+x/y, /^\s+$/],
  [/.*x.*z/, /./],
  [/a*?b/, /^a+$/],
  [/(?:a|b)*c/, /^[ab]+$/],
  [/\p{L}+x/u, /^\p{L}+$/u],
  [/<form [^>]*>/, /<form /],
  [/(?:(?!x)[^])*y/, /./],
  [/"(?:[^"\\]|\\.)*"/g, /"/],
  // Two repetitions share a run.
  [/^a*a*$/, /^a+$/],
  [/^\s*(?:x)?\s*y/, /^\s+$/],
  [/^.*,.*,.*$/, /,/],
  [/^([^:]*):[ \t]*(.*?)[ \t]*$/, /^[ \t]+$/],
  // Nested repetitions.
  [/^(?:a+)+$/, /^a+$/],
  [/^(?:a|a)*$/, /^a+$/],
  [/^(?:a|ab|b)*$/, /a|b/],
  [/^(?:(?:a?|b?)c)*$/, /c/],
  [/^(?:a{1,50}){1,50}$/, /^a+$/],
  // Each match is linear, and all of them are not.
  [/a(?:.*b)?/g, /a/],
  [/a(?=.*b|)/g, /a/],
]

testRows(slowPatterns)(
  'a pattern that is not linear is found, with a text that shows it',
  (pattern, shape) => {
    const found = slowInput(pattern.source, pattern.flags)
    expect(found?.repeated).toMatch(shape)
  },
)

const linearPatterns = [
  /(?<!\s)\s+$/,
  /^\s+x/g,
  /\w+/g,
  /\b\w+\b!/g,
  /"[^"]*"/g,
  /#.*$/gm,
  /\r?\n/g,
  /^[^=]*=(.*)$/,
  /^\S+\s.*$/,
  /^(?:[^"\\]|\\.)*"/,
  /[\da-f]{8}-[\da-f-]{27}/g,
  /^[a-z]{1,64}$/,
  /^(?:ab|ac)*$/,
  /(?<=\s|^)-\S*x/,
  /^(['"])[^'"]*\1/,
]

testRows(linearPatterns)('the check finds no pattern that is linear', (pattern) => {
  expect(slowInput(pattern.source, pattern.flags)).toBeUndefined()
})

testRows([/(?<=a.*)b/, /^(ab+)\1$/])('a pattern that is not understood is not called linear', (pattern) => {
  expect(() => slowInput(pattern.source, pattern.flags)).toThrow()
})

function problemOf(source: string, flags: string): string | undefined {
  // Sequences of emoji have at most ten code points: the engine looks one up at each place.
  const plain = source.replaceAll(String.raw`\p{RGI_Emoji}`, String.raw`[\p{Emoji}\u200d\ufe0f]{1,10}`)
  try {
    const slow = slowInput(plain, flags)
    return (
      slow &&
      `/${source}/${flags} is slow on ${JSON.stringify(slow.prefix)}, then ${JSON.stringify(slow.repeated)} many times`
    )
  } catch (error) {
    return `/${source}/${flags}: ${(error as Error).message}`
  }
}

/** @returns the patterns of files, and the places that make patterns of texts */
function patternsOf(files: string[]) {
  const literals: FoundPattern[] = []
  const makers: { file: string; line: number }[] = []
  for (const file of files) {
    const code = ts.createSourceFile(
      file,
      readFileSync(join(projectRoot, file), 'utf8'),
      ts.ScriptTarget.Latest,
    )
    const lineOf = (node: ts.Node) => code.getLineAndCharacterOfPosition(node.getStart(code)).line + 1
    const visit = (node: ts.Node): void => {
      if (ts.isRegularExpressionLiteral(node)) {
        const [end, line] = [node.text.lastIndexOf('/'), lineOf(node)]
        literals.push({ file, line, source: node.text.slice(1, end), flags: node.text.slice(end + 1) })
      }
      const isCall = ts.isNewExpression(node) || ts.isCallExpression(node)
      if (isCall && node.expression.getText(code) === 'RegExp') makers.push({ file, line: lineOf(node) })
      ts.forEachChild(node, visit)
    }
    visit(code)
  }
  return { literals, makers }
}

/** @returns the patterns that such places make while the modules are loaded. Each makes one, or is in `madeLater` */
function madeIn(makers: { file: string; line: number }[]): FoundPattern[] {
  const urlOf = (file: string) => pathToFileURL(join(projectRoot, file)).href
  const program = join(projectRoot, 'test/patterns/made-patterns.ts')
  const loader = pathToFileURL(join(projectRoot, 'test/support/run-ts.js')).href
  const files = [...new Set(makers.map(({ file }) => file))].filter((file) => !(file in madeLater))
  // These files call functions that make patterns of what they are given.
  const callers = ['src/actions/registry.ts', 'src/providers/stripe/reads.ts']
  const run = spawnSync(
    process.execPath,
    ['--import', loader, program, ...[...files, ...callers].map(urlOf)],
    {
      encoding: 'utf8',
    },
  )
  if (run.status !== 0) throw new Error(run.stderr)
  const made: { place: string; source: string; flags: string }[] = JSON.parse(run.stdout)
  return makers.flatMap(({ file, line }) => {
    const later = madeLater[file]?.map(([source, flags]) => ({ source, flags }))
    const here = later ?? made.filter(({ place }) => place.startsWith(`${urlOf(file)}:`))
    if (here.length === 0) throw new Error(`${file}:${line} makes no pattern while it is loaded`)
    return here.map(({ source, flags }) => ({ file, line, source, flags }))
  })
}

function filesUnder(folder: string): string[] {
  return readdirSync(join(projectRoot, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.(?:ts|js|mjs)$/.test(file) && !/(?:^|\/)(?:node_modules|test)\/|\.d\.ts$/.test(file))
    .map((file) => `${folder}/${file}`)
}
