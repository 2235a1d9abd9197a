import { tiers } from '../../gate/tier.ts'
import { limits } from '../../limits.ts'
import { addCurriculum, readCurricula } from '../../operations/admin/curricula.ts'
import { line, slug, tier, whole } from '../../operations/admin/fields.ts'
import { account } from '../account-option.ts'
import { adminContextOf } from '../context.ts'
import { defineVerb, optional, required } from '../verb.ts'

export const curriculumVerbs = {
  add: defineVerb({
    summary: 'Add a curriculum: a course of numbered modules that grants a tier',
    options: {
      account,
      slug: required('SLUG', slug, 'Short name in commands and answers', 'safe-sending'),
      title: required('TITLE', line(limits.titleCharsMax), 'Title for people', 'Safe sending'),
      modules: required('N', whole(1, limits.modulesMax), 'How many modules it has', '4'),
      grants: required('TIER', tier, `The tier it grants: ${tiers.join(', ')}`, 'guarded_write'),
      'valid-days': optional(
        'D',
        whole(1, limits.validDaysMax),
        'Days until a pass expires; if absent: never',
        '365',
      ),
    },
    async run(context, { account, ...given }) {
      const { 'valid-days': validDays, ...rest } = given
      const curriculum = { ...rest, valid_days: validDays ?? null }
      await addCurriculum(adminContextOf(context, account), curriculum)
      return { curriculum: curriculum.slug }
    },
  }),

  list: defineVerb({
    summary: 'List all curricula',
    options: { account },
    empty: 'No curricula. Add one with `gate curriculum add`.',
    async run(context, { account }) {
      const curricula = await readCurricula(adminContextOf(context, account))
      return curricula.map(({ slug: curriculum, ...rest }) => ({ curriculum, ...rest }))
    },
  }),
}
