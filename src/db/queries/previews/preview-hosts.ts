import type { Db } from '../../connect.ts'

export interface HostBeat {
  hostId: string
  gatewayUrl: string
  modes: string[]
  /** Preview modes that it cannot run, with the reasons. */
  unavailable: Record<string, string>
  previews: { account: string; previewId: string; accessedAt: Date }[]
}

/** Why a host must end a preview. `over`: it has already ended elsewhere. */
export type HostEndReason = 'stopping' | 'suspended' | 'expired' | 'over'

/** Records a host's heartbeat and the last access of its previews. Returns the previews that must end. */
export async function beatPreviewHost(
  db: Db,
  b: HostBeat,
): Promise<{ preview_id: string; verdict: HostEndReason }[]> {
  return db.run(
    (sql) => sql`
      select * from gate.beat_preview_host(
        p_host => ${b.hostId}, p_gateway_url => ${b.gatewayUrl}, p_modes => ${b.modes},
        p_unavailable => ${JSON.stringify(b.unavailable)}, p_accounts => ${b.previews.map((p) => p.account)},
        p_previews => ${b.previews.map((p) => p.previewId)},
        p_accessed => ${b.previews.map((p) => p.accessedAt.toISOString())}::text[]::timestamptz[])`,
  )
}

/** Deletes a host that has shut down. */
export async function removePreviewHost(db: Db, hostId: string): Promise<void> {
  await db.run((sql) => sql`select gate.remove_preview_host(p_host => ${hostId})`)
}

/** Filters a list of hosts to those that are alive. */
export async function filterLiveHosts(db: Db, hostIds: string[], deadMs: number): Promise<string[]> {
  const rows = await db.read<{ host: string }>(
    (sql) => sql`
      select host from gate.live_preview_hosts(p_hosts => ${hostIds}, p_dead_ms => ${deadMs}) as live(host)`,
  )
  return rows.map(({ host }) => host)
}

/** The preview modes of a live host, and why other modes are unavailable. */
export interface HostModes {
  modes: string[]
  unavailable: Record<string, string>
}

export async function listPreviewHosts(db: Db, deadMs: number): Promise<HostModes[]> {
  return db.read((sql) => sql`select * from gate.list_preview_hosts(p_dead_ms => ${deadMs})`)
}

/** A preview whose host or workflow is lost, and what it needs. */
export interface LostPreview {
  account_id: string
  preview_id: string
  action_id: number
  expires_at: Date
  stray: 'start' | 'lost' | 'late'
}

export async function listLostPreviews(
  db: Db,
  p: { limitRows: number; hostDeadMs: number; lateMs: number },
): Promise<LostPreview[]> {
  return db.read(
    (sql) => sql`
      select * from gate.list_stray_previews(
        p_limit => ${p.limitRows}, p_dead_ms => ${p.hostDeadMs}, p_late_ms => ${p.lateMs})`,
  )
}
