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
  optional?: boolean
  os?: string[]
  cpu?: string[]
  libc?: string[]
}
const { packages } = JSON.parse(readFileSync(join(projectRoot, 'package-lock.json'), 'utf8')) as {
  packages: Record<string, Locked>
}
const locked = Object.entries(packages).filter(([path, one]) => path !== '' && !one.link && !one.inBundle)

/** Where the service runs, is built and is tested: Linux with glibc on x64 and arm64. */
const isInstalledHere = ({ os, cpu, libc }: Locked): boolean =>
  (os === undefined || os.includes('linux')) &&
  (cpu === undefined || cpu.includes('x64') || cpu.includes('arm64')) &&
  (libc === undefined || libc.includes('glibc'))

test('every package that is installed on Linux with glibc is held to its hash', () => {
  const unheld = locked.filter(([, one]) => !/^sha512-[\w+/]{86}==$/.test(one.integrity ?? ''))
  // Native builds for other platforms, which npm could not look up where the lock was written.
  expect(unheld.filter(([, one]) => !one.optional || isInstalledHere(one)).map(([path]) => path)).toEqual([])
  expect(locked.length).toBeGreaterThan(600)
})

test('no package names a registry: it is the one that npm is set up for', () => {
  expect(locked.filter(([, one]) => one.resolved !== undefined).map(([path]) => path)).toEqual([])
})
