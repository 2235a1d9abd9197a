import { z } from 'zod'
import { tiers } from '../../gate/tier.ts'
import { limits } from '../../limits.ts'
import type { CurriculumRow } from '../../operations/curricula/read-curricula.ts'
import { line, tier } from '../../operations/entered-fields.ts'
import { wholeNumber } from '../../operations/whole-number.ts'
import { type Html, html } from '../../web/html.ts'
import { optionally } from '../forms.ts'
import type { RejectedForm } from '../page.ts'
import { choice, field, textArea } from '../parts.ts'

export const curriculaPath = '/console/curricula'

const moduleTitle = line(limits.titleCharsMax)

/** One title in each line; null: none. */
const moduleTitles = z
  .string()
  .transform((text) => text.split(/\r?\n/).map((one) => one.trim()))
  .transform((titles) => titles.filter((one) => one !== ''))
  .pipe(z.array(moduleTitle).max(limits.modulesMax, `must have at most ${limits.modulesMax} lines`))
  .transform((titles) => (titles.length === 0 ? null : titles))

/** What can be changed of a curriculum. */
export const curriculumFields = {
  title: line(limits.titleCharsMax),
  modules: wholeNumber(1, limits.modulesMax),
  module_titles: moduleTitles.optional(),
  grants: tier,
  valid_days: optionally(wholeNumber(1, limits.validDaysMax)),
}

/** A curriculum as a form gives it. */
export const givenCurriculum = (
  slug: string,
  given: z.output<z.ZodObject<typeof curriculumFields>>,
): CurriculumRow => ({
  slug,
  title: given.title,
  modules: given.modules,
  grants: given.grants,
  valid_days: given.valid_days ?? null,
  module_titles: given.module_titles ?? null,
})

/** A curriculum as the values of the form. */
export const curriculumValues = (given: CurriculumRow): Record<keyof typeof curriculumFields, string> => ({
  title: given.title,
  modules: String(given.modules),
  module_titles: (given.module_titles ?? []).join('\n'),
  grants: given.grants,
  valid_days: given.valid_days === null ? '' : String(given.valid_days),
})

/** The fields of the form, without the slug. */
export const curriculumInputs = (
  rejected: RejectedForm | undefined,
  now: Partial<Record<keyof typeof curriculumFields, string>> = {},
): Html =>
  html`${field({
    name: 'modules',
    label: 'Modules',
    type: 'number',
    hint: `Number of modules, 1 to ${limits.modulesMax}.`,
    value: now.modules ?? '',
    rejected,
  })}
  ${textArea({
    name: 'module_titles',
    label: 'Titles of the modules',
    hint: 'One title in each line, in the order of their numbers. Empty: the modules have numbers only.',
    isRequired: false,
    rows: 4,
    value: now.module_titles ?? '',
    rejected,
  })}
  ${choice({
    name: 'grants',
    label: 'Grants',
    values: tiers.map((one) => [one, one] as const),
    value: now.grants ?? 'guarded_write',
    rejected,
  })}
  ${field({
    name: 'valid_days',
    label: 'Pass valid for (days)',
    type: 'number',
    hint: 'Empty: a pass does not expire.',
    isRequired: false,
    value: now.valid_days ?? '',
    rejected,
  })}`

/** The field of the title. */
export const titleInput = (rejected: RejectedForm | undefined, value = ''): Html =>
  field({
    name: 'title',
    label: 'Title',
    hint: 'Members see it when an action is denied.',
    charsMax: limits.titleCharsMax,
    value,
    rejected,
  })
