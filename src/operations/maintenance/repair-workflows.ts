import type { Db } from '../../db/connect.ts'
import { type OverdueAction, listOpen, settle } from '../../db/queries/actions/open-actions.ts'
import type { Workflows } from '../../temporal/client.ts'
import { workflowInput } from '../../temporal/names.ts'

/** Actions whose workflows `gate repair` restarts in parallel. */
const repairRowsPerPage = 32

export interface Repaired {
  open: number
  restarted: number
  running: number
  failed: number
}

/** Restarts the workflow of every open action, some in parallel. A workflow that cannot be reached is counted as failed. */
export async function repairWorkflows(db: Db, workflows: Workflows): Promise<Repaired> {
  // A new Temporal server has neither the search attributes nor the reconciler's schedule.
  await workflows.prepare()
  const done: Repaired = { open: 0, restarted: 0, running: 0, failed: 0 }
  for await (const open of openActions(db)) {
    const fates = await Promise.all(open.map((row) => revive(db, workflows, row)))
    done.open += open.length
    for (const fate of fates) done[fate]++
  }
  return done
}

async function* openActions(db: Db): AsyncGenerator<OverdueAction[]> {
  for (let after: string | null = null; ;) {
    const page: OverdueAction[] = await listOpen(db, {
      limitRows: repairRowsPerPage,
      all: true,
      after,
    })
    if (page.length > 0) yield page
    if (page.length < repairRowsPerPage) return
    after = page.at(-1)!.uuid
  }
}

async function revive(
  db: Db,
  workflows: Workflows,
  row: OverdueAction,
): Promise<'restarted' | 'running' | 'failed'> {
  try {
    const fate = await workflows.revive(
      workflowInput(row),
      row.wake === 'start' ? null : row.wake,
      row.is_stalled,
    )
    await settle(db, [{ uuid: row.uuid, wake: row.wake, dueAt: row.due_at }])
    return fate
  } catch {
    return 'failed'
  }
}
