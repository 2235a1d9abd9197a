import { z } from 'zod'
import type { CurriculumRow } from '../../db/queries/members/curricula.ts'
import { tiers } from '../../gate/tier.ts'
import { limits } from '../../limits.ts'
import { addCurriculum as add } from '../curricula/add-curriculum.ts'
import { changeCurriculum as change } from '../curricula/change-curriculum.ts'
import { type CurriculumChange, curriculumEffect } from '../curricula/curriculum-effect.ts'
import { readCurricula, readCurriculum } from '../curricula/read-curricula.ts'
import { restoreCurriculum } from '../curricula/restore-curriculum.ts'
import { retireCurriculum } from '../curricula/retire-curriculum.ts'
import { line, slug, tier } from '../entered-fields.ts'
import { type AdminCall, defineAdmin } from './admin-operation.ts'
import { isDryRun } from './parts.ts'

const path = '/api/v1/admin/curricula'
const title = line(limits.titleCharsMax)
const modules = z.int().min(1).max(limits.modulesMax)
const validDays = z.int().min(1).max(limits.validDaysMax)
const moduleTitles = z.array(title).max(limits.modulesMax)

const Curriculum = z.object({
  curriculum: z.string(),
  title: z.string(),
  modules: z.int(),
  grants: z.enum(tiers),
  valid_days: z.int().nullable(),
  module_titles: z.array(z.string()).nullable(),
  retired_at: z.iso.datetime().nullable(),
  certified: z.int(),
  in_progress: z.int(),
})
const Effect = z.object({
  curriculum: z.string(),
  is_dry_run: z.boolean(),
  tier_lowered: z.array(z.string()).meta({ description: 'Ids of members.' }),
  tier_raised: z.array(z.string()),
  certified_no_longer: z.int(),
  newly_certified: z.int(),
})
const effect = {
  curriculum: 'safe-sending',
  is_dry_run: false,
  tier_lowered: [],
  tier_raised: [],
  certified_no_longer: 0,
  newly_certified: 0,
}

const listCurricula = defineAdmin({
  name: 'list_curricula',
  title: 'List curricula',
  summary: 'Lists the curricula, retired ones too, with how many members are certified.',
  http: { method: 'GET', path },
  power: 'admin:curricula.read',
  input: z.strictObject({}),
  output: z.object({ curricula: z.array(Curriculum) }),
  errors: ['forbidden'],
  example: {
    input: {},
    output: {
      curricula: [
        {
          curriculum: 'safe-sending',
          title: 'Safe sending',
          modules: 4,
          grants: 'guarded_write',
          valid_days: 365,
          module_titles: null,
          retired_at: null,
          certified: 3,
          in_progress: 1,
        },
      ],
    },
  },
  run: async (context) => ({
    curricula: (await readCurricula(context)).map(({ slug: curriculum, ...rest }) => ({
      curriculum,
      ...rest,
    })),
  }),
})

const addCurriculum = defineAdmin({
  name: 'add_curriculum',
  title: 'Add a curriculum',
  summary: 'Adds a course of numbered modules that grants a tier.',
  http: { method: 'POST', path },
  power: 'admin:curricula.write',
  input: z.strictObject({
    slug,
    title,
    modules,
    grants: tier,
    valid_days: validDays.optional().meta({ description: 'Days until a pass expires. Absent: never.' }),
    module_titles: moduleTitles.optional(),
  }),
  output: z.object({ curriculum: z.string() }),
  errors: ['forbidden', 'conflict', 'invalid'],
  example: {
    input: { slug: 'safe-sending', title: 'Safe sending', modules: 4, grants: 'guarded_write' },
    output: { curriculum: 'safe-sending' },
  },
  async run(context, { valid_days: days = null, module_titles: titles = null, ...rest }) {
    await add(context, { ...rest, valid_days: days, module_titles: titles })
    return { curriculum: rest.slug }
  },
})

const changeCurriculum = defineAdmin({
  name: 'change_curriculum',
  title: 'Change a curriculum',
  summary: 'Changes what is given of a curriculum, and answers whose tier changes. `dry_run` only answers.',
  http: { method: 'POST', path: `${path}/{curriculum}` },
  power: 'admin:curricula.write',
  input: z.strictObject({
    curriculum: slug,
    title: title.optional(),
    modules: modules.optional(),
    grants: tier.optional(),
    valid_days: validDays.optional(),
    module_titles: moduleTitles.optional(),
    remove: z
      .array(z.enum(['valid_days', 'module_titles']))
      .max(2)
      .default([]),
    dry_run: isDryRun,
  }),
  output: Effect,
  errors: ['forbidden', 'not_found', 'conflict', 'invalid'],
  example: { input: { curriculum: 'safe-sending', modules: 5 }, output: effect },
  async run(context, { curriculum, remove, dry_run: isDry, ...given }) {
    const now = await readCurriculum(context, curriculum)
    const next: CurriculumRow = {
      slug: curriculum,
      title: given.title ?? now.title,
      modules: given.modules ?? now.modules,
      grants: given.grants ?? now.grants,
      valid_days: remove.includes('valid_days') ? null : (given.valid_days ?? now.valid_days),
      module_titles: remove.includes('module_titles') ? null : (given.module_titles ?? now.module_titles),
    }
    return withEffect(context, { slug: curriculum, change: { to: next }, isDry }, () => change(context, next))
  },
})

const retireOrRestore = (retires: boolean) =>
  defineAdmin({
    name: retires ? 'retire_curriculum' : 'restore_curriculum',
    title: retires ? 'Retire a curriculum' : 'Restore a curriculum',
    summary: retires
      ? 'Retires a curriculum: it earns no tier; passes are kept.'
      : 'Puts a retired curriculum in force again.',
    http: { method: 'POST', path: `${path}/{curriculum}/${retires ? 'retire' : 'restore'}` },
    power: 'admin:curricula.write',
    input: z.strictObject({ curriculum: slug, dry_run: isDryRun }),
    output: Effect,
    errors: ['forbidden', 'not_found', 'conflict', 'invalid'],
    example: { input: { curriculum: 'safe-sending' }, output: effect },
    run: (context, { curriculum, dry_run: isDry }) =>
      withEffect(context, { slug: curriculum, change: retires ? 'retire' : 'restore', isDry }, () =>
        (retires ? retireCurriculum : restoreCurriculum)(context, curriculum),
      ),
  })

async function withEffect(
  context: AdminCall,
  given: { slug: string; change: CurriculumChange; isDry: boolean },
  make: () => Promise<void>,
): Promise<z.input<typeof Effect>> {
  const now = await readCurriculum(context, given.slug)
  const { lowered, raised, decertified, certified } = await curriculumEffect(context, now, given.change)
  if (!given.isDry) await make()
  return {
    curriculum: given.slug,
    is_dry_run: given.isDry,
    tier_lowered: lowered.map(({ memberId }) => memberId),
    tier_raised: raised.map(({ memberId }) => memberId),
    certified_no_longer: decertified,
    newly_certified: certified,
  }
}

export const curriculumOperations = {
  listCurricula,
  addCurriculum,
  changeCurriculum,
  retireCurriculum: retireOrRestore(true),
  restoreCurriculum: retireOrRestore(false),
}
