import { expect, test } from '@jest/globals'
import { actionKinds } from '../../src/actions/registry.ts'
import { nouns } from '../../src/cli/nouns.ts'
import { codeOfDetail, httpStatusOf } from '../../src/errors.ts'
import { denialCodes } from '../../src/gate/denial.ts'
import { entryKinds } from '../../src/gate/lifecycle.ts'
import { operations } from '../../src/operations/registry.ts'
import { readPage } from './markdown.ts'

const missing = (page: string, names: string[]): string[] => {
  const markdown = readPage(page)
  return names.filter((name) => !markdown.includes(name))
}

const verbs = operations(actionKinds)

test('docs/rest.md has every path, and every status of an error', () => {
  const paths = verbs.flatMap(({ http }) => (http ? [`${http.method} ${http.path}`] : []))
  expect(paths.length).toBeGreaterThan(6)
  expect(missing('docs/rest.md', paths)).toEqual([])
  const statuses = Object.values(httpStatusOf).filter((status) => status !== 410)
  expect(missing('docs/rest.md', statuses.map(String))).toEqual([])
})

test('docs/rest.md has one row for every code of an error, with its status, and for every code of a denial', () => {
  const markdown = readPage('docs/rest.md')
  const rowsOf = (heading: string) => [
    ...markdown
      .split(`## ${heading}`)[1]!
      .split('\n## ')[0]!
      .matchAll(/^\| `(\w+)` \|(?: (\d{3}) \|)?/gm),
  ]
  const details = Object.entries(codeOfDetail).map(([detail, code]) => [detail, httpStatusOf[code]])
  const expected = [...Object.entries(httpStatusOf), ...details].map(([code, status]) => `${code} ${status}`)
  const documented = rowsOf('Handle an error').flatMap(([, code, status]) =>
    status ? [`${code} ${status}`] : [],
  )
  expect(documented.toSorted()).toEqual(expected.toSorted())
  expect(rowsOf('Read a denial').map(([, code]) => code)).toEqual([...denialCodes])
})

test('docs/mcp.md has every tool', () => {
  const tools = verbs.flatMap(({ name, tool }) => (tool ? [`\`${name}\``] : []))
  expect(tools.length).toBeGreaterThan(15)
  expect(missing('docs/mcp.md', tools)).toEqual([])
})

test('docs/concepts.md has every kind of action', () => {
  expect(
    missing(
      'docs/concepts.md',
      actionKinds.map(({ kind }) => `\`${kind}\``),
    ),
  ).toEqual([])
})

test('docs/cli.md has every noun and verb, and every kind of ledger entry', async () => {
  const all: { noun: string; verb: string }[] = []
  // One after the other: Jest links modules that are loaded at once more than once.
  for (const [noun, load] of Object.entries(nouns))
    all.push(...Object.keys(await load()).map((verb) => ({ noun, verb })))
  const said = readPage('docs/cli.md').replaceAll('`', ' ')
  const unsaid = all.filter(
    ({ noun, verb }) => !said.includes(`${noun} ${verb}`.trim()) && !said.includes(` ${verb} `),
  )
  expect(all.length).toBeGreaterThan(30)
  expect(unsaid).toEqual([])
  expect(
    missing(
      'docs/cli.md',
      entryKinds.map((kind) => `\`${kind}\``),
    ),
  ).toEqual([])
})
