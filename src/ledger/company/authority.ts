import type { AuthorityFacts } from '../../db/queries/ledger/authority.ts'
import type { Handler } from '../authority.ts'
import type { RecordedAdmin, RecordedCompany, RecordedGroup, RecordedSubject } from '../recorded-authority.ts'
import { isSame } from '../upstream-authority.ts'

/** What the entries about sign-in with the company change. */
export const companyHandlers: Record<
  'company_sign_in_set' | 'company_sign_in_removed' | 'identity_linked' | 'identity_unlinked',
  Handler
> = {
  company_sign_in_set({ companies }, { secret: _secret, ...facts }, link) {
    companies.set('', { seq: link.seq, isSeen: false, facts })
  },

  company_sign_in_removed({ companies }) {
    companies.delete('')
  },

  identity_linked({ companyIdentities }, { identity, ...facts }, link) {
    companyIdentities.set(String(identity), { seq: link.seq, isSeen: false, facts, isEnded: false })
  },

  identity_unlinked({ companyIdentities }, data) {
    const known = companyIdentities.get(String(data['identity']))
    if (known) known.isEnded = true
  },
}

/** Where the settings differ from their entry; null if they match. Pure. */
export const companyMismatch = (facts: AuthorityFacts['company'], told: RecordedCompany): string | null =>
  isSame(facts, told.facts) ? null : 'its settings do not match the ledger'

/** The same for whom a subject signs in as. Pure. */
export function companyIdentityMismatch(
  { ended, ...facts }: AuthorityFacts['company_identity'],
  told: RecordedSubject,
): string | null {
  if (ended !== told.isEnded)
    return ended
      ? 'it is unlinked, but not in the ledger'
      : 'it is unlinked in the ledger, but still signs in'
  return isSame(facts, told.facts) ? null : 'whom it signs in as does not match the ledger'
}

/** The same for an administrator or auditor. Pure. */
export function adminMismatch(facts: AuthorityFacts['administrator'], told: RecordedAdmin): string | null {
  if (facts.removed !== told.isRemoved)
    return facts.removed
      ? 'it is removed, but not in the ledger'
      : 'it is removed in the ledger, but still active'
  if (facts.role !== told.role || facts.managed !== told.isManaged)
    return 'its role does not match the ledger'
  if (facts.mailbox_digest !== told.mailboxDigest) {
    return 'its mailbox does not match the ledger'
  }
  return facts.reads_mailbox ? null : 'its sign-in mailbox is not its e-mail address'
}

/** The same for a group, of the directory or not. Pure. */
export function groupMismatch(
  { name_digest, members, ...facts }: AuthorityFacts['group'],
  told: RecordedGroup,
): string | null {
  if (name_digest !== told.nameDigest) return 'its name does not match the ledger'
  if (facts.of_directory !== told.isOfDirectory || facts.external_digest !== told.externalDigest)
    return 'whether the directory keeps it does not match the ledger'
  if (!isSame(facts.counts_from, Object.fromEntries(told.countsFrom)))
    return 'when the approvals of its members count does not match the ledger'
  const stranger = members.find((member) => !told.members.has(member))
  if (stranger !== undefined) return `no ledger entry records its member ${stranger}`
  return members.length === told.members.size
    ? null
    : `it has ${members.length} members, but its ledger entries record ${told.members.size}`
}
