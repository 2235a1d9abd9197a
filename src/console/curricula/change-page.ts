import { z } from 'zod'
import { changeCurriculum } from '../../operations/curricula/change-curriculum.ts'
import {
  type CurriculumRow,
  type ListedCurriculum,
  readCurriculum,
} from '../../operations/curricula/read-curricula.ts'
import { slug } from '../../operations/entered-fields.ts'
import { wholeNumber } from '../../operations/whole-number.ts'
import { curriculumEffect } from '../../operations/curricula/curriculum-effect.ts'
import { type Html, type Part, html } from '../../web/html.ts'
import {
  type PageContext,
  type RejectedForm,
  type View,
  accountOf,
  asAdmin,
  definePage,
  idIn,
} from '../page.ts'
import { confirmation, facts, formProblem, tierBadge } from '../parts.ts'
import { effectPart } from './effect-part.ts'
import {
  curriculaPath,
  curriculumFields,
  curriculumInputs,
  curriculumValues,
  givenCurriculum,
  titleInput,
} from './form.ts'
import { validityOf } from './list-page.ts'

const path = `${curriculaPath}/:curriculum`
const base = wholeNumber(1, Number.MAX_SAFE_INTEGER)

/** The curriculum in the path. @throws GateError `not_found` */
export const curriculumIn = (context: PageContext): Promise<ListedCurriculum> =>
  readCurriculum(accountOf(context), idIn(context, 'curriculum', slug))

/** Changes a curriculum: first the form, then what the change would do. */
export const editCurriculumPage = definePage({
  path: `${path}/edit`,
  role: 'admin',
  form: z.strictObject(curriculumFields),
  show: async (context, _query, rejected) => formView(await curriculumIn(context), rejected),
  async send(context, given) {
    const curriculum = await curriculumIn(context)
    return reviewView(context, curriculum, givenCurriculum(curriculum.slug, given))
  },
})

/** Makes the change that was reviewed. */
export const reviewCurriculumPage = definePage({
  path: `${path}/review`,
  role: 'admin',
  form: z.strictObject({ ...curriculumFields, base }),
  async show(context, _query, rejected) {
    const curriculum = await curriculumIn(context)
    if (rejected) return formView(curriculum, rejected)
    return {
      title: 'No changes to review',
      body: html`<p><a href="${curriculaPath}/${curriculum.slug}/edit">Edit ${curriculum.title}</a></p>`,
    }
  },
  async send(context, { base: version, ...given }) {
    const { slug: name } = await curriculumIn(context)
    await changeCurriculum(asAdmin(context), givenCurriculum(name, given), version)
    return { to: curriculaPath, flash: 'curriculum_changed' }
  },
})

function formView(curriculum: ListedCurriculum, rejected?: RejectedForm): View {
  const values = curriculumValues(curriculum)
  return {
    title: `Edit ${curriculum.title}`,
    body: html`${formProblem(rejected)}
      <p>
        The slug <code>${curriculum.slug}</code> cannot be changed. Passes are kept by the number of their
        module: with fewer modules, passes of the last ones no longer count.
      </p>
      <form method="post" action="${curriculaPath}/${curriculum.slug}/edit">
        ${titleInput(rejected, values.title)} ${curriculumInputs(rejected, values)}
        <button type="submit">Review changes</button>
        <a class="button" href="${curriculaPath}">Go back</a>
      </form>`,
  }
}

async function reviewView(context: PageContext, now: ListedCurriculum, next: CurriculumRow): Promise<View> {
  const changes = changesOf(now, next)
  const edit = `${curriculaPath}/${now.slug}/edit`
  if (changes.length === 0)
    return {
      title: 'No changes to review',
      body: html`<p>The form has the values in force. <a href="${edit}">Edit ${now.title}</a></p>`,
    }
  const effect = await curriculumEffect(accountOf(context), now, { to: next })
  return {
    title: `Change ${now.title}?`,
    body: html`${facts(changes)} ${effectPart(effect)}
    ${confirmation({
      button: 'Change curriculum',
      action: `${curriculaPath}/${now.slug}/review`,
      back: edit,
      isHarmless: effect.lowered.length === 0,
      fields: hiddenFields({ ...curriculumValues(next), base: String(effect.base) }),
    })}`,
  }
}

const hiddenFields = (values: Record<string, string>): Html =>
  html`${Object.entries(values).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`,
  )}`

/** What differs, as it is and as it would be. */
function changesOf(now: ListedCurriculum, next: CurriculumRow): [string, Part][] {
  const [was, will] = [curriculumValues(now), curriculumValues(next)]
  const shown: [keyof typeof was, string, (one: CurriculumRow) => Part][] = [
    ['title', 'Title', ({ title }) => title],
    ['modules', 'Modules', ({ modules }) => modules],
    ['module_titles', 'Titles of the modules', titlesPart],
    ['grants', 'Grants', ({ grants }) => tierBadge(grants)],
    ['valid_days', 'Pass valid for', validityOf],
  ]
  return shown
    .filter(([name]) => was[name] !== will[name])
    .map(([, label, part]) => [label, html`<del>${part(now)}</del> → <ins>${part(next)}</ins>`])
}

const titlesPart = ({ module_titles: titles }: CurriculumRow): Part =>
  titles ? titles.map((one, at) => `${at + 1}. ${one}`).join(', ') : 'none'
