import type { Db } from '../../connect.ts'
import { jsonArgument } from '../../json-argument.ts'

/** `static`: the built files are served as they are. `command`: the built program runs inside a sandbox. */
export const previewModes = ['static', 'command'] as const
export type PreviewMode = (typeof previewModes)[number]

/** The states of a preview, in order; the last three are final. */
export const previewStates = ['starting', 'running', 'stopping', 'stopped', 'failed', 'expired'] as const
export type PreviewState = (typeof previewStates)[number]
/** The final states. */
export type EndState = Extract<PreviewState, 'stopped' | 'failed' | 'expired'>

/** A row of `gate.preview`, as stored. */
export interface PreviewRow {
  account_id: string
  preview_id: string
  conversation_id: string
  action_id: number
  mode: PreviewMode
  state: PreviewState
  host_id: string | null
  gateway_url: string | null
  /** null after the end. */
  link_secret: Buffer | null
  started_at: Date
  running_at: Date | null
  expires_at: Date
  last_access_at: Date | null
  ended_at: Date | null
  error: string | null
  exit_code: number | null
  log_tail: string | null
}

export interface KnownPreview extends PreviewRow {
  /** The preview has not ended, but its host is not alive. */
  is_host_lost: boolean
  is_suspended: boolean
}

/** One preview of an account; undefined if it does not exist. */
export async function readPreview(
  db: Db,
  account: string,
  previewId: string,
  hostDeadMs: number,
): Promise<KnownPreview | undefined> {
  const rows = await db.read<KnownPreview>(
    (sql) => sql`
      select (r.preview).*, r.is_host_lost, r.is_suspended
      from gate.read_preview(p_account => ${account}, p_preview => ${previewId}, p_dead_ms => ${hostDeadMs}) r`,
  )
  return rows[0]
}

/** An action that is created as executed. */
export interface ExecutedRow {
  uuid: string
  eventId: string
  /** The rule that allowed it, and the version of the policy if there is one. */
  rule: string
  policyVersion: number | null
  memberId: string
  member: string
  tier: string
  source: string
  /** JSON text. */
  payload: string
  salt: Buffer
  /** JSON text. */
  result: string
}

export interface PreviewStart {
  account: string
  previewId: string
  conversationId: string
  row: ExecutedRow
  versions: { member: number; curricula: number; policy: number }
  linkSecret: Buffer
  hardMs: number
  totalMs: number
  accountMax: number
  hostDeadMs: number
  dueMs: number
  /** Hash of the API key, which must still be valid. */
  apiKey: Buffer
}

export type StartOutcome =
  | 'created'
  | 'live'
  | 'stopping'
  | 'lost'
  | 'stale'
  | 'suspended'
  | 'no_participant'
  | 'too_many'

/** Starts a preview, if the facts have not changed, or returns the live one. */
export async function startPreview(
  db: Db,
  s: PreviewStart,
): Promise<{ outcome: StartOutcome; preview: PreviewRow }> {
  const row = rowArgument({ ...s.row, policyVersion: s.versions.policy })
  const rows = await db.run<PreviewRow & { outcome: StartOutcome }>(
    (sql) => sql`
      select r.outcome, (r.preview).* from gate.start_preview(
        p_account => ${s.account}, p_preview => ${s.previewId}, p_conversation => ${s.conversationId},
        p_row => ${row}::text::jsonb, p_member_version => ${s.versions.member},
        p_curricula_version => ${s.versions.curricula}, p_link_secret => ${s.linkSecret}, p_hard_ms => ${s.hardMs},
        p_total_ms => ${s.totalMs}, p_account_max => ${s.accountMax}, p_dead_ms => ${s.hostDeadMs},
        p_due_ms => ${s.dueMs}, p_api_key => ${s.apiKey}) r`,
  )
  const { outcome, ...preview } = rows[0]!
  return { outcome, preview }
}

/** Who stops it: a member by API key hash, or an administrator by session hash; null: the command line. */
export type StoppedBy = { apiKey: Buffer } | { session: Buffer | null }

export type StopOutcome = 'asked' | 'already' | 'missing'
type Stopped = { outcome: StopOutcome; preview: PreviewRow }

