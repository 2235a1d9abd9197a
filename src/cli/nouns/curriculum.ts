import { limits } from '../../limits.ts'
import { addCurriculum, readCurricula } from '../../operations/admin/curricula.ts'
import { line, slug, tier, whole } from '../../operations/admin/fields.ts'
import { accountId } from '../../operations/ids.ts'
import { adminContextOf } from '../context.ts'
import { defineVerb, optional, required } from '../verb.ts'

export const curriculumVerbs = {
  add: defineVerb({
    summary: 'Add a curriculum: a course of numbered modules that grants a tier',
    options: {
      account: required('ACCOUNT', accountId),
      slug: required('SLUG', slug),
      title: required('TITLE', line(limits.titleCharsMax)),
      modules: required('N', whole(1, limits.modulesMax)),
      grants: required('TIER', tier),
      'valid-days': optional('D', whole(1, limits.validDaysMax)),
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
    options: { account: required('ACCOUNT', accountId) },
    async run(context, { account }) {
      const curricula = await readCurricula(adminContextOf(context, account))
      return curricula.map(({ slug: curriculum, ...rest }) => ({ curriculum, ...rest }))
    },
  }),
}
