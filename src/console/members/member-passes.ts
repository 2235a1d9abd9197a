import { z } from 'zod'
import { type CurriculumRecord, type Pass, certification, isPassInForce } from '../../gate/tier.ts'
import { limits } from '../../limits.ts'
import { curriculumOf } from '../../operations/members/certification-now.ts'
import { recordPass } from '../../operations/members/record-pass.ts'
import { revokePasses } from '../../operations/members/revoke-passes.ts'
import { instant, slug } from '../../operations/entered-fields.ts'
import { wholeNumber } from '../../operations/whole-number.ts'
import type { MemberRow } from '../../operations/members/read-member.ts'
import { type Html, html } from '../../web/html.ts'
import { optionally } from '../forms.ts'
import { memberIn, memberPath } from './member-page.ts'
import { membersPath } from './list-page.ts'
import { type PageContext, asAdmin, definePage, idIn } from '../page.ts'
import { choice, confirmation, facts, field, moment, formProblem, table } from '../parts.ts'

const path = `${membersPath}/:member/passes/:curriculum`
const moduleNumber = wholeNumber(1, limits.modulesMax)

/** A member's passes of one curriculum, and a form to record a pass. */
export const memberPassesPage = definePage({
  path,
  role: 'admin',
  form: z.strictObject({ module: moduleNumber, at: optionally(instant) }),
  async show(context, _query, rejected) {
    const { member, curriculum } = await readNamed(context)
    const { certified, modules_passed, modules_total } = certification(curriculum, member.now)
    return {
      title: `${curriculum.title}: ${member.name}`,
      body: html`${formProblem(rejected)}
      ${facts([
        [
          'Status',
          `${certified ? 'certified' : 'not certified'}, ${modules_passed} of ${modules_total} modules`,
        ],
        ['Grants', curriculum.grants],
        ['Pass valid for', curriculum.validDays === null ? 'no expiry' : `${curriculum.validDays} days`],
      ])}
      ${table(
        'Modules',
        ['Module', 'Status', 'Passed'],
        modulesOf(curriculum).map((module) => rowOf(curriculum, module, member.now)),
      )}
      ${
        isRetired(member, curriculum)
          ? retiredNotice
          : html`<h2>New pass</h2>
              <form method="post">
                ${choice({
                  name: 'module',
                  label: 'Module',
                  values: modulesOf(curriculum).map(
                    (module) => [String(module), nameOfModule(curriculum, module)] as const,
                  ),
                  value: String(firstMissing(curriculum, member.now)),
                  rejected,
                })}
                ${field({
                  name: 'at',
                  label: 'Passed on',
                  type: 'date',
                  hint: 'A date in UTC. Empty: now. If the module was passed before, the new date replaces the old one.',
                  isRequired: false,
                  rejected,
                })}
                <button type="submit">Record pass</button>
                <a class="button" href="${memberPath(member.memberId)}">Go back</a>
              </form>`
      }
      ${curriculum.passes.some(isPassed) ? revokeLink(member, curriculum) : ''}`,
    }
  },
  async send(context, { module, at }) {
    const { member, curriculum } = await readNamed(context)
    await recordPass(asAdmin(context), member, { curriculum: curriculum.slug, module, at: at ?? null })
    return { to: pathOf(member, curriculum), flash: 'pass_recorded' }
  },
})

/** Confirms before passes are revoked: one, or all of the curriculum. */
export const revokePassesPage = definePage({
  path: `${path}/revoke`,
  role: 'admin',
  form: z.strictObject({
    module: z.union([z.literal('all').transform(() => null), moduleNumber], 'must be one of the list'),
  }),
  async show(context, _query, rejected) {
    const { member, curriculum } = await readNamed(context)
    const kept = curriculum.passes.filter(isPassed).toSorted((a, b) => a.module - b.module)
    return {
      title: `Revoke passes of ${member.name}?`,
      body: html`${formProblem(rejected)}
        <p>
          Revoked passes no longer count towards <strong>${curriculum.title}</strong>. This takes effect
          immediately, also for open proposals.
        </p>
        ${confirmation({
          button: 'Revoke passes',
          back: pathOf(member, curriculum),
          fields: choice({
            name: 'module',
            label: 'Passes to revoke',
            values: [
              ['all', 'All passes of this curriculum'],
              ...kept.map(({ module }) => [String(module), nameOfModule(curriculum, module)] as const),
            ],
            rejected,
          }),
        })}`,
    }
  },
  async send(context, { module }) {
    const { member, curriculum } = await readNamed(context)
    await revokePasses(asAdmin(context), member, { curriculum: curriculum.slug, module })
    return { to: pathOf(member, curriculum), flash: 'passes_revoked' }
  },
})

async function readNamed(context: PageContext): Promise<{ member: MemberRow; curriculum: CurriculumRecord }> {
  const member = await memberIn(context)
  return { member, curriculum: curriculumOf(member, idIn(context, 'curriculum', slug)) }
}

const pathOf = (member: MemberRow, { slug: of }: CurriculumRecord): string =>
  `${memberPath(member.memberId)}/passes/${of}`

const revokeLink = (member: MemberRow, curriculum: CurriculumRecord): Html =>
  html`<h2>Revocation</h2>
    <p><a class="button" href="${pathOf(member, curriculum)}/revoke">Revoke passes</a></p>`

const modulesOf = ({ modules }: CurriculumRecord): number[] =>
  Array.from({ length: modules }, (_, at) => at + 1)

const isRetired = ({ retired }: MemberRow, { slug: of }: CurriculumRecord): boolean =>
  retired.some((one) => one.slug === of)

const retiredNotice = html`<p class="notice">
  This curriculum is retired: it earns no tier, and no pass can be recorded.
  <a href="/console/curricula">Put it in force again</a> first.
</p>`

/** `Module 2: Refunds`; without a title its number alone. */
const nameOfModule = ({ moduleTitles }: CurriculumRecord, module: number): string => {
  const title = moduleTitles?.[module - 1]
  return title === undefined ? `Module ${module}` : `Module ${module}: ${title}`
}

const isPassed = ({ passedAt }: Pass): boolean => passedAt !== null

function rowOf(curriculum: CurriculumRecord, module: number, now: Date) {
  const pass = curriculum.passes.find((one) => one.module === module)
  return [
    nameOfModule(curriculum, module),
    passBadge(curriculum, pass, now),
    moment(pass?.passedAt ?? pass?.latestAt ?? null),
  ]
}

function passBadge(curriculum: CurriculumRecord, pass: Pass | undefined, now: Date): Html {
  if (!pass) return html`<span class="badge over">not passed</span>`
  if (pass.passedAt === null) return html`<span class="badge over">revoked</span>`
  return isPassInForce(pass, curriculum.validDays, now)
    ? html`<span class="badge good">in force</span>`
    : html`<span class="badge warn">expired</span>`
}

const firstMissing = (curriculum: CurriculumRecord, now: Date): number =>
  modulesOf(curriculum).find((module) => {
    const pass = curriculum.passes.find((one) => one.module === module)
    return !pass || !isPassInForce(pass, curriculum.validDays, now)
  }) ?? 1
