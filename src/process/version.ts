import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { projectRoot } from './root.ts'

/** The version of the product, as the package has it. */
export const productVersion: string = (
  JSON.parse(readFileSync(join(projectRoot, 'package.json'), 'utf8')) as { version: string }
).version

/** The version of the REST API and its description: `/api/v1`. It changes with the interface, not with the product. */
export const apiVersion = '1.0.0'

/** The newest version of the Model Context Protocol that the gate speaks; a client may agree on an older one. */
export const mcpVersion = '2026-07-28'
