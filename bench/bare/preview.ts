import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'

/** Sends the same bytes without a link, a cookie, or any check of the path. */
export function previewRoutes(app: FastifyInstance): void {
  const pathOf = (file: string) => join(process.env['WORKSPACE_ROOT']!, `bare-${file}`)
  const cached = new Map<string, Buffer>()

  app.get<{ Params: { file: string } }>('/preview-read/:file', async ({ params }, reply) =>
    reply.type('application/octet-stream').send(await readFile(pathOf(params.file))),
  )
  app.get<{ Params: { file: string } }>('/preview-cached/:file', async ({ params }, reply) => {
    const bytes = cached.get(params.file) ?? (await readFile(pathOf(params.file)))
    cached.set(params.file, bytes)
    return reply.type('application/octet-stream').send(bytes)
  })
}