/**
 * Requests the end of a preview, once: as a participant of its conversation, or as an administrator, with an action about
 * the member who started it.
 */
export async function stopPreview(
  db: Db,
  s: { account: string; previewId: string; row: ExecutedRow; by: StoppedBy },
): Promise<Stopped> {
  const rows = await db.run<PreviewRow & { outcome: StopOutcome }>(
    (sql) => sql`
      select r.outcome, (r.preview).* from gate.stop_preview(
        p_account => ${s.account}, p_preview => ${s.previewId}, p_row => ${rowArgument(s.row)}::text::jsonb,
        p_is_admin => ${'session' in s.by}, p_api_key => ${'apiKey' in s.by ? s.by.apiKey : null},
        p_session => ${'session' in s.by ? s.by.session : null}) r`,
  )
  const { outcome, ...preview } = rows[0]!
  return { outcome, preview }
}

const rowArgument = (row: ExecutedRow) =>
  jsonArgument({
    uuid: row.uuid,
    event: row.eventId,
    rule: row.rule,
    policy_version: row.policyVersion,
    member_id: row.memberId,
    member: row.member,
    tier: row.tier,
    source: row.source,
    payload: row.payload,
    salt: row.salt,
    result: row.result,
  })

/** Chooses the host of a preview, once. `none`: no host has capacity. `over`: it has ended or must end. */
export async function placePreview(
  db: Db,
  p: { account: string; previewId: string; hostMax: number; hostDeadMs: number },
): Promise<{ outcome: 'placed' | 'none' | 'over'; host: string }> {
  const rows = await db.run<{ outcome: 'placed' | 'none' | 'over'; host: string }>(
    (sql) => sql`
      select * from gate.place_preview(
        p_account => ${p.account}, p_preview => ${p.previewId}, p_host_max => ${p.hostMax}, p_dead_ms => ${p.hostDeadMs})`,
  )
  return rows[0]!
}

/** Records that a preview is running. Returns its state: not `running` if it must end. */
export async function runPreview(
  db: Db,
  p: { account: string; previewId: string; hostId: string; mode: PreviewMode },
): Promise<PreviewState> {
  const rows = await db.run<{ state: PreviewState }>(
    (sql) => sql`
      select gate.run_preview(
        p_account => ${p.account}, p_preview => ${p.previewId}, p_host => ${p.hostId}, p_mode => ${p.mode}) as state`,
  )
  return rows[0]!.state
}

export interface PreviewFinish {
  account: string
  previewId: string
  state: EndState
  error: string | null
  exitCode: number | null
  logTail: string | null
  eventId: string
}

/** Ends a preview, once. Returns its final row; undefined if it does not exist. */
export async function finishPreview(db: Db, f: PreviewFinish): Promise<PreviewRow | undefined> {
  const rows = await db.run<PreviewRow>(
    (sql) => sql`
      select r.* from gate.finish_preview(
        p_account => ${f.account}, p_preview => ${f.previewId}, p_state => ${f.state}, p_error => ${f.error},
        p_exit_code => ${f.exitCode}, p_log_tail => ${f.logTail}, p_event => ${f.eventId}) r`,
  )
  return rows[0]?.preview_id ? rows[0] : undefined
}

/** A page of an account's previews, newest first, up to `limitRows` started before `before`. */
export async function pagePreviews(
  db: Db,
  account: string,
  page: { before: { startedAt: Date; previewId: string } | null; limitRows: number },
): Promise<(PreviewRow & { member: string })[]> {
  const { startedAt = null, previewId = '' } = page.before ?? {}
  return db.read(
    (sql) => sql`
      select p.* from gate.tenant(${account}) t(id),
      lateral (
        select v.*, a.member
        from gate.preview v
        join gate.action a on a.account_id = v.account_id and a.id = v.action_id
        where v.account_id = t.id
          and (${startedAt}::timestamptz is null or (v.started_at, v.preview_id) < (${startedAt}::timestamptz, ${previewId}))
        order by v.started_at desc, v.preview_id desc
        limit ${page.limitRows}
      ) p
      order by p.started_at desc, p.preview_id desc`,
  )
}
