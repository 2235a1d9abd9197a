import { expect, test } from '@jest/globals'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { projectRoot } from '../src/root.ts'

interface Locked {
  version?: string
  resolved?: string
  integrity?: string
  link?: boolean
  inBundle?: boolean
}
const { packages } = JSON.parse(readFileSync(join(projectRoot, 'package-lock.json'), 'utf8')) as {
  packages: Record<string, Locked>
}
const locked = Object.entries(packages).filter(
  ([path, one]) => path.includes('node_modules/') && !one.link && !one.inBundle,
)

test('every package is held to its hash, on every platform', () => {
  const unheld = locked.filter(([, one]) => !/^sha512-[\w+/]{86}==$/.test(one.integrity ?? ''))
  expect(unheld.map(([path]) => path)).toEqual([])
  expect(locked.length).toBeGreaterThan(600)
})

test('no package names a registry: it is the one that npm is set up for', () => {
  expect(locked.filter(([, one]) => one.resolved !== undefined).map(([path]) => path)).toEqual([])
})
