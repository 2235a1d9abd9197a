import { describe, expect, test } from '@jest/globals'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { projectRoot } from '../src/root.ts'
import { testAndGroupNames, testNames } from './support/test-names.ts'

interface Requirement {
  id: string
  /**
   * The part of the interface it belongs to: 1 purpose, 2 fields, 3 states, 4 endpoints, 5 authentication, 6 events, 7 errors,
   * 8 limits, 9 versioning.
   * @source docs/rest.md, docs/mcp.md
   */
  section: string
  requirement: string
  tests: { file: string; name: string }[]
}

const read = (file: string) => readFileSync(join(projectRoot, file), 'utf8')
const map = JSON.parse(read('test/spec-map.json')) as Requirement[]
const namesIn = new Map<string, string[]>()

function namesOf(file: string): string[] {
  if (!namesIn.has(file)) namesIn.set(file, testNames(read(file)))
  return namesIn.get(file)!
}

describe('the map from what the interface promises to the tests that hold it', () => {
  test('covers every part of the interface', () => {
    const sections = new Set(map.map((row) => row.section.split(',')[0]))
    expect([...sections].sort()).toEqual(['1', '2', '3', '4', '5', '6', '7', '8', '9'])
  })

  test('names each requirement once, by an id that begins with its section', () => {
    expect(new Set(map.map((row) => row.id)).size).toBe(map.length)
    for (const { id, section } of map)
      expect(id).toMatch(new RegExp(`^${section.split(',')[0]}\\.[a-z0-9-]+$`))
  })

  test.each(map.map((row) => [row.id, row.requirement, row] as const))(
    '%s is held by tests: %s',
    (_id, _words, row) => {
      expect(row.requirement.length).toBeGreaterThan(5)
      expect(row.tests.length).toBeGreaterThan(0)
      for (const { file, name } of row.tests) expect(namesOf(file)).toContain(name)
    },
  )
})

test('a test is found by its name in the source, and by nothing else that is written there', () => {
  const source = `
    // test('in a comment', () => {})
    test('plain', () => {})
    test.each([['a row']])("each %s", () => {})
    describe('a group', () => { test('inside', () => {}) })
    other('not a test')`
  expect(testNames(source)).toEqual(['plain', 'each %s', 'inside'])
  expect(testAndGroupNames(source)).toEqual(['plain', 'each %s', 'a group', 'inside'])
})
