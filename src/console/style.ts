import type { FastifyInstance } from 'fastify'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { sha256 } from '../ledger/digest.ts'
import { cardStyle } from '../web/card-style.ts'
import { projectRoot } from '../process/root.ts'

/** The parts of the stylesheet, in the order of the cascade. */
const parts = [
  'base',
  'layout',
  'content',
  'forms',
  'policy',
  'timeline',
  'members',
  'overview',
  'inbox',
  'chart',
  'ledger',
  'narrow',
]

// Read from the sources, as the migrations are: the compiler does not copy stylesheets.
const style = [
  ...parts.map((part) => readFileSync(join(projectRoot, 'src/console/style', `${part}.css`), 'utf8')),
  cardStyle,
].join('\n')

const fileName = `style-${sha256(style).toString('hex').slice(0, 12)}.css`

/** The address of the stylesheet. It changes with the content. */
export const stylePath = `/console/${fileName}`

/** Serves the stylesheet in the console's scope. */
export function styleRoutes(app: FastifyInstance): void {
  app.route({
    method: ['GET', 'HEAD'],
    url: `/${fileName}`,
    handler: (_request, reply) =>
      reply
        .type('text/css; charset=utf-8')
        .header('cache-control', 'public, max-age=31536000, immutable')
        .send(style),
  })
}
