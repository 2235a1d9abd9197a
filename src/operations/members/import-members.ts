import { randomUUID } from 'node:crypto'
import {
  type KnownMember,
  findKnownMembers,
  hasNoIdentity,
  importMembers as store,
  pageMembersByName,
} from '../../db/queries/members/members.ts'
import { GateError, OutcomeUnknown } from '../../errors.ts'
import { randomBase62 } from '../../keys/api-key.ts'
import { sha256 } from '../../ledger/digest.ts'
import { canonical } from '../../gate/canonical.ts'
import { limits } from '../../limits.ts'
import type { AccountContext, AdminContext } from '../admin-context.ts'
import { requireAccount } from '../require-account.ts'
import { type CsvMember, type LineProblem, csvHeader, csvLine, parseMembersCsv } from './members-csv.ts'

/** A line about somebody who is a member already. They stay as they are: changing an identity needs an administrator's eye. */
export interface ExistingLine extends CsvMember {
  memberId: string
  isActive: boolean
  /** What differs from the member, in words. */
  differences: string[]
}

/** What an import would do. */
export interface ImportPlan {
  adds: CsvMember[]
  existing: ExistingLine[]
  /** With one problem or more, nothing is imported. */
  problems: LineProblem[]
  /** Stands for `adds` and `existing`: the import refuses if they have changed since they were shown. */
  digest: string
}

/** Reads a file and compares it with the members. Changes nothing. @throws GateError `not_found` */
export async function planImport({ db, account }: AccountContext, csv: string): Promise<ImportPlan> {
  await requireAccount(db, account)
  const { members, problems } = parseMembersCsv(csv)
  if (members.length === 0 && problems.length === 0)
    problems.push({ line: null, problem: 'The file has no members below its first line.' })
  const known = indexOf(await findKnownMembers(db, account, members))
  const plan: ImportPlan = { adds: [], existing: [], problems: [...problems], digest: '' }
  for (const given of members) {
    const found = matchOf(given, known)
    if (found === undefined) plan.adds.push(given)
    else if (typeof found === 'string') plan.problems.push({ line: given.line, problem: found })
    else plan.existing.push(existingLine(given, found))
  }
  plan.problems.sort((a, b) => (a.line ?? 0) - (b.line ?? 0))
  plan.digest = digestOf(plan)
  return plan
}

/**
 * Adds every member of a file who is not one yet, or nobody.
 * @param shown  the digest of the plan that the administrator agreed to; null: none was shown
 * @throws GateError `invalid` where a line is wrong, `conflict` where the plan has changed since, OutcomeUnknown where the
 * answer was lost
 */
export async function importMembers(
  context: AdminContext,
  csv: string,
  shown: string | null = null,
): Promise<ImportPlan> {
  const plan = await planImport(context, csv)
  if (plan.problems.length > 0) throw new GateError('invalid', problemSentence(plan.problems))
  if (shown !== null && shown !== plan.digest)
    throw new GateError(
      'conflict',
      'The members changed since the preview. Nothing was imported. Preview it again.',
    )
  if (plan.adds.length === 0) return plan
  const members = plan.adds.map(({ name, email, slack, teams }) => ({
    memberId: `mem_${randomBase62(16)}`,
    name,
    email,
    slack,
    teams,
    eventId: randomUUID(),
  }))
  await store(context.db, context, members).catch((error: unknown) => {
    throw error instanceof OutcomeUnknown
      ? new OutcomeUnknown('the import', 'Preview the same file again: it shows who is a member now.')
      : error
  })
  return plan
}

/** The problems of a file in one text, a line each. Pure. */
export function problemSentence(problems: LineProblem[]): string {
  const listed = problems
    .slice(0, limits.importProblemsShownMax)
    .map(({ line, problem }) => (line === null ? problem : `Line ${line}: ${problem}`))
  const more = problems.length - listed.length
  return [
    ...listed,
    ...(more > 0 ? [`${more} more lines have problems.`] : []),
    'Nothing was imported.',
  ].join('\n')
}

/** The active members by name, as a file that can be imported again. @throws GateError `not_found` */
export async function exportMembers({ db, account }: AccountContext): Promise<AsyncIterable<string>> {
  await requireAccount(db, account)
  return (async function* () {
    yield csvHeader
    for (let after: string | null = null; ;) {
      const page = { text: null, after, limitRows: limits.rowsPerRead }
      const members = await pageMembersByName(db, account, page)
      for (const member of members) if (member.isActive) yield csvLine(member)
      if (members.length < limits.rowsPerRead) return
      after = members.at(-1)!.memberId
    }
  })()
}

interface KnownIndex {
  byEmail: Map<string, KnownMember>
  bySlack: Map<string, KnownMember>
  byTeams: Map<string, KnownMember>
  /** Members without an identity. */
  byName: Map<string, KnownMember>
}

const indexOf = (known: KnownMember[]): KnownIndex => ({
  byEmail: new Map(known.flatMap((one) => (one.email === null ? [] : [[one.email.toLowerCase(), one]]))),
  bySlack: new Map(known.flatMap((one) => (one.slack === null ? [] : [[one.slack, one]]))),
  byTeams: new Map(known.flatMap((one) => (one.teams === null ? [] : [[one.teams, one]]))),
  byName: new Map(known.flatMap((one) => (hasNoIdentity(one) ? [[one.name, one]] : []))),
})

/** The member whom a line means; a sentence where it means two; undefined where nobody is meant yet. */
function matchOf(
  given: CsvMember,
  { byEmail, bySlack, byTeams, byName }: KnownIndex,
): KnownMember | string | undefined {
  if (hasNoIdentity(given)) return byName.get(given.name)
  const ofEmail = given.email === null ? undefined : byEmail.get(given.email.toLowerCase())
  const ofSlack = given.slack === null ? undefined : bySlack.get(given.slack)
  const ofTeams = given.teams === null ? undefined : byTeams.get(given.teams)
  const meant: [string, KnownMember | undefined][] = [
    ['e-mail', ofEmail],
    ['Slack user ID', ofSlack],
    ['Teams object ID', ofTeams],
  ]
  const found = meant.flatMap(([label, one]) => (one ? [{ label, one }] : []))
  const other = found.find(({ one }) => one.member_id !== found[0]!.one.member_id)
  if (other)
    return `The ${found[0]!.label} belongs to ${found[0]!.one.name}, and the ${other.label} to ${other.one.name}.`
  return found[0]?.one
}

function existingLine(given: CsvMember, known: KnownMember): ExistingLine {
  const differs = (label: string, now: string | null, next: string | null): string[] =>
    next === null || next === now ? [] : [`${label} is ${now ?? 'not set'}`]
  return {
    ...given,
    memberId: known.member_id,
    isActive: known.is_active,
    differences: [
      ...differs('name', known.name, given.name),
      ...differs('e-mail', known.email?.toLowerCase() ?? null, given.email?.toLowerCase() ?? null),
      ...differs('Slack user ID', known.slack, given.slack),
      ...differs('Teams object ID', known.teams, given.teams),
    ],
  }
}

const digestOf = ({ adds, existing }: ImportPlan): string =>
  sha256(
    canonical({
      adds: adds.map(({ name, email, slack, teams }) => [name, email, slack, teams]),
      existing: existing.map(({ memberId, isActive, differences }) => [memberId, isActive, differences]),
    }),
  ).toString('hex')
