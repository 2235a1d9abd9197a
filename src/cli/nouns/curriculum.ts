import { tiers } from '../../gate/tier.ts'
import { limits } from '../../limits.ts'
import type { CurriculumRow, ListedCurriculum } from '../../db/queries/members/curricula.ts'
import { addCurriculum } from '../../operations/curricula/add-curriculum.ts'
import { changeCurriculum } from '../../operations/curricula/change-curriculum.ts'
import { restoreCurriculum } from '../../operations/curricula/restore-curriculum.ts'
import { retireCurriculum } from '../../operations/curricula/retire-curriculum.ts'
import { readCurricula, readCurriculum } from '../../operations/curricula/read-curricula.ts'
import { line, slug, tier } from '../../operations/entered-fields.ts'
import { wholeNumber } from '../../operations/whole-number.ts'
import {
  type CurriculumChange,
  type CurriculumEffect,
  curriculumEffect,
} from '../../operations/curricula/curriculum-effect.ts'
import { account } from '../account-option.ts'
import { type CliContext, adminContextOf } from '../context.ts'
import { UsageError, defineVerb, flag, optional, repeatable, required } from '../verb.ts'

const named = {
  account,
  slug: required('SLUG', slug, 'Short name in commands and answers', 'safe-sending'),
}
const grants = `The tier it grants: ${tiers.join(', ')}`
const title = line(limits.titleCharsMax)
const modules = wholeNumber(1, limits.modulesMax)
const moduleTitles = repeatable('TITLE', title, 'Title of the next module; repeat it for each', 'Basics')
const days = wholeNumber(1, limits.validDaysMax)

export const curriculumVerbs = {
  add: defineVerb({
    summary: 'Add a curriculum: a course of numbered modules that grants a tier',
    options: {
      ...named,
      title: required('TITLE', title, 'Title for people', 'Safe sending'),
      modules: required('N', modules, 'How many modules it has', '4'),
      grants: required('TIER', tier, grants, 'guarded_write'),
      'valid-days': optional('D', days, 'Days until a pass expires; if absent: never', '365'),
      'module-title': moduleTitles,
    },
    async run(context, { account, 'valid-days': validDays, 'module-title': titles, ...rest }) {
      const curriculum = { ...rest, valid_days: validDays ?? null, module_titles: titlesOf(titles) }
      await addCurriculum(adminContextOf(context, account), curriculum)
      return { curriculum: curriculum.slug }
    },
  }),

  list: defineVerb({
    summary: 'List all curricula, with how many members are certified',
    options: { account },
    empty: (of) => `No curricula. Add one with \`gate curriculum add${of}\`.`,
    async run(context, { account }) {
      const curricula = await readCurricula(adminContextOf(context, account))
      return curricula.map(({ slug: curriculum, ...rest }) => ({ curriculum, ...rest }))
    },
  }),

  change: defineVerb({
    summary:
      'Change a curriculum; options that are not given do not change it (--dry-run: only show the effect)',
    options: {
      ...named,
      title: optional('TITLE', title, 'A new title', 'Safe sending'),
      modules: optional('N', modules, 'A new number of modules', '5'),
      grants: optional('TIER', tier, grants, 'write'),
      'valid-days': optional('D', days, 'Days until a pass expires', '365'),
      'no-expiry': flag('Passes never expire'),
      'module-title': moduleTitles,
      'no-module-titles': flag('Remove the titles of the modules'),
      'dry-run': flag('Only show the effect'),
    },
    async run(context, { account, slug: name, ...given }): Promise<EffectAnswer> {
      refuseBoth(given, 'valid-days', 'no-expiry')
      refuseBoth(given, 'module-title', 'no-module-titles')
      const administration = adminContextOf(context, account)
      const now = await readCurriculum(administration, name)
      const next: CurriculumRow = {
        slug: name,
        title: given.title ?? now.title,
        modules: given.modules ?? now.modules,
        grants: given.grants ?? now.grants,
        valid_days: given['no-expiry'] ? null : (given['valid-days'] ?? now.valid_days),
        module_titles: given['no-module-titles']
          ? null
          : (titlesOf(given['module-title']) ?? now.module_titles),
      }
      return withEffect(context, { account, now, change: { to: next }, isDry: given['dry-run'] }, () =>
        changeCurriculum(administration, next),
      )
    },
    text: effectText,
  }),

  retire: defineVerb({
    summary: 'Retire a curriculum: it earns no tier; passes are kept (--dry-run: only show the effect)',
    options: { ...named, 'dry-run': flag('Only show the effect') },
    async run(context, { account, slug: name, 'dry-run': isDry }): Promise<EffectAnswer> {
      const now = await readCurriculum(adminContextOf(context, account), name)
      return withEffect(context, { account, now, change: 'retire', isDry }, () =>
        retireCurriculum(adminContextOf(context, account), name),
      )
    },
    text: effectText,
  }),

  restore: defineVerb({
    summary: 'Put a retired curriculum in force again (--dry-run: only show the effect)',
    options: { ...named, 'dry-run': flag('Only show the effect') },
    async run(context, { account, slug: name, 'dry-run': isDry }): Promise<EffectAnswer> {
      const now = await readCurriculum(adminContextOf(context, account), name)
      return withEffect(context, { account, now, change: 'restore', isDry }, () =>
        restoreCurriculum(adminContextOf(context, account), name),
      )
    },
    text: effectText,
  }),
}

const titlesOf = (titles: string[]): string[] | null => (titles.length === 0 ? null : titles)

function refuseBoth(given: Record<string, unknown>, set: string, clear: string): void {
  const isSet = Array.isArray(given[set]) ? given[set].length > 0 : given[set] !== undefined
  if (isSet && given[clear]) throw new UsageError(`give --${set} or --${clear}, not both`)
}

interface EffectAnswer {
  curriculum: string
  is_dry_run: boolean
  tier_lowered: string[]
  tier_raised: string[]
  certified_no_longer: number
  newly_certified: number
}

async function withEffect(
  context: CliContext,
  given: { account: string; now: ListedCurriculum; change: CurriculumChange; isDry: boolean },
  make: () => Promise<void>,
): Promise<EffectAnswer> {
  const { account, now, change, isDry } = given
  const effect = await curriculumEffect(adminContextOf(context, account), now, change)
  if (!isDry) await make()
  return answerOf(now.slug, isDry, effect)
}

const answerOf = (curriculum: string, isDry: boolean, effect: CurriculumEffect): EffectAnswer => ({
  curriculum,
  is_dry_run: isDry,
  tier_lowered: effect.lowered.map(({ memberId }) => memberId),
  tier_raised: effect.raised.map(({ memberId }) => memberId),
  certified_no_longer: effect.decertified,
  newly_certified: effect.certified,
})

function effectText(answer: EffectAnswer): string {
  return [
    answer.is_dry_run ? `${answer.curriculum}: not changed (dry run)` : `${answer.curriculum}: changed`,
    `members whose tier becomes lower: ${answer.tier_lowered.length}`,
    `members whose tier becomes higher: ${answer.tier_raised.length}`,
    `no longer certified: ${answer.certified_no_longer}, newly certified: ${answer.newly_certified}`,
  ].join('\n')
}
