import { z } from 'zod'
import { restoreCurriculum } from '../../operations/curricula/restore-curriculum.ts'
import { retireCurriculum } from '../../operations/curricula/retire-curriculum.ts'
import { wholeNumber } from '../../operations/whole-number.ts'
import { curriculumEffect } from '../../operations/curricula/curriculum-effect.ts'
import { html } from '../../web/html.ts'
import { type View, accountOf, asAdmin, definePage } from '../page.ts'
import { confirmation, formProblem } from '../parts.ts'
import { curriculumIn } from './change-page.ts'
import { effectPart } from './effect-part.ts'
import { curriculaPath } from './form.ts'

const path = `${curriculaPath}/:curriculum`
const form = z.strictObject({ base: wholeNumber(1, Number.MAX_SAFE_INTEGER) })

const baseField = (base: number) => html`<input type="hidden" name="base" value="${base}" />`

/** Confirms before a curriculum is retired, and says who would lose their tier. */
export const retireCurriculumPage = definePage({
  path: `${path}/retire`,
  role: 'admin',
  form,
  async show(context, _query, rejected) {
    const curriculum = await curriculumIn(context)
    if (curriculum.retired_at !== null && !rejected) return nothingToDo(`${curriculum.title} is retired`)
    const effect = await curriculumEffect(accountOf(context), curriculum, 'retire')
    return {
      title: `Retire ${curriculum.title}?`,
      body: html`${formProblem(rejected)}
        <p>
          A retired curriculum earns no tier. Passes of it are kept, and you can put it in force again later.
        </p>
        ${effectPart(effect)}
        ${confirmation({ button: 'Retire curriculum', back: curriculaPath, fields: baseField(effect.base) })}`,
    }
  },
  async send(context, { base }) {
    const { slug } = await curriculumIn(context)
    await retireCurriculum(asAdmin(context), slug, base)
    return { to: curriculaPath, flash: 'curriculum_retired' }
  },
})

/** Confirms before a retired curriculum is put in force again. */
export const restoreCurriculumPage = definePage({
  path: `${path}/restore`,
  role: 'admin',
  form,
  async show(context, _query, rejected) {
    const curriculum = await curriculumIn(context)
    if (curriculum.retired_at === null && !rejected) return nothingToDo(`${curriculum.title} is in force`)
    const effect = await curriculumEffect(accountOf(context), curriculum, 'restore')
    return {
      title: `Put ${curriculum.title} in force again?`,
      body: html`${formProblem(rejected)}
        <p>Its passes that have not expired count again.</p>
        ${effectPart(effect)}
        ${confirmation({
          button: 'Put in force',
          back: curriculaPath,
          isHarmless: true,
          fields: baseField(effect.base),
        })}`,
    }
  },
  async send(context, { base }) {
    const { slug } = await curriculumIn(context)
    await restoreCurriculum(asAdmin(context), slug, base)
    return { to: curriculaPath, flash: 'curriculum_restored' }
  },
})

const nothingToDo = (title: string): View => ({
  title,
  body: html`<p><a href="${curriculaPath}">Back to curricula</a></p>`,
})
