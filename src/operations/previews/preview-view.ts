import { type PreviewRow, previewStates } from '../../db/queries/previews/previews.ts'
import { previewOrigin } from '../../previews/label.ts'
import { linkTo, signToken } from '../../previews/link.ts'
import type { Preview } from '../schemas.ts'

const previewLinkMs = 900_000

/** The end of a preview's output that an answer shows. */
const previewLogShownChars = 8_192

/**
 * A preview as the interface shows it, with a new link while it runs. Fields that do not apply are absent.
 * @param live  the state that its workflow reports, if it was asked. The later of the two states counts
 * @source docs/previews.md#reference
 */
export function viewPreview(row: PreviewRow, live?: string): Preview {
  const status = further(row.state, live)
  return {
    preview_id: row.preview_id,
    conversation_id: row.conversation_id,
    status,
    mode: row.mode,
    ...(status === 'running' ? linkOf(row) : {}),
    started_at: row.started_at.toISOString(),
    expires_at: row.expires_at.toISOString(),
    ...(row.exit_code === null ? {} : { exit_code: row.exit_code }),
    ...(row.error === null ? {} : { error: row.error }),
    ...(row.log_tail === null ? {} : { log_tail: row.log_tail.slice(-previewLogShownChars).toWellFormed() }),
  }
}

function linkOf({ preview_id: id, gateway_url: gateway, link_secret: secret }: PreviewRow): { url?: string } {
  if (!gateway || !secret) return {}
  const endsAt = new Date(Date.now() + previewLinkMs)
  return { url: linkTo(previewOrigin(gateway, id), signToken(secret, 'link', id, endsAt)) }
}

/** States only go forward, and a recorded end is final. */
function further(recorded: Preview['status'], live: string | undefined): Preview['status'] {
  const told = previewStates.find((state) => state === live)
  if (!told || previewStates.indexOf(told) <= previewStates.indexOf(recorded)) return recorded
  // The workflow does not say how a preview ended: only the row does.
  return told === 'running' ? recorded : 'stopping'
}
