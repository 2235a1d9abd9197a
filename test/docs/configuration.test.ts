import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { environment } from '../../src/environment/environment.ts'
import { projectRoot } from '../../src/root.ts'
import { configurationPage } from './configuration-page.ts'

const page = readFileSync(join(projectRoot, 'docs', 'configuration.md'), 'utf8')

test('the page of variables is what the schema says: npm run docs:configuration', () => {
  expect(page).toBe(configurationPage())
})

test.each(Object.keys(environment.shape))('%s has a line with form, default and meaning', (name) => {
  expect(page).toMatch(new RegExp(`^\\| \`${name}\` \\| .+ \\| .+ \\| .{10,} \\|$`, 'm'))
})
