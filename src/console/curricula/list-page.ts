import { z } from 'zod'
import { limits } from '../../limits.ts'
import { addCurriculum } from '../../operations/curricula/add-curriculum.ts'
import { type ListedCurriculum, readCurricula } from '../../operations/curricula/read-curricula.ts'
import { slug } from '../../operations/entered-fields.ts'
import { type Part, html } from '../../web/html.ts'
import { accountOf, asAdmin, definePage } from '../page.ts'
import { empty, field, formProblem, moment, rowLink, table, tierBadge } from '../parts.ts'
import { curriculaPath, curriculumFields, curriculumInputs, givenCurriculum, titleInput } from './form.ts'

/** The curricula that members pass to earn tiers; retired ones below. */
export const curriculaPage = definePage({
  path: curriculaPath,
  role: 'admin',
  async show(context) {
    const curricula = await readCurricula(accountOf(context))
    const inForce = curricula.filter(({ retired_at }) => retired_at === null)
    const retired = curricula.filter(({ retired_at }) => retired_at !== null)
    return {
      title: 'Curricula',
      body: html`<p>
          A member who has passed every module of a curriculum is certified and gets the tier it grants,
          unless an administrator has set a different tier. “Certified” and “In progress” count active
          members.
        </p>
        <p><a class="button primary" href="${curriculaPath}/new">Add curriculum</a></p>
        ${
          inForce.length === 0
            ? empty(
                html`No curricula. Every member has the default tier or a tier set by an administrator.
                  <a href="${curriculaPath}/new">Add a curriculum</a>.`,
              )
            : table('Curricula', columns, inForce.map(rowOf))
        }
        ${retired.length === 0 ? '' : retiredPart(retired)}`,
    }
  },
})

const columns = ['Title', 'Modules', 'Grants', 'Pass valid for', 'Certified', 'In progress', 'Actions']

const rowOf = (one: ListedCurriculum): Part[] => [
  titlePart(one),
  one.modules,
  tierBadge(one.grants),
  validityOf(one),
  count(one.certified),
  count(one.in_progress),
  html`${rowLink(`${curriculaPath}/${one.slug}/edit`, 'Edit', one.title)}
  ${rowLink(`${curriculaPath}/${one.slug}/retire`, 'Retire', one.title)}`,
]

/** For how long a pass of it counts. */
export const validityOf = ({ valid_days: days }: Pick<ListedCurriculum, 'valid_days'>): string =>
  days === null ? 'no expiry' : `${days} ${days === 1 ? 'day' : 'days'}`

const titlePart = ({ title, slug: name }: ListedCurriculum): Part =>
  html`${title} <code class="hint">${name}</code>`

const count = (members: number): Part => html`<span class="number">${members}</span>`

const retiredPart = (retired: ListedCurriculum[]): Part =>
  html`<h2>Retired</h2>
    <p>A retired curriculum earns no tier. Passes of it are kept.</p>
    ${table(
      'Retired curricula',
      ['Title', 'Granted', 'Passed every module', 'Retired', 'Actions'],
      retired.map((one) => [
        titlePart(one),
        tierBadge(one.grants),
        count(one.certified),
        moment(one.retired_at),
        rowLink(`${curriculaPath}/${one.slug}/restore`, 'Put in force', one.title),
      ]),
    )}`

/** Adds a curriculum. */
export const addCurriculumPage = definePage({
  path: `${curriculaPath}/new`,
  role: 'admin',
  form: z.strictObject({ slug, ...curriculumFields }),
  async show(_visit, _query, rejected) {
    return {
      title: 'New curriculum',
      body: html`${formProblem(rejected)}
        <form method="post">
          ${titleInput(rejected)}
          ${field({
            name: 'slug',
            label: 'Slug',
            hint: html`The name used by programs; it cannot be changed later. Lower-case letters, digits,
              <code>_</code> and <code>-</code>, such as <code>safe-sending</code>.`,
            charsMax: limits.slugCharsMax,
            rejected,
          })}
          ${curriculumInputs(rejected)}
          <button type="submit">Add curriculum</button>
          <a class="button" href="${curriculaPath}">Go back</a>
        </form>`,
    }
  },
  async send(context, { slug: name, ...given }) {
    await addCurriculum(asAdmin(context), givenCurriculum(name, given))
    return { to: curriculaPath, flash: 'curriculum_added' }
  },
})
