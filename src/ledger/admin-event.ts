import { randomUUID } from 'node:crypto'
import { type Json } from '../gate/canonical.ts'
import { type EntryKind } from '../gate/lifecycle.ts'
import { type Tier } from '../gate/tier.ts'
import { entryTail } from './entry.ts'

/** What goes with a change: the id that makes a repeat a no-op, and the entry after its `{"action":<id>,`. */
export interface LedgerEvent {
  eventId: string
  entryTail: string
}

/** Who did it: whoever holds the command line, or one administrator in the console, by id. */
export type AdminActor = 'admin' | `admin:adm_${string}`

/** What the command line's doings are in the ledger. */
export const adminEvent = adminEventsBy('admin')

/** What the ledger keeps of each thing an administrator does: ids, tiers and dates, never an address or a secret. */
export function adminEventsBy(actor: AdminActor) {
  const event = (kind: EntryKind, data: { [key: string]: Json }): LedgerEvent => ({
    eventId: randomUUID(),
    entryTail: entryTail({ kind, actor, data }),
  })
  return {
    accountSuspended: (isSuspended: boolean) => event('account_suspended', { suspended: isSuspended }),
    memberAdded: (member: string) => event('member_changed', { member, change: 'added' }),
    memberUpdated: (member: string, fields: string[]) =>
      event('member_changed', { member, change: 'updated', fields: fields.toSorted() }),
    memberActivated: (member: string, isActive: boolean) =>
      event('member_changed', { member, change: isActive ? 'activated' : 'deactivated' }),
    tierSet: (member: string, tier: Tier | null) => event('tier_set', { member, tier }),
    curriculumAdded: (c: { slug: string; modules: number; grants: Tier; valid_days: number | null }) =>
      event('curriculum_changed', {
        curriculum: c.slug,
        change: 'added',
        modules: c.modules,
        grants: c.grants,
        valid_days: c.valid_days,
      }),
    passRecorded: (member: string, curriculum: string, module: number, at: Date | null) =>
      event('pass_recorded', { member, curriculum, module, change: 'passed', at: at?.toISOString() ?? null }),
    passesRevoked: (member: string, curriculum: string, module: number | null) =>
      event('pass_recorded', { member, curriculum, module, change: 'revoked' }),
    policySet: (version: number, kinds: string[], document: string) =>
      event('policy_set', { version, kinds: kinds.toSorted(), document }),
    keyMinted: (key: string, actors: string[] | null, expiresAt: Date | null) =>
      event('key_minted', { key, actors, expires_at: expiresAt?.toISOString() ?? null }),
    keyRevoked: (key: string) => event('key_revoked', { key }),
    integrationDisconnected: (integration: string, provider: string) =>
      event('integration_disconnected', { integration, provider }),
    conversationCreated: (conversation: string, members: string[]) =>
      event('conversation_changed', { conversation, change: 'created', members: members.toSorted() }),
    participantAdded: (conversation: string, member: string) =>
      event('conversation_changed', { conversation, change: 'participant_added', member }),
    participantRemoved: (conversation: string, member: string) =>
      event('conversation_changed', { conversation, change: 'participant_removed', member }),
    adminInvited: (admin: string) => event('admin_changed', { admin, change: 'invited' }),
    adminRemoved: (admin: string) => event('admin_changed', { admin, change: 'removed' }),
    actionCancelled: (reason: string) => event('cancelled', { closed_reason: 'admin', reason }),
  }
}
