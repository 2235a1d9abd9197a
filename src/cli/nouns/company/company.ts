import { z } from 'zod'
import { issuers } from '../../../company/issuers.ts'
import { executorAllow } from '../../../config.ts'
import { limits } from '../../../limits.ts'
import { linkIdentity, listIdentities, unlinkIdentity } from '../../../operations/company/identities.ts'
import { companyForm, companyOf, removeCompany, setCompany } from '../../../operations/company/settings.ts'
import { email, line } from '../../../operations/entered-fields.ts'
import { identityId } from '../../../operations/ids.ts'
import { account } from '../../account-option.ts'
import { adminContextOf } from '../../context.ts'
import { readFileOption } from '../../read-file-option.ts'
import { defineVerb, flag, optional, required } from '../../verb.ts'

const values = (about: string) => optional('VALUES', companyForm.roles, about, 'gate-admins')

export const companyVerbs = {
  set: defineVerb({
    summary: "Set the account's OpenID provider, by which its people sign in",
    options: {
      account,
      issuer: required(
        'URL',
        companyForm.issuer,
        'Exactly as the provider names itself',
        'https://example.okta.com',
      ),
      'client-id': required('ID', companyForm.client_id, 'Client id of the gate at the provider', '0oa1gate'),
      'secret-file': optional(
        'FILE',
        line(1_024),
        'File with the client secret. Without it the stored one is kept',
        'secret.txt',
      ),
      'link-by-mailbox': flag('Link the member or administrator whose mailbox the provider has verified'),
      'roles-claim': optional('CLAIM', companyForm.roles_claim, 'Claim that says the role', 'groups'),
      administrator: values('Values of the claim that mean administrator'),
      auditor: values('Values of the claim that mean auditor'),
      member: values('Values of the claim that mean member'),
      acr: optional('ACRS', companyForm.acr, 'The token must have one of these as acr', 'phr,phrh'),
      'directory-claim': optional(
        'CLAIM',
        companyForm.directory_claim,
        "Claim that is the directory's externalId: its first sign-in links the member",
        'sub',
      ),
      only: flag('Mailed links and passkeys do not sign in'),
    },
    async run(context, given) {
      const { administrator, auditor, member } = given
      const file = given['secret-file']
      const secret =
        file === undefined
          ? undefined
          : companyForm.secret.parse(readFileOption('secret-file', file, 2_048).trim())
      const settings = {
        issuer: given.issuer,
        client_id: given['client-id'],
        links_by_mailbox: given['link-by-mailbox'],
        roles_claim: given['roles-claim'] ?? null,
        roles: {
          ...(administrator ? { administrator } : {}),
          ...(auditor ? { auditor } : {}),
          ...(member ? { member } : {}),
        },
        acr: given.acr ?? null,
        is_only: given.only,
        directory_claim: given['directory-claim'] ?? null,
      }
      const deps = { issuers: issuers(executorAllow(context.config())), secretsKeys: context.secretsKeys() }
      await setCompany(deps, adminContextOf(context, given.account), settings, secret)
      return { account: given.account, issuer: given.issuer, state: 'set' }
    },
  }),

  show: defineVerb({
    summary: "Show the account's OpenID provider, without its secret",
    options: { account },
    async run(context, given) {
      const found = await companyOf(adminContextOf(context, given.account))
      if (!found) return { state: 'not set up' }
      const {
        issuer,
        client_id,
        links_by_mailbox,
        directory_claim,
        roles_claim,
        roles,
        acr,
        is_only,
        set_at,
      } = found
      return {
        state: 'set',
        issuer,
        client_id,
        links_by_mailbox,
        directory_claim,
        roles_claim,
        roles,
        acr,
        only: is_only,
        set_at,
      }
    },
  }),

  remove: defineVerb({
    summary: 'Remove it: its sessions end, and people sign in by mail again',
    options: { account },
    async run(context, given) {
      await removeCompany(adminContextOf(context, given.account))
      return { account: given.account, state: 'removed' }
    },
  }),

  people: defineVerb({
    summary: 'List whom the provider signs in as whom',
    options: { account },
    columns: ['identity_id', 'subject', 'member', 'administrator', 'seen_at'],
    empty: () => 'Nobody is linked.',
    async run(context, given) {
      const people = await listIdentities(adminContextOf(context, given.account))
      return people.map((one) => ({
        identity_id: one.identity_id,
        issuer: one.issuer,
        subject: one.subject,
        member_id: one.member_id,
        member: one.member_name,
        administrator: one.admin_email,
        linked_by: one.linked_by,
        linked_at: one.linked_at,
        seen_at: one.seen_at,
      }))
    },
  }),

  link: defineVerb({
    summary: 'Say whom a subject of the provider signs in as',
    options: {
      account,
      subject: required(
        'SUBJECT',
        line(limits.companySubjectCharsMax),
        'The “sub” of their tokens',
        '00u1grace',
      ),
      email: required('EMAIL', email, 'Their e-mail in this account', 'grace@my.example'),
      as: optional(
        'ROLE',
        z.enum(['member', 'administrator'], 'must be member or administrator'),
        'Member (the default), or administrator, also for an auditor',
        'administrator',
      ),
    },
    async run(context, { account: of, subject, email: address, as = 'member' }) {
      await linkIdentity(adminContextOf(context, of), { subject, email: address, as })
      return { subject, email: address, state: 'linked' }
    },
  }),

  unlink: defineVerb({
    summary: 'End such a link, and its sessions',
    options: {
      account,
      identity: required('IDENTITY_ID', identityId, 'Id of the link', 'idn_7hQ2mWzX0aLk4RtY'),
    },
    async run(context, given) {
      await unlinkIdentity(adminContextOf(context, given.account), given.identity)
      return { identity_id: given.identity, state: 'unlinked' }
    },
  }),
}
