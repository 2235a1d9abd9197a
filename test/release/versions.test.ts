import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { newestIn, places, productVersion, versionsIn, withVersion } from '../../bin/versions.js'
import { projectRoot } from '../../src/process/root.ts'

const read = (file: string) => readFileSync(join(projectRoot, file), 'utf8')

test('the version is the same wherever it stands', () => {
  for (const { file, patterns } of places)
    expect([file, new Set(versionsIn(read(file), patterns))]).toEqual([file, new Set([productVersion()])])
  const lock = JSON.parse(read('package-lock.json'))
  const locked = Object.entries<{ version?: string }>(lock.packages).filter(
    ([path]) => path === '' || path.startsWith('packages/'),
  )
  for (const [path, { version }] of locked) expect([path, version]).toEqual([path, productVersion()])
})

test('another version is written in each of these places, and nowhere else', () => {
  for (const { file, patterns } of places) {
    const changed = withVersion(read(file), patterns, '9.8.7')
    expect([file, new Set(versionsIn(changed, patterns))]).toEqual([file, new Set(['9.8.7'])])
    expect(withVersion(changed, patterns, productVersion())).toBe(read(file))
  }
})

test('the changelog begins with this version, and upgrades are told', () => {
  expect(read('CHANGELOG.md')).toMatch(
    new RegExp(`^## \\[${productVersion()}\\] - \\d{4}-\\d{2}-\\d{2}$`, 'm'),
  )
  expect(read('docs/upgrade.md')).toContain(`## From 0.1.0 to ${productVersion()}`)
})

test('changes that no version has are no version', () => {
  const released = '## [1.0.0] - 2026-01-02\n\n- One\n'
  const newest = { first: '1.0.0', date: '2026-01-02' }
  expect(newestIn(`# Changelog\n\n${released}`)).toEqual({ ...newest, hasUnreleased: false })
  expect(newestIn(`# Changelog\n\n## [Unreleased]\n\n- Two\n\n${released}`)).toEqual({
    ...newest,
    hasUnreleased: true,
  })
  expect(newestIn('# Changelog\n\n## [1.0.0]\n')).toMatchObject({ first: '1.0.0', date: undefined })
})
