import { expect, test } from '@jest/globals'
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { projectRoot } from '../src/process/root.ts'

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

test('the bill of materials has what production installs, each with version, licence and hash, and nothing else', () => {
  const { dependencies } = JSON.parse(readFileSync(join(projectRoot, 'package.json'), 'utf8'))
  const print = () => String(execFileSync(process.execPath, [join(projectRoot, 'bin/sbom.js')]))
  const { bomFormat, specVersion, components } = JSON.parse(print()) as {
    bomFormat: string
    specVersion: string
    components: {
      'bom-ref': string
      name: string
      version: string
      purl: string
      hashes?: { content: string }[]
    }[]
  }
  expect([bomFormat, specVersion, print()]).toEqual(['CycloneDX', '1.5', print()])
  const purls = components.map(({ purl }) => decodeURIComponent(purl))
  for (const [name, version] of Object.entries(dependencies))
    expect(purls).toContain(`pkg:npm/${name}@${version}`)
  for (const name of ['jest', 'playwright-core', 'typescript', 'webpack'])
    expect(components.map((one) => one.name)).not.toContain(name)
  for (const { hashes } of components) expect(hashes?.[0]?.content).toMatch(/^[0-9a-f]{128}$/)
  expect(new Set(components.map((one) => one['bom-ref'])).size).toBe(components.length)
})
