import { z } from 'zod'
import { GateError } from '../../errors.ts'
import { limits } from '../../limits.ts'
import {
  type ExistingLine,
  type ImportPlan,
  exportMembers,
  importMembers,
  planImport,
} from '../../operations/members/import-members.ts'
import type { CsvMember } from '../../operations/members/members-csv.ts'
import { escapeInvisible } from '../../text/escape-invisible.ts'
import { type Part, html } from '../../web/html.ts'
import { csvFile } from '../files.ts'
import { type PageContext, type View, accountOf, asAdmin, definePage } from '../page.ts'
import { address, formProblem, table, textArea } from '../parts.ts'
import { membersPath } from './list-page.ts'

/** The form carries the file twice as long where it is all escapes. */
const membersImportFormBytesMax = 1_000_000

const importPath = `${membersPath}/import`
const reviewPath = `${importPath}/review`
const anyText = z.string()

/** Takes a CSV file with members, and shows what importing it would do. */
export const importMembersPage = definePage({
  path: importPath,
  role: 'admin',
  formBytesMax: membersImportFormBytesMax,
  takesFile: true,
  form: z.strictObject({ file: anyText.optional(), csv: anyText.optional() }),
  show: async (_context, _query, rejected) => formView(rejected?.values['csv'] ?? '', formProblem(rejected)),
  async send(context, { file = '', csv = '' }) {
    if (file !== '' && csv.trim() !== '')
      throw new GateError('invalid', 'Choose a file or paste text, not both.')
    return previewOf(context, file === '' ? csv : file)
  },
})

/** Imports what the preview showed, all or nothing. */
export const importReviewPage = definePage({
  path: reviewPath,
  role: 'admin',
  formBytesMax: membersImportFormBytesMax,
  form: z.strictObject({
    csv: anyText,
    shown: z.string().regex(/^[0-9a-f]{64}$/, 'must be the value from the page'),
  }),
  show: async (_context, _query, rejected) =>
    rejected
      ? formView(rejected.values['csv'] ?? '', formProblem(rejected))
      : { title: 'Nothing to import', body: html`<p><a href="${importPath}">Choose a file</a> first.</p>` },
  async send(context, { csv, shown }) {
    await importMembers(asAdmin(context), csv, shown)
    return { to: membersPath, flash: 'members_imported' }
  },
})

/** The active members as a file that can be imported again. */
export const membersDownload = definePage({
  path: `${membersPath}.csv`,
  role: 'admin',
  async show(context) {
    return csvFile(`members-${context.session.account}`, await exportMembers(accountOf(context)))
  },
})

const formView = (csv: string, problem: Part): View => ({
  title: 'Import members',
  body: html`${problem}
    <p>
      A CSV file in UTF-8, at most ${limits.membersImportMax.toLocaleString('en')} members. Its first line
      names the columns, in any order: <code>name,email,slack,teams</code>. A member needs a name; without an
      e-mail and a Slack user ID, agents cannot act for them.
    </p>
    <form method="post" action="${importPath}" enctype="multipart/form-data">
      <div class="field">
        <label for="file">CSV file <span class="optional">(optional)</span></label>
        <input id="file" name="file" type="file" accept=".csv,text/csv" />
      </div>
      ${textArea({
        name: 'csv',
        label: 'Or paste it here',
        isRequired: false,
        rows: 8,
        value: csv,
        hint: 'The next page shows what would be imported. Nothing is imported before you confirm it there.',
      })}
      <button type="submit">Preview import</button>
      <a class="button" href="${membersPath}">Go back</a>
    </form>`,
})

async function previewOf(context: PageContext, csv: string): Promise<View> {
  const plan = await planImport(accountOf(context), csv)
  if (plan.problems.length > 0) return { ...formView(csv, problemsPart(plan)), status: 422 }
  const { adds, existing } = plan
  return {
    title: adds.length === 0 ? 'Nothing to import' : `Import ${countOf(adds.length, 'member')}?`,
    body: html`<p>
        ${countOf(adds.length, 'member')} will be added.
        ${existing.length === 0 ? '' : existingWords(existing.length)}
      </p>
      ${adds.length === 0 ? html`<p><a class="button" href="${importPath}">Choose another file</a></p>` : confirmPart(csv, plan)}
      ${adds.length === 0 ? '' : addsPart(adds)} ${existing.length === 0 ? '' : existingPart(existing)}`,
  }
}

const existingWords = (lines: number): string =>
  lines === 1
    ? '1 line names a member who exists already and stays unchanged.'
    : `${lines} lines name members who exist already and stay unchanged.`

const confirmPart = (csv: string, { adds, digest }: ImportPlan): Part =>
  html`<form method="post" action="${reviewPath}">
    <input type="hidden" name="csv" value="${csv}" />
    <input type="hidden" name="shown" value="${digest}" />
    <button type="submit">Import ${countOf(adds.length, 'member')}</button>
    <a class="button" href="${importPath}">Go back</a>
  </form>`

const problemsPart = ({ problems }: ImportPlan): Part =>
  html`<div class="problem" role="alert">
    <p>
      ${problems.length === 1 ? 'The file has a problem.' : `${problems.length} lines have problems.`} Nothing
      was imported. Correct them and preview again.
    </p>
    <ul>
      ${problems
        .slice(0, limits.importProblemsShownMax)
        .map(
          ({ line, problem }) =>
            html`<li>
              ${line === null ? '' : html`<strong>Line ${line}:</strong>`} ${escapeInvisible(problem)}
            </li>`,
        )}
    </ul>
    ${problems.length > limits.importProblemsShownMax ? html`<p>Only the first ${limits.importProblemsShownMax} are shown.</p>` : ''}
  </div>`

const addsPart = (adds: CsvMember[]): Part =>
  html`<h2>New members</h2>
    ${table('New members', ['Name', 'E-mail', 'Slack', 'Teams', 'Line'], adds.map(lineRow))}`

const existingPart = (existing: ExistingLine[]): Part =>
  html`<h2>Left unchanged</h2>
    <p>
      These lines name members of this account. An import adds members and changes none: edit a member to
      change an identity.
    </p>
    ${table(
      'Left unchanged',
      ['Name', 'E-mail', 'Slack', 'Teams', 'Line', 'Member now'],
      existing.map((one) => [...lineRow(one), memberNow(one)]),
    )}`

const none = html`<span class="none">none</span>`

const lineRow = ({ line, name, email, slack, teams }: CsvMember): Part[] => [
  html`<bdi>${escapeInvisible(name)}</bdi>`,
  email === null ? none : address(email),
  slack === null ? none : html`<code>${slack}</code>`,
  teams === null ? none : html`<code>${teams}</code>`,
  line,
]

const memberNow = ({ memberId, isActive, differences }: ExistingLine): Part =>
  html`<a href="${membersPath}/${memberId}"
      >${differences.length === 0 ? 'same' : escapeInvisible(differences.join(', '))}</a
    >
    ${isActive ? '' : html`<span class="badge over">not active</span>`}`

const countOf = (count: number, noun: string): string =>
  `${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`
