import { z } from 'zod'
import { scimUrl } from '../../operations/directory/address.ts'
import {
  type DirectoryState,
  adoptMembers,
  endDirectory,
  makeDirectoryToken,
  readDirectory,
} from '../../operations/directory/token.ts'
import { limits } from '../../limits.ts'
import { email, line } from '../../operations/entered-fields.ts'
import { wholeNumber } from '../../operations/whole-number.ts'
import { type Part, html } from '../../web/html.ts'
import { optionally } from '../forms.ts'
import { type View, accountOf, asAdmin, definePage } from '../page.ts'
import { confirmation, empty, facts, field, formProblem, moment, nameOf, table } from '../parts.ts'
import { companyDirectoryPath, companySettingsPath } from './paths.ts'

/** The company's directory: its token, and what it manages. */
export const directoryPage = definePage({
  path: companyDirectoryPath,
  role: 'admin',
  form: z.strictObject({
    name: optionally(line(limits.nameCharsMax)),
    overlap: optionally(wholeNumber(0, limits.keyOverlapHoursMax)),
  }),
  labels: { name: 'Name', overlap: 'Overlap (hours)' },
  async show(context, _query, rejected) {
    const state = await readDirectory(accountOf(context))
    const [token] = state.tokens
    return {
      title: 'Directory of your company',
      body: html`${formProblem(rejected)}
        <p>
          Your directory adds, changes and deactivates members over SCIM 2.0, and keeps groups.
          <a href="${companySettingsPath}">Sign-in settings</a>
        </p>
        ${facts([
          ['SCIM address', html`<code>${scimUrl(context.deps)}</code>`],
          ['Members it manages', String(state.users)],
          ['Groups it keeps', String(state.groups)],
        ])}
        ${tokensPart(state)}
        <h2>${token ? 'Rotate the token' : 'Make a token'}</h2>
        <p class="notice warning">
          Anyone who has the token adds and deactivates members, and changes their mailboxes. It sets no tier,
          makes no administrator and decides nothing.
        </p>
        <form method="post">
          ${field({
            name: 'name',
            label: 'Name',
            hint: 'Ledger entries name it.',
            value: token?.name ?? 'Directory',
            charsMax: limits.nameCharsMax,
            isRequired: false,
            rejected,
          })}
          ${
            token
              ? field({
                  name: 'overlap',
                  label: 'Overlap (hours)',
                  type: 'number',
                  value: String(limits.keyOverlapHoursDefault),
                  hint: `The old token works for so long. 0 ends it immediately. At most ${limits.keyOverlapHoursMax} (one week).`,
                  isRequired: false,
                  rejected,
                })
              : ''
          }
          <button type="submit">${token ? 'Rotate token' : 'Make token'}</button>
        </form>
        <h2>Members from before</h2>
        <p>The directory does not see members whom it did not add, until you let it manage them.</p>
        <p><a class="button" href="${companyDirectoryPath}/adopt">Let it manage members</a></p>`,
    }
  },
  async send(context, { name, overlap }) {
    return madeView(
      await makeDirectoryToken(asAdmin(context), {
        name,
        ...(overlap === undefined ? {} : { overlapHours: overlap }),
      }),
    )
  },
})

const tokensPart = ({ tokens }: DirectoryState): Part =>
  tokens.length === 0
    ? empty('No token. Nothing is changed by a directory.')
    : html`${table(
          'Tokens',
          ['Name', 'Ends in', 'Made', 'Last used', 'Expires'],
          tokens.map((one) => [
            nameOf(one.name),
            html`<code>…${one.last4}</code>`,
            moment(one.created_at),
            moment(one.last_used_at),
            moment(one.expires_at),
          ]),
        )}
        <p><a class="button" href="${companyDirectoryPath}/end">End token</a></p>`

/** The page that shows a new token, once. */
const madeView = (made: { keyId: string; token: string; formerEndsAt: Date | null }): View => ({
  title: 'Copy the token',
  once: { to: companyDirectoryPath, flash: 'secret_shown_once' },
  body: html`<p>
      This is the token of your directory (<code>${made.keyId}</code>). It is shown only once. We store only
      its hash.
    </p>
    <p><code class="secret">${made.token}</code></p>
    ${made.formerEndsAt === null ? '' : html`<p class="hint">The old token expires ${moment(made.formerEndsAt)}.</p>`}
    <p class="notice">
      Enter it in your directory, and store it nowhere else. If you lose it, make a new one.
    </p>
    <p><a class="button" href="${companyDirectoryPath}">I have copied it</a></p>`,
})

/** Confirms before the directory can change nothing more. */
export const endDirectoryPage = definePage({
  path: `${companyDirectoryPath}/end`,
  role: 'admin',
  form: z.strictObject({}),
  async show(context, _query, rejected) {
    const { tokens, users, groups } = await readDirectory(accountOf(context))
    return {
      title: 'End the token of the directory?',
      body: html`${formProblem(rejected)}
        ${facts([
          ['Tokens', String(tokens.length)],
          ['Members it manages', String(users)],
          ['Groups it keeps', String(groups)],
        ])}
        <p>
          The directory changes nothing from now on. Members and groups stay as they are, and you can change
          its groups here.
        </p>
        ${confirmation({ button: 'End token', back: companyDirectoryPath })}`,
    }
  },
  async send(context) {
    await endDirectory(asAdmin(context))
    return { to: companyDirectoryPath, flash: 'directory_ended' }
  },
})

/** Lets the directory manage members whom it did not add. */
export const adoptMembersPage = definePage({
  path: `${companyDirectoryPath}/adopt`,
  role: 'admin',
  form: z.strictObject({ email: optionally(email) }),
  labels: { email: 'E-mail' },
  async show(_context, _query, rejected) {
    return {
      title: 'Let the directory manage members?',
      body: html`${formProblem(rejected)}
        <p>
          The directory finds them by their mailbox. It can then change their name and mailbox, and deactivate
          them. Their tier, certifications and sign-in stay as they are.
        </p>
        <form method="post">
          ${field({
            name: 'email',
            label: 'E-mail',
            type: 'email',
            hint: 'One member. Leave it empty for every active member with a mailbox.',
            charsMax: limits.emailCharsMax,
            isRequired: false,
            rejected,
          })}
          <button type="submit">Let it manage them</button>
          <a class="button" href="${companyDirectoryPath}">Go back</a>
        </form>`,
    }
  },
  async send(context, given) {
    await adoptMembers(asAdmin(context), given.email)
    return { to: companyDirectoryPath, flash: 'directory_adopted' }
  },
})
