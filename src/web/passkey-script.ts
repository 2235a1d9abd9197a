import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { projectRoot } from '../process/root.ts'

/** The script of pages with a passkey: read from the sources, as stylesheets are. */
export const passkeyScriptText = readFileSync(join(projectRoot, 'src/web/passkey.js'), 'utf8')

/** Its file name in the console's scope. It changes with the content. */
export const passkeyScriptFile = `passkey-${createHash('sha256').update(passkeyScriptText).digest('hex').slice(0, 12)}.js`

/** Its address. */
export const passkeyScript = `/console/${passkeyScriptFile}`

/** The script that a page runs, where a passkey can sign on it. Pure. */
export const scriptOf = (ask: { has: string } | undefined): { script?: string } =>
  ask?.has === 'some' ? { script: passkeyScript } : {}
