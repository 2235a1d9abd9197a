import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'

/** The same bytes with nothing around them: no link, no cookie, no proof of where the file lies, its path believed. */
export function previewRoutes(app: FastifyInstance): void {
  const pathOf = (file: string) => join(process.env['WORKSPACE_ROOT']!, `bare-${file}`)
  const held = new Map<string, Buffer>()

  app.get<{ Params: { file: string } }>('/preview-read/:file', async ({ params }, reply) =>
    reply.type('application/octet-stream').send(await readFile(pathOf(params.file))),
  )
  app.get<{ Params: { file: string } }>('/preview-held/:file', async ({ params }, reply) => {
    const bytes = held.get(params.file) ?? (await readFile(pathOf(params.file)))
    held.set(params.file, bytes)
    return reply.type('application/octet-stream').send(bytes)
  })
}
