import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { projectRoot } from '../../src/root.ts'
import { configurationPage } from './configuration-page.ts'

writeFileSync(join(projectRoot, 'docs', 'configuration.md'), configurationPage())
