import type { FastifyInstance } from 'fastify'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { projectRoot } from '../process/root.ts'
import { type Html, html } from '../web/html.ts'
import { proposalsPath } from './proposals/list-page.ts'

/** Sizes of the icon in pixels: telephones of Apple take the first, others the other two. */
const sizes = [180, 192, 512] as const
const icons = sizes.map((size) => ({
  size,
  name: `icon-${size}.png`,
  bytes: readFileSync(join(projectRoot, 'src/console/style', `icon-${size}.png`)),
}))
const manifestName = 'app.webmanifest'
const workerName = 'push-worker.js'

/** The script that shows notifications, and the pages that it belongs to. Its address stays: browsers ask there for a newer one. */
export const workerPath = `/console/${workerName}`
export const workerScope = '/console/'

/**
 * What a browser needs to install the console: it opens at what waits for the member. It is the same for everyone.
 * @source https://www.w3.org/TR/appmanifest/
 */
const manifest = JSON.stringify({
  id: '/console',
  name: 'Qualification Gate',
  short_name: 'Gate',
  start_url: proposalsPath,
  scope: '/console',
  display: 'standalone',
  background_color: '#fbfbfa',
  theme_color: '#3d42c4',
  icons: icons
    .filter(({ size }) => size !== 180)
    .map(({ size, name }) => ({
      src: `/console/${name}`,
      sizes: `${size}x${size}`,
      type: 'image/png',
      purpose: 'any maskable',
    })),
})

/** The links of every page to it. */
export const installLinks: Html = html`<link rel="manifest" href="/console/${manifestName}" />
  <link rel="apple-touch-icon" href="/console/icon-180.png" />`

/** Serves these in the console's scope, to anyone: a browser asks for them without a session. */
export function installRoutes(app: FastifyInstance): void {
  const files = [
    { name: manifestName, type: 'application/manifest+json', content: manifest },
    {
      name: workerName,
      type: 'text/javascript; charset=utf-8',
      content: readFileSync(join(projectRoot, 'src/console/devices', workerName), 'utf8'),
    },
    ...icons.map(({ name, bytes }) => ({ name, type: 'image/png', content: bytes })),
  ]
  for (const { name, type, content } of files) {
    app.route({
      method: ['GET', 'HEAD'],
      url: `/${name}`,
      handler: (_request, reply) =>
        reply.type(type).header('cache-control', 'public, max-age=86400').send(content),
    })
  }
}
