import { z } from 'zod'
import {
  type CompanySettings,
  companyForm,
  companyOf,
  removeCompany,
  requireCompany,
  setCompany,
} from '../../operations/company/settings.ts'
import { redirectOf } from '../../operations/company/sign-in.ts'
import { companyPath } from '../../operations/sign-in/sign-in-path.ts'
import { publicLink } from '../../network/public-link.ts'
import { type Part, html } from '../../web/html.ts'
import { optionally } from '../forms.ts'
import { type RejectedForm, accountOf, asAdmin, definePage } from '../page.ts'
import { checkboxes, confirmation, facts, field, formProblem } from '../parts.ts'
import { companyDirectoryPath, companyPeoplePath, companySettingsPath } from './paths.ts'

const checked = z.literal('on').optional()
const form = z.strictObject({
  issuer: companyForm.issuer,
  client_id: companyForm.client_id,
  secret: optionally(companyForm.secret),
  links_by_mailbox: checked,
  directory_claim: optionally(companyForm.directory_claim),
  roles_claim: optionally(companyForm.roles_claim),
  administrator: companyForm.roles.default([]),
  auditor: companyForm.roles.default([]),
  member: companyForm.roles.default([]),
  acr: companyForm.acr.default([]),
  only: checked,
})

/** The account's OpenID provider. */
export const companySettingsPage = definePage({
  path: companySettingsPath,
  role: 'admin',
  form,
  labels: {
    issuer: 'Issuer',
    client_id: 'Client ID',
    secret: 'Client secret',
    roles_claim: 'Claim',
    acr: 'acr',
  },
  async show(context, _query, rejected) {
    const { deps, session } = context
    const company = await companyOf(accountOf(context))
    return {
      title: 'Sign-in with your company',
      body: html`${formProblem(rejected)}
        <p>
          People of this account can sign in with your own OpenID provider. The steps for Okta and Entra are
          in the documentation, under “Sign in with your company”.
        </p>
        ${facts([
          ['Redirect URI', html`<code>${redirectOf(deps, session.account)}</code>`],
          ['Start address', html`<code>${publicLink(deps, companyPath(session.account))}/start</code>`],
        ])}
        <p>
          <a class="button" href="${companyDirectoryPath}">Directory</a>
          ${
            company
              ? html`<a class="button" href="${companyPeoplePath}">People</a>
                  <a class="button" href="${companySettingsPath}/remove">Remove sign-in</a>`
              : ''
          }
        </p>
        <form method="post">
          ${settingsFields(company, rejected)}
          <button type="submit">${company ? 'Save settings' : 'Set up sign-in'}</button>
        </form>`,
    }
  },
  async send({ deps, ...context }, given) {
    const settings: CompanySettings = {
      issuer: given.issuer,
      client_id: given.client_id,
      links_by_mailbox: given.links_by_mailbox !== undefined,
      roles_claim: given.roles_claim ?? null,
      roles: Object.fromEntries(
        (['administrator', 'auditor', 'member'] as const)
          .filter((role) => given[role].length > 0)
          .map((role) => [role, given[role]]),
      ),
      acr: given.acr.length === 0 ? null : given.acr,
      is_only: given.only !== undefined,
      directory_claim: given.directory_claim ?? null,
    }
    await setCompany(deps, asAdmin({ deps, ...context }), settings, given.secret)
    return { to: companySettingsPath, flash: 'company_set' }
  },
})

type Settings = CompanySettings | undefined

const settingsFields = (company: Settings, rejected: RejectedForm | undefined): Part =>
  html`<h2>Provider</h2>
    ${providerFields(company, rejected)}
    <h2>Who people are</h2>
    ${personFields(company, rejected)}
    <h2>Roles</h2>
    ${rolesFields(company, rejected)}
    <h2>Protection</h2>
    ${protectionFields(company, rejected)}`

function providerFields(company: Settings, rejected: RejectedForm | undefined): Part {
  return html`${field({
    name: 'issuer',
    label: 'Issuer',
    hint: 'Exactly as the provider names itself, such as https://example.okta.com',
    value: company?.issuer ?? '',
    charsMax: 2_048,
    rejected,
  })}
  ${field({ name: 'client_id', label: 'Client ID', value: company?.client_id ?? '', charsMax: 256, rejected })}
  ${field({
    name: 'secret',
    label: 'Client secret',
    type: 'password',
    hint: company
      ? 'Leave it empty to keep the one that is stored.'
      : 'It is encrypted and never shown again.',
    charsMax: 1_024,
    isRequired: company === undefined,
    rejected,
  })}`
}

function personFields(company: Settings, rejected: RejectedForm | undefined): Part {
  return html`${checkboxes({
    legend: 'First sign-in',
    hint: 'Otherwise an administrator links each person.',
    boxes: [
      {
        name: 'links_by_mailbox',
        words: 'Link the member or administrator whose mailbox the provider has verified',
        isChecked: company?.links_by_mailbox ?? false,
      },
    ],
    rejected,
  })}
  ${field({
    name: 'directory_claim',
    label: 'Claim with the directory’s id',
    hint: 'The first sign-in links the member whom your directory knows by it: sub at Okta, oid at Entra. Empty: nobody.',
    value: company?.directory_claim ?? '',
    charsMax: 256,
    isRequired: false,
    rejected,
  })}`
}

function rolesFields(company: Settings, rejected: RejectedForm | undefined): Part {
  const roleField = (role: 'administrator' | 'auditor' | 'member', label: string) =>
    field({
      name: role,
      label,
      value: company?.roles[role]?.join(', ') ?? '',
      charsMax: 2_048,
      isRequired: false,
      rejected,
    })
  return html`${field({
    name: 'roles_claim',
    label: 'Claim with the roles',
    hint: 'Such as groups. Empty: roles are set here. A claim never sets a tier.',
    value: company?.roles_claim ?? '',
    charsMax: 256,
    isRequired: false,
    rejected,
  })}
  ${roleField('administrator', 'Values that mean administrator')}
  ${roleField('auditor', 'Values that mean auditor')} ${roleField('member', 'Values that mean member')}`
}

function protectionFields(company: Settings, rejected: RejectedForm | undefined): Part {
  return html`${field({
    name: 'acr',
    label: 'Required acr',
    hint: 'The token must have one of these. Empty: any.',
    value: company?.acr?.join(', ') ?? '',
    charsMax: 2_048,
    isRequired: false,
    rejected,
  })}
  ${checkboxes({
    legend: 'Other ways in',
    hint: 'Sessions by mail and passkey end. Only somebody who signed in with the company can choose this. The command line can always print a link.',
    boxes: [
      {
        name: 'only',
        words: 'Mailed links and passkeys do not sign in',
        isChecked: company?.is_only ?? false,
      },
    ],
    rejected,
  })}`
}

/** Confirms before the provider is removed. */
export const removeCompanyPage = definePage({
  path: `${companySettingsPath}/remove`,
  role: 'admin',
  form: z.strictObject({}),
  async show(context, _query, rejected) {
    const { issuer } = await requireCompany(accountOf(context))
    return {
      title: 'Remove sign-in with your company?',
      body: html`${formProblem(rejected)} ${facts([['Issuer', issuer]])}
        <p>Sessions that it began end now. People sign in by mail again.</p>
        ${confirmation({ button: 'Remove sign-in', back: companySettingsPath })}`,
    }
  },
  async send(context) {
    await removeCompany(asAdmin(context))
    return { to: companySettingsPath, flash: 'company_removed' }
  },
})
