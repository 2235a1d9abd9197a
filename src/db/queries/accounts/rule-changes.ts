import type { ApprovalRule } from '../../../gate/approvals/rule.ts'
import type { Db } from '../../connect.ts'

/** The rules about approvals in force that a document would change, each once. @param document  JSON text, as it would be stored */
export async function readRulesChanged(db: Db, account: string, document: string): Promise<ApprovalRule[]> {
  const rows = await db.read<{ rules: ApprovalRule[] }>(
    (sql) => sql`
      select gate.approval_rules_changed(p_account => ${account}, p_document => ${document}::text::jsonb) as rules`,
  )
  return rows[0]!.rules
}

/** Sets the policy that an approved action proposes, if no other was set meanwhile. Safe to repeat. */
export async function applyRuleChange(db: Db, account: string, id: number, eventId: string): Promise<void> {
  await db.run(
    (sql) =>
      sql`select gate.apply_rule_change(p_account => ${account}, p_id => ${id}, p_event => ${eventId})`,
  )
}

/** The version of the policy that an action set; null: none. */
export async function policyOfAction(db: Db, account: string, id: number): Promise<number | null> {
  const rows = await db.read<{ version: number }>(
    (sql) => sql`
      select p.version from gate.tenant(${account}) t(id),
      lateral (select version from gate.policy where account_id = t.id and action_id = ${id} offset 0) p`,
  )
  return rows[0]?.version ?? null
}
