import { z } from 'zod'
import { limits } from '../../limits.ts'
import type { FilePage } from '../../workspaces/store.ts'
import { defineOperation } from '../operation.ts'
import { ConversationId, WorkspaceFiles, actorFields, text } from '../schemas.ts'
import { workspaceOf } from './workspace-access.ts'

const filesPerPage = 1_000

/** Parts that are too large, as named in the note of a listing. */
const leftOutNamedMax = 3

/** Lists the files of a conversation's workspace, page by page. Not recorded in the ledger. */
export const listWorkspaceFiles = defineOperation({
  name: 'list_workspace_files',
  title: 'List the files of a conversation',
  summary: 'List the files that were built in a conversation, sorted by path.',
  http: {
    method: 'GET',
    path: '/api/v1/conversations/{conversation_id}/files',
    success: { 200: 'A page of files' },
  },
  tool: { group: 'workspace', readOnly: true, destructive: false, idempotent: true, openWorld: false },
  input: z.strictObject({
    conversation_id: ConversationId,
    ...actorFields,
    // One more byte for a folder, which ends with `/`.
    after: text(limits.workspacePathBytesMax + 1)
      .optional()
      .meta({ description: '`next_after` of the page before.' }),
  }),
  output: WorkspaceFiles,
  errors: ['not_found', 'forbidden', 'invalid'],
  powers: ['read'],
  isKeyed: false,
  async run(context, { conversation_id, after = '', ...actor }) {
    const store = await workspaceOf(context, conversation_id, actor)
    const page = await store.list({ after, limitFiles: filesPerPage })
    const note = noteOf(page)
    return {
      status: 200,
      body: {
        conversation_id,
        files: page.files.map(({ path, sizeBytes, modifiedAt }) => ({
          path,
          size: sizeBytes,
          modified_at: isoTime(modifiedAt),
        })),
        truncated: note !== null,
        ...(note === null ? {} : { note }),
        ...(page.nextAfter === null ? {} : { next_after: page.nextAfter }),
      },
    }
  },
})

function noteOf({ files, nextAfter, leftOut }: FilePage): string | null {
  const notes = [
    ...(nextAfter === null
      ? []
      : [`This page has ${files.length} files, and there are more. Use next_after to get the next page.`]),
    ...(leftOut.length === 0 ? [] : [`Not listed because too large: ${named(leftOut)}.`]),
  ]
  return notes.length === 0 ? null : notes.join(' ')
}

function named(leftOut: string[]): string {
  const more = leftOut.length - leftOutNamedMax
  return [...leftOut.slice(0, leftOutNamedMax), ...(more > 0 ? [`and ${more} more`] : [])].join('; ')
}

const [earliest, latest] = [Date.parse('0000-01-01T00:00:00.000Z'), Date.parse('9999-12-31T23:59:59.999Z')]

/** A file's time as ISO 8601 with milliseconds. File times can be set to any value, even outside of the ISO 8601 range. */
export function isoTime(time: Date): string {
  const ms = time.getTime()
  return new Date(Number.isNaN(ms) ? 0 : Math.min(Math.max(ms, earliest), latest)).toISOString()
}
