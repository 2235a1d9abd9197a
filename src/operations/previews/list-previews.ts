import { listPreviewHosts } from '../../db/queries/previews/preview-hosts.ts'
import {
  type PreviewMode,
  type PreviewRow,
  pagePreviews,
  previewModes,
} from '../../db/queries/previews/previews.ts'
import type { Deps } from '../../deps.ts'
import { limits } from '../../limits.ts'
import { previewIdForm } from '../../previews/label.ts'
import { viewPreview } from './preview-view.ts'
import type { Preview } from '../schemas.ts'

const previewsListedMax = 100

/** A preview for administrators: without the link, which is for participants only. */
export type ListedPreview = Omit<Preview, 'url'> & {
  /** The member who started it with the action `action_id`. */
  started_by: string
  action_id: number
  ended_at?: string
}

export interface PreviewsPage {
  previews: ListedPreview[]
  /** Where the next page begins; absent at the end. */
  next_before?: string
}

/**
 * The previews of an account, newest first.
 * @param before  the `next_before` of the previous page; any other text starts at the newest
 */
export async function listPreviews(deps: Deps, account: string, before = ''): Promise<PreviewsPage> {
  const limitRows = previewsListedMax
  const rows = await pagePreviews(deps.db, account, { before: placeOf(before), limitRows: limitRows + 1 })
  const page = rows.slice(0, limitRows)
  const last = page.at(-1)
  return {
    previews: page.map(listed),
    ...(rows.length > limitRows && last
      ? { next_before: `${last.started_at.toISOString()} ${last.preview_id}` }
      : {}),
  }
}

/** The modes in which previews can run now, and why a mode is not available. */
export interface PreviewModes {
  hosts: number
  modes: PreviewMode[]
  /** By mode: the reasons of the hosts, without duplicates. */
  unavailable: { mode: string; reasons: string[] }[]
}

export async function readPreviewModes(deps: Deps): Promise<PreviewModes> {
  const hosts = await listPreviewHosts(deps.db, limits.previewHostDeadMs)
  const has = (mode: string) => hosts.some(({ modes }) => modes.includes(mode))
  const missing = [...new Set(hosts.flatMap(({ unavailable }) => Object.keys(unavailable)))].filter(
    (mode) => !has(mode),
  )
  return {
    hosts: hosts.length,
    modes: previewModes.filter(has),
    unavailable: missing.map((mode) => ({
      mode,
      reasons: [...new Set(hosts.flatMap(({ unavailable }) => unavailable[mode] ?? []))],
    })),
  }
}

function listed(row: PreviewRow & { member: string }): ListedPreview {
  const { url: _, ...shown } = viewPreview({ ...row, link_secret: null })
  return {
    ...shown,
    started_by: row.member,
    action_id: row.action_id,
    ...(row.ended_at === null ? {} : { ended_at: row.ended_at.toISOString() }),
  }
}

const instantForm = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/

function placeOf(before: string): { startedAt: Date; previewId: string } | null {
  const [time = '', previewId = ''] = before.split(' ')
  if (!instantForm.test(time) || !previewIdForm.test(previewId)) return null
  const startedAt = new Date(time)
  // PostgreSQL has no year 0.
  return startedAt.getTime() >= 0 ? { startedAt, previewId } : null
}
