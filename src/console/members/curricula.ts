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

/** The curricula that members pass to earn tiers. */
export const curriculaPage = definePage({
  path,
  role: 'admin',
  async show(context) {
    const curricula = await readCurricula(accountOf(context))
    return {
      title: 'Curricula',
      body: html`<p>
          A member who has passed every module of a curriculum gets the tier it grants, unless an
          administrator has set a different tier.
        </p>
        <p><a class="button primary" href="${path}/new">Add curriculum</a></p>
        ${
          curricula.length === 0
            ? empty(
                html`No curricula yet. Every member has the default tier or a tier set by an administrator.
                  <a href="${path}/new">Add the first curriculum</a>.`,
              )
            : table(
                'Curricula',
                ['Title', 'Slug', 'Modules', 'Grants', 'Pass valid for'],
                curricula.map((one) => [
                  one.title,
                  html`<code>${one.slug}</code>`,
                  one.modules,
                  tierBadge(one.grants),
                  one.valid_days === null ? 'no expiry' : `${one.valid_days} days`,
                ]),
              )
        }`,
    }
  },
})

/** Adds a curriculum. */
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
      title: 'New curriculum',
      body: html`${formProblem(rejected)}
        <form method="post">
          ${field({ name: 'title', label: 'Title', hint: 'Members see it when an action is denied.', charsMax: limits.titleCharsMax, rejected })}
          ${field({
            name: 'slug',
            label: 'Slug',
            hint: html`The name used by programs; it cannot be changed later. Lower-case letters, digits,
              <code>_</code> and <code>-</code>, such as <code>safe-sending</code>.`,
            charsMax: limits.slugCharsMax,
            rejected,
          })}
          ${field({ name: 'modules', label: 'Modules', type: 'number', hint: `Number of modules, 1 to ${limits.modulesMax}.`, rejected })}
          ${choice({ name: 'grants', label: 'Grants', values: tiers.map((one) => [one, one] as const), value: 'guarded_write', rejected })}
          ${field({
            name: 'valid_days',
            label: 'Pass valid for (days)',
            type: 'number',
            hint: 'Empty: a pass does not expire.',
            isRequired: false,
            rejected,
          })}
          <button type="submit">Add curriculum</button>
          <a class="button" href="${path}">Go back</a>
        </form>`,
    }
  },
  async send(context, { valid_days, ...given }) {
    await addCurriculum(asAdmin(context), { ...given, valid_days: valid_days ?? null })
    return { to: path, flash: 'curriculum_added' }
  },
})
