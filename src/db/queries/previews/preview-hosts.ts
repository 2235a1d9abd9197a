import type { Db } from '../../connect.ts'

export interface HostBeat {
  hostId: string
  gatewayUrl: string
  modes: string[]
  /** Ways that it cannot run previews in, and why. */
  unavailable: Record<string, string>
  previews: { account: string; previewId: string; accessedAt: Date }[]
}

/** Why a host is to end a preview. `over`: it has ended elsewhere. */
export type Verdict = 'stopping' | 'suspended' | 'expired' | 'over'

/** Says that a host lives, and when its previews were last looked at. Answers those that are to end. */
export async function beatPreviewHost(
  db: Db,
  b: HostBeat,
): Promise<{ preview_id: string; verdict: Verdict }[]> {
  return db.run(
    (sql) => sql`
      select * from gate.beat_preview_host(
        p_host => ${b.hostId}, p_gateway_url => ${b.gatewayUrl}, p_modes => ${b.modes},
        p_unavailable => ${JSON.stringify(b.unavailable)}, p_accounts => ${b.previews.map((p) => p.account)},
        p_previews => ${b.previews.map((p) => p.previewId)},
        p_accessed => ${b.previews.map((p) => p.accessedAt.toISOString())}::text[]::timestamptz[])`,
  )
}

/** Forgets a host that has ended in order. */
export async function removePreviewHost(db: Db, hostId: string): Promise<void> {
  await db.run((sql) => sql`select gate.remove_preview_host(p_host => ${hostId})`)
}

/** Those of these hosts that are alive. */
export async function livePreviewHosts(db: Db, hostIds: string[], deadMs: number): Promise<string[]> {
  const rows = await db.read<{ host: string }>(
    (sql) => sql`
      select host from gate.live_preview_hosts(p_hosts => ${hostIds}, p_dead_ms => ${deadMs}) as live(host)`,
  )
  return rows.map(({ host }) => host)
}

/** In which ways a host that is alive runs previews, and why not in others. */
export interface HostWays {
  modes: string[]
  unavailable: Record<string, string>
}

export async function listPreviewHosts(db: Db, deadMs: number): Promise<HostWays[]> {
  return db.read((sql) => sql`select * from gate.list_preview_hosts(p_dead_ms => ${deadMs})`)
}

/** A preview that nobody takes care of, and what it needs. */
export interface StrayPreview {
  account_id: string
  preview_id: string
  action_id: number
  expires_at: Date
  stray: 'start' | 'lost' | 'late'
}

export async function listStrayPreviews(
  db: Db,
  p: { limitRows: number; hostDeadMs: number; lateMs: number },
): Promise<StrayPreview[]> {
  return db.read(
    (sql) => sql`
      select * from gate.list_stray_previews(
        p_limit => ${p.limitRows}, p_dead_ms => ${p.hostDeadMs}, p_late_ms => ${p.lateMs})`,
  )
}
