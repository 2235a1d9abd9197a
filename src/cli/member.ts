import { readFileSync } from 'node:fs'
import { z } from 'zod'
import { email, line, slackId, tier } from '../operations/admin/fields.ts'
import { accountId } from '../operations/ids.ts'
import { requireMember } from '../operations/admin/require-entity.ts'
import {
  addMember,
  readAllMembers,
  setMemberActive,
  setMemberTier,
  updateMember,
  viewMember,
} from '../operations/admin/members.ts'
import {
  exportMembers,
  importMembers,
  planImport,
  problemSentence,
} from '../operations/members/import-members.ts'
import type { LineProblem } from '../operations/members/members-csv.ts'
import { limits } from '../limits.ts'
import { adminContextOf } from './context.ts'
import { UsageError, defineVerb, flag, optional, required } from './verb.ts'

const account = required('ACCOUNT', accountId)
const who = { account, email: optional('EMAIL', email), slack: optional('SLACK_ID', slackId) }
const name = line(limits.nameCharsMax)

export const memberVerbs = {
  add: defineVerb({
    summary: 'Add a member; a member without an e-mail or Slack identity cannot act or receive messages',
    options: { ...who, name: required('NAME', name) },
    async run(context, given) {
      const member = { name: given.name, email: given.email ?? null, slack: given.slack ?? null }
      return { member_id: await addMember(adminContextOf(context, given.account), member) }
    },
  }),

  import: defineVerb({
    summary:
      'Add the members of a CSV file, all or none; members who exist stay as they are (--dry-run: only check)',
    options: { account, file: required('FILE', z.string().min(1, 'must name a file')), 'dry-run': flag() },
    async run(context, given) {
      const administration = adminContextOf(context, given.account)
      const csv = readCsv(given.file)
      const plan = await planImport(administration, csv)
      if (plan.problems.length === 0 && !given['dry-run'])
        await importMembers(administration, csv, plan.digest)
      return {
        added: plan.problems.length === 0 && !given['dry-run'] ? plan.adds.length : 0,
        to_add: plan.adds.length,
        unchanged: plan.existing.map((one) => ({
          line: one.line,
          member_id: one.memberId,
          differences: one.differences,
        })),
        problems: plan.problems,
      }
    },
    text: ({ added, to_add, unchanged }: { added: number; to_add: number; unchanged: unknown[] }) =>
      added === to_add
        ? `${added} added, ${unchanged.length} unchanged`
        : `${to_add} would be added, ${unchanged.length} unchanged`,
    refusal: ({ problems }: { problems: LineProblem[] }) =>
      problems.length === 0 ? null : problemSentence(problems),
  }),

  export: defineVerb({
    summary: 'Write the active members as CSV, which can be imported again (--json: as one array of lines)',
    options: { account },
    async run(context, given) {
      const lines = await exportMembers(adminContextOf(context, given.account))
      const all: string[] = []
      for await (const line of lines) all.push(line)
      if (context.isJson) return all.map((line) => line.trimEnd())
      context.stdout.write(all.join(''))
      return undefined
    },
  }),

  list: defineVerb({
    summary: 'List all members with their current tier',
    options: { account },
    run: async (context, given) =>
      (await readAllMembers(adminContextOf(context, given.account))).map(viewMember),
  }),

  'set-tier': defineVerb({
    summary: "Set a member's tier, which overrides certifications, or remove the setting",
    options: { ...who, tier: optional('TIER', tier), clear: flag() },
    exactlyOne: [
      ['email', 'slack'],
      ['tier', 'clear'],
    ],
    async run(context, given) {
      const { memberId } = await requireMember(context.db(), given)
      const administration = adminContextOf(context, given.account)
      const member = viewMember(await setMemberTier(administration, memberId, given.tier ?? null))
      return { tier: member.tier, tier_source: member.tier_source }
    },
  }),

  update: defineVerb({
    summary: "Change a member's name or identities",
    options: {
      ...who,
      name: optional('NAME', name),
      'new-email': optional('EMAIL', email),
      'new-slack': optional('SLACK_ID', slackId),
      'remove-email': flag(),
      'remove-slack': flag(),
    },
    exactlyOne: [['email', 'slack']],
    async run(context, given) {
      const change = {
        name: given.name ?? null,
        email: identityChange('email', given['new-email'], given['remove-email']),
        slack: identityChange('slack', given['new-slack'], given['remove-slack']),
      }
      if (Object.values(change).every((value) => value === null)) {
        throw new UsageError(
          'give at least one of --name, --new-email, --new-slack, --remove-email, --remove-slack',
        )
      }
      const { memberId } = await requireMember(context.db(), given)
      return viewMember(await updateMember(adminContextOf(context, given.account), memberId, change))
    },
  }),

  deactivate: defineVerb({
    summary: 'Deactivate a member: no longer accepted as an actor, no longer a recipient',
    options: who,
    exactlyOne: [['email', 'slack']],
    async run(context, given) {
      const { memberId } = await requireMember(context.db(), given)
      return viewMember(await setMemberActive(adminContextOf(context, given.account), memberId, false))
    },
  }),

  activate: defineVerb({
    summary: 'Reactivate a member',
    options: who,
    exactlyOne: [['email', 'slack']],
    async run(context, given) {
      const { memberId } = await requireMember(context.db(), given)
      return viewMember(await setMemberActive(adminContextOf(context, given.account), memberId, true))
    },
  }),
}

function readCsv(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw new UsageError(`--file cannot be read: ${(error as Error).message}`)
  }
}

// An empty text removes the identity; null keeps it.
function identityChange(field: string, given: string | undefined, isRemoved: boolean): string | null {
  if (given !== undefined && isRemoved)
    throw new UsageError(`give --new-${field} or --remove-${field}, not both`)
  return isRemoved ? '' : (given ?? null)
}
