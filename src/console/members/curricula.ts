import { z } from 'zod'
import { tiers } from '../../gate/tier.ts'
import { limits } from '../../limits.ts'
import { addCurriculum, readCurricula } from '../../operations/admin/curricula.ts'
import { line, slug, tier, whole } from '../../operations/admin/fields.ts'
import { html } from '../../web/html.ts'
import { optionally } from '../forms.ts'
import { accountOf, asAdmin, definePage } from '../page.ts'
import { choice, empty, field, formProblem, table, tierBadge } from '../parts.ts'

const path = '/console/curricula'

/** The courses by which members earn tiers. */
export const curriculaPage = definePage({
  path,
  role: 'admin',
  async show(context) {
    const curricula = await readCurricula(accountOf(context))
    return {
      title: 'Curricula',
      body: html`<p>
          A member who has passed every module of a curriculum has the tier it grants, unless an administrator
          has set another.
        </p>
        <p><a class="button primary" href="${path}/new">Add a curriculum</a></p>
        ${
          curricula.length === 0
            ? empty(
                html`There is none, so members earn nothing: every tier is the default or set by hand.
                  <a href="${path}/new">Add the first</a>.`,
              )
            : table(
                'Curricula',
                ['Title', 'Slug', 'Modules', 'Grants', 'A pass holds'],
                curricula.map((one) => [
                  one.title,
                  html`<code>${one.slug}</code>`,
                  one.modules,
                  tierBadge(one.grants),
                  one.valid_days === null ? 'for ever' : `${one.valid_days} days`,
                ]),
              )
        }`,
    }
  },
})

/** Adds one. */
export const addCurriculumPage = definePage({
  path: `${path}/new`,
  role: 'admin',
  form: z.strictObject({
    title: line(limits.titleCharsMax),
    slug,
    modules: whole(1, limits.modulesMax),
    grants: tier,
    valid_days: optionally(whole(1, limits.validDaysMax)),
  }),
  async show(_visit, _query, rejected) {
    return {
      title: 'Add a curriculum',
      body: html`${formProblem(rejected)}
        <form method="post">
          ${field({ name: 'title', label: 'Title', hint: 'As members read it in a denial.', charsMax: limits.titleCharsMax, rejected })}
          ${field({
            name: 'slug',
            label: 'Slug',
            hint: html`Its name for programs, which stays: small letters, digits, <code>_</code> and
              <code>-</code>, such as <code>safe-sending</code>.`,
            charsMax: limits.slugCharsMax,
            rejected,
          })}
          ${field({ name: 'modules', label: 'Modules', type: 'number', hint: `How many there are, 1 to ${limits.modulesMax}.`, rejected })}
          ${choice({ name: 'grants', label: 'Grants', values: tiers.map((one) => [one, one] as const), value: 'guarded_write', rejected })}
          ${field({
            name: 'valid_days',
            label: 'A pass holds for so many days',
            type: 'number',
            hint: 'Left empty, for ever.',
            isRequired: false,
            rejected,
          })}
          <button type="submit">Add the curriculum</button>
          <a class="button" href="${path}">Go back</a>
        </form>`,
    }
  },
  async send(context, { valid_days, ...given }) {
    await addCurriculum(asAdmin(context), { ...given, valid_days: valid_days ?? null })
    return { to: path, flash: 'curriculum_added' }
  },
})
