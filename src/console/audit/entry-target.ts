import type { AuditEntry, KindOfRow } from '../../operations/audit/audit-log.ts'
import type { Names } from '../../operations/names-of-ids.ts'
import { kindTitle } from '../../operations/actions/action-summary.ts'
import { type Part, html } from '../../web/html.ts'
import { appsPath } from '../apps/path.ts'
import { kindPathOf } from '../declared-kinds/paths.ts'
import { ledgerPath } from '../ledger/ledger-path.ts'
import { upstreamPathOf, upstreamsPath } from '../upstreams/paths.ts'

/** A link to what an entry is about: its action, member, API key, policy version and so on. */
export function targetPart(
  { kind, action_id, action_kind, action_kind_version, content }: AuditEntry,
  { names, kindOf }: { names: Names; kindOf: KindOfRow },
): Part {
  const { member, key, version, curriculum, provider, upstream } = content.data ?? {}
  if (action_id !== null)
    return link(
      `${ledgerPath}/${action_id}`,
      `${action_kind === null ? 'action' : kindTitle(kindOf({ kind: action_kind, kind_version: action_kind_version }), action_kind)} #${action_id}`,
    )
  if (typeof member === 'string') return link(`/console/members/${member}`, names.get(member) ?? member)
  if (typeof key === 'string') return link('/console/keys', names.get(key) ?? key)
  if (kind.startsWith('app_')) return link(appsPath, 'connected apps')
  if (kind === 'policy_set')
    return link(`/console/policies/history/${Number(version)}`, `version ${Number(version)}`)
  if (kind === 'kind_secret_rotated') {
    const declared = String(content.data?.['kind'])
    return link(kindPathOf(declared), declared)
  }
  if (kind === 'kind_set' || kind === 'kind_retired') {
    const declared = String(content.data?.['kind'])
    return link(`${kindPathOf(declared)}/versions/${Number(version)}`, declared)
  }
  if (typeof curriculum === 'string') return link('/console/curricula', curriculum)
  if (typeof upstream === 'string')
    return link(kind === 'upstream_removed' ? upstreamsPath : upstreamPathOf(upstream), upstream)
  if (typeof provider === 'string') return link('/console/integrations', provider)
  return html`<span class="none">account</span>`
}

const link = (href: string, label: string): Part => html`<a href="${href}"><bdi>${label}</bdi></a>`
