import type { FastifyInstance } from 'fastify'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { sha256 } from '../ledger/digest.ts'
import { projectRoot } from '../process/root.ts'
import { passkeyScriptFile, passkeyScriptText } from '../web/passkey-script.ts'

/**
 * Scripts that import each other, in a folder of which the name changes with their content.
 * @param from  where they are in this repository
 */
function scriptsIn(name: string, from: string, files: string[]) {
  const scripts = files.map((file) => ({ file, text: readFileSync(join(projectRoot, from, file), 'utf8') }))
  const content = sha256(...scripts.map(({ text }) => text)).toString('hex')
  return scripts.map(({ file, text }) => ({ path: `/${name}-${content.slice(0, 12)}/${file}`, text }))
}

/** The verifier, and what the page around it runs, as their package has them. */
const check = scriptsIn('check', 'packages/verify/lib', ['verify.mjs', 'page.mjs'])
/** What the list of waiting proposals runs. */
const inbox = scriptsIn('inbox', 'src/console/proposals', ['inbox.mjs', 'presses.mjs'])

/** What the page that adds a device runs. */
const push = scriptsIn('push', 'src/console/devices', ['push.mjs'])

export const verifierScript = `/console${check[0]!.path}`
export const pageScript = `/console${check[1]!.path}`
export const inboxScript = `/console${inbox[0]!.path}`
export const pushScript = `/console${push[0]!.path}`

/** Serves the scripts in the console's scope, as the stylesheet is. */
export function scriptRoutes(app: FastifyInstance): void {
  const passkey = { path: `/${passkeyScriptFile}`, text: passkeyScriptText }
  for (const { path, text } of [...check, ...inbox, ...push, passkey]) {
    app.route({
      method: ['GET', 'HEAD'],
      url: path,
      handler: (_request, reply) =>
        reply
          .type('text/javascript; charset=utf-8')
          .header('cache-control', 'public, max-age=31536000, immutable')
          .send(text),
    })
  }
}
