import type { FastifyInstance } from 'fastify'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { sha256 } from '../ledger/digest.ts'
import { projectRoot } from '../process/root.ts'
import { passkeyScriptFile, passkeyScriptText } from '../web/passkey-script.ts'

/** The verifier, and what the page around it runs, as their package has them. */
const names = ['verify.mjs', 'page.mjs'] as const
const scripts = names.map((name) => ({
  name,
  text: readFileSync(join(projectRoot, 'packages/verify/lib', name), 'utf8'),
}))

// One folder for both, of which the name changes with the content: one imports the other.
const folder = `check-${sha256(...scripts.map(({ text }) => text))
  .toString('hex')
  .slice(0, 12)}`

export const verifierScript = `/console/${folder}/verify.mjs`
export const pageScript = `/console/${folder}/page.mjs`

/** Serves the scripts in the console's scope, as the stylesheet is. */
export function scriptRoutes(app: FastifyInstance): void {
  const files = scripts.map(({ name, text }) => ({ path: `${folder}/${name}`, text }))
  for (const { path, text } of [...files, { path: passkeyScriptFile, text: passkeyScriptText }]) {
    app.route({
      method: ['GET', 'HEAD'],
      url: `/${path}`,
      handler: (_request, reply) =>
        reply
          .type('text/javascript; charset=utf-8')
          .header('cache-control', 'public, max-age=31536000, immutable')
          .send(text),
    })
  }
}
