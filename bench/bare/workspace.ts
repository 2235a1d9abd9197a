import { lstat, open, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type postgres from 'postgres'
import { limits } from '../../src/limits.ts'

interface Query {
  conversation_id: string
  email: string
  path: string
  offset: string
}

/**
 * The same files with as few calls as possible: paths are not checked, links are followed, nothing is hidden, ignored or
 * limited, and a listing is returned as a whole.
 */
export function workspaceRoutes(
  app: FastifyInstance,
  sql: postgres.Sql,
  holderOf: (request: FastifyRequest) => Promise<{ account_id: string }>,
): void {
  async function folderOf(request: FastifyRequest): Promise<string> {
    const { account_id } = await holderOf(request)
    const { conversation_id, email } = request.query as Query
    const [found] = await sql`
      select 1 from bare.participant p
      join bare.member m on m.account_id = p.account_id and m.member_id = p.member_id
      where p.account_id = ${account_id} and p.conversation_id = ${conversation_id} and lower(m.email) = lower(${email})`
    if (!found) throw new Error('not a participant')
    return join(process.env['WORKSPACE_ROOT']!, account_id, conversation_id)
  }

  app.get('/files', async (request) => {
    const folder = await folderOf(request)
    const paths = (await readdir(folder, { recursive: true })).toSorted()
    const stats = await Promise.all(paths.map((path) => lstat(join(folder, path))))
    const files = paths.flatMap((path, i) => {
      const { size, mtime } = stats[i]!
      return stats[i]!.isFile() ? [{ path, size, modified_at: mtime.toISOString() }] : []
    })
    return { conversation_id: (request.query as Query).conversation_id, files, truncated: false }
  })

  app.get('/files/read', async (request) => {
    const { conversation_id, path, offset } = request.query as Query
    const file = await open(join(await folderOf(request), path))
    try {
      const { size } = await file.stat()
      const buffer = Buffer.allocUnsafe(limits.fileBytesPerPage)
      const { bytesRead } = await file.read(buffer, 0, buffer.length, Number(offset))
      const content = buffer.toString('utf8', 0, bytesRead)
      const end = Number(offset) + bytesRead
      const next_offset = end < size ? end : null
      return { conversation_id, path, size, offset: Number(offset), content, next_offset }
    } finally {
      await file.close()
    }
  })
}
