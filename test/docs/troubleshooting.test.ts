import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { projectRoot } from '../../src/process/root.ts'
import { readPage } from './markdown.ts'

const source = ['src', 'dev']
  .flatMap((folder) => readdirSync(join(projectRoot, folder), { recursive: true, withFileTypes: true }))
  .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
  .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8'))
  .join('\n')

test('docs/troubleshooting.md quotes only texts that the code has', () => {
  const texts = readPage('docs/troubleshooting.md')
    .split('\n')
    .flatMap((line) => line.match(/^\| `([^`]+)`/)?.slice(1) ?? [])
  expect(texts.length).toBeGreaterThan(30)
  const parts = texts.flatMap((text) => text.split('…')).map((part) => part.trim())
  expect(parts.filter((part) => !source.includes(part))).toEqual([])
})
