import { addCurriculum, listCurricula } from '../db/queries/curricula.ts'
import { adminEvent } from '../ledger/admin-event.ts'
import { limits } from '../limits.ts'
import { requireAccount } from '../operations/admin/found.ts'
import { accountId, line, slug, tier, whole } from '../operations/admin/fields.ts'
import { defineVerb, optional, required } from './verb.ts'

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
      await addCurriculum(context.db(), {
        account,
        curriculum,
        event: adminEvent.curriculumAdded(curriculum),
      })
      return { curriculum: curriculum.slug }
    },
  }),

  list: defineVerb({
    summary: 'Show every curriculum',
    options: { account: required('ACCOUNT', accountId) },
    async run(context, { account }) {
      await requireAccount(context.db(), account)
      const curricula = await listCurricula(context.db(), account)
      return curricula.map(({ slug, ...rest }) => ({ curriculum: slug, ...rest }))
    },
  }),
}
