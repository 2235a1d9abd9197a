import { apiClient } from '../../support/api-client.ts'
import type { System } from '../system/system.ts'
import type { Scene } from './accounts.ts'
import { patienceMs, replyOf } from './answers.ts'
import type { Journal } from './journal.ts'

/** Reads each executed action once more, after everything has healed. */
export async function readAll(
  { service }: System,
  scenes: readonly Scene[],
  journal: Journal,
): Promise<void> {
  for (const { account, keys } of scenes) {
    const client = apiClient(service.urlOf('api'), keys.at(-1)!.key, patienceMs)
    const rows = await service.sql<{ id: number }>(
      `select id::int from gate.action where account_id = '${account}' and status = 'executed' and kind not in
        ('capability_check', 'runner_tool') order by id`,
    )
    for (const { id } of rows) {
      const reply = await replyOf(() => client.get(id))
      if (reply.outcome === 'ok') journal.seen.push({ account, id, body: reply.body, isLast: true })
      else journal.odd('what is stored can be read once everything has healed', JSON.stringify({ id, reply }))
    }
  }
}
