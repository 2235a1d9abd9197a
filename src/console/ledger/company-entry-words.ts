import type { EntryKind } from '../../gate/lifecycle.ts'
import type { Words } from './entry-words.ts'

type CompanyEntryKind = Extract<
  EntryKind,
  | 'company_sign_in_refused'
  | 'company_sign_in_removed'
  | 'company_sign_in_set'
  | 'identity_linked'
  | 'identity_unlinked'
>

/** The words of entries about sign-in with the company. */
export const companyWords: Record<CompanyEntryKind, Words> = {
  company_sign_in_set: ({ data, text }) =>
    `Sign-in with the company set: ${text('issuer') ?? 'not recorded'}${data['only'] === true ? ', as the only way in' : ''}`,
  company_sign_in_removed: () => 'Sign-in with the company removed',
  company_sign_in_refused: ({ text }) =>
    `Sign-in with the company refused: ${text('reason') ?? 'reason not recorded'}`,
  identity_linked: ({ data, named }) =>
    `Sign-in with the company linked: ${[data['member'] && named('member'), data['admin'] && named('admin')].filter(Boolean).join(' and ')}`,
  identity_unlinked: ({ text }) => `Sign-in with the company unlinked: ${text('identity') ?? 'not recorded'}`,
}
