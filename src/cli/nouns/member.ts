import { z } from 'zod'
import { email, line, slackId, teamsId, tier } from '../../operations/entered-fields.ts'
import { requireMember } from '../../operations/members/require-member.ts'
import { addMember } from '../../operations/members/add-member.ts'
import { readAllMembers } from '../../operations/members/list-members.ts'
import { setMemberActive } from '../../operations/members/set-member-active.ts'
import { setMemberTier } from '../../operations/members/set-member-tier.ts'
import { viewMember } from '../../operations/members/member-view.ts'
import { updateMember } from '../../operations/members/update-member.ts'
import {
  exportMembers,
  importMembers,
  planImport,
  problemSentence,
} from '../../operations/members/import-members.ts'
import type { LineProblem } from '../../operations/members/members-csv.ts'
import { eraseMember } from '../../operations/members/erase-member.ts'
import { memberId as memberIdForm, passkeyId } from '../../operations/ids.ts'
import { listPasskeys, removePasskey } from '../../operations/passkeys/remove-passkey.ts'
import { shownAddress } from '../../text/mail-address.ts'
import { tiers } from '../../gate/tier.ts'
import { limits } from '../../limits.ts'
import { account } from '../account-option.ts'
import { adminContextOf } from '../context.ts'
import { reason, who } from '../options.ts'
import { formatForPeople } from '../print.ts'
import { readFileOption } from '../read-file-option.ts'
import { type GivenAccount, UsageError, defineVerb, flag, optional, required } from '../verb.ts'

const identified = { account, ...who }
const name = line(limits.nameCharsMax)
const objectId = '0b9a1b2c-3d4e-4f50-8a6b-7c8d9e0f1a2b'

export const memberVerbs = {
  add: defineVerb({
    summary: 'Add a member; a member without an identity cannot act or receive messages',
    options: {
      ...identified,
      teams: optional('OBJECT_ID', teamsId, "The member's object ID in Microsoft Entra", objectId),
      name: required('NAME', name, 'Name of the member', 'Ada Lovelace'),
    },
    shown: ['email'],
    async run(context, given) {
      const member = {
        name: given.name,
        email: given.email ?? null,
        slack: given.slack ?? null,
        teams: given.teams ?? null,
      }
      return { member_id: await addMember(adminContextOf(context, given.account), member) }
    },
  }),

  import: defineVerb({
    summary:
      'Add the members of a CSV file, all or none; members who exist stay as they are (--dry-run: only check)',
    options: {
      account,
      file: required(
        'FILE',
        z.string().min(1, 'must name a file'),
        'CSV with the header name,email,slack,teams',
        'members.csv',
      ),
      'dry-run': flag('Only check the file'),
    },
    async run(context, given) {
      const administration = adminContextOf(context, given.account)
      const csv = readFileOption('file', given.file)
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
    text: (members: ReturnType<typeof viewMember>[], of) =>
      formatForPeople(
        members.map((member) => ({ ...member, email: member.email && shownAddress(member.email) })),
        {
          columns: ['email', 'slack', 'teams', 'tier', 'tier_source', 'active', 'name'],
          empty: noMembers(of),
        },
      ),
  }),

  'set-tier': defineVerb({
    summary: "Set a member's tier, which overrides certifications, or remove the setting",
    options: {
      ...identified,
      tier: optional('TIER', tier, `One of ${tiers.join(', ')}`, 'write'),
      clear: flag('Remove the setting: certifications decide again'),
    },
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
      ...identified,
      name: optional('NAME', name, 'A new name', 'Ada King'),
      'new-email': optional('EMAIL', email, 'A new e-mail', 'ada.king@my.example'),
      'new-slack': optional('SLACK_ID', slackId, 'A new Slack user ID', 'U024BE7LJ'),
      'new-teams': optional('OBJECT_ID', teamsId, 'A new object ID in Microsoft Entra', objectId),
      'remove-email': flag('Remove the e-mail'),
      'remove-slack': flag('Remove the Slack user ID'),
      'remove-teams': flag('Remove the object ID'),
    },
    exactlyOne: [['email', 'slack']],
    shown: ['new-email'],
    async run(context, given) {
      const change = {
        name: given.name ?? null,
        email: identityChange('email', given['new-email'], given['remove-email']),
        slack: identityChange('slack', given['new-slack'], given['remove-slack']),
        teams: identityChange('teams', given['new-teams'], given['remove-teams']),
      }
      if (Object.values(change).every((value) => value === null)) {
        throw new UsageError(
          'give at least one of --name, --new-email, --new-slack, --new-teams, --remove-email, --remove-slack, --remove-teams',
        )
      }
      const { memberId } = await requireMember(context.db(), given)
      return viewMember(await updateMember(adminContextOf(context, given.account), memberId, change))
    },
  }),

  passkeys: defineVerb({
    summary: 'List the passkeys of a member',
    options: identified,
    exactlyOne: [['email', 'slack']],
    async run(context, given) {
      const { memberId } = await requireMember(context.db(), given)
      const passkeys = await listPasskeys(context.db(), given.account, memberId)
      return passkeys.map(({ passkey_id, name, is_device_bound, created_at, used_at }) => ({
        passkey_id,
        name,
        device_bound: is_device_bound,
        added_at: created_at.toISOString(),
        last_used_at: used_at?.toISOString() ?? null,
      }))
    },
  }),

  'remove-passkey': defineVerb({
    summary: 'Remove a passkey of a member, such as that of a lost device: it no longer decides or signs in',
    options: {
      account,
      passkey: required(
        'ID',
        passkeyId,
        'The passkey, as `gate member passkeys` shows it',
        'pk_0a1B2c3D4e5F6g7H',
      ),
    },
    async run(context, given) {
      await removePasskey(adminContextOf(context, given.account), given.passkey)
      return { passkey_id: given.passkey, removed: true }
    },
  }),

  deactivate: defineVerb({
    summary: 'Deactivate a member: no longer accepted as an actor, no longer a recipient',
    options: identified,
    exactlyOne: [['email', 'slack']],
    async run(context, given) {
      const { memberId } = await requireMember(context.db(), given)
      return viewMember(await setMemberActive(adminContextOf(context, given.account), memberId, false))
    },
  }),

  erase: defineVerb({
    summary:
      'Erase the name, identities and words of a member; rows and ledger entries stay and say `erased`',
    options: {
      ...identified,
      member: optional('MEMBER_ID', memberIdForm, 'The id of the member', 'mem_0a1B2c3D4e5F6g7H'),
      reason,
    },
    exactlyOne: [['email', 'slack', 'member']],
    async run(context, { member, ...given }) {
      const id = member ?? (await requireMember(context.db(), given)).memberId
      await eraseMember(adminContextOf(context, given.account), id, given.reason)
      return { member_id: id, erased: true }
    },
  }),

  activate: defineVerb({
    summary: 'Reactivate a member',
    options: identified,
    exactlyOne: [['email', 'slack']],
    async run(context, given) {
      const { memberId } = await requireMember(context.db(), given)
      return viewMember(await setMemberActive(adminContextOf(context, given.account), memberId, true))
    },
  }),
}

const noMembers = (of: GivenAccount) =>
  `No members. Add one with \`gate member add${of} --name NAME --email EMAIL\`.`

// An empty text removes the identity; null keeps it.
function identityChange(field: string, given: string | undefined, isRemoved: boolean): string | null {
  if (given !== undefined && isRemoved)
    throw new UsageError(`give --new-${field} or --remove-${field}, not both`)
  return isRemoved ? '' : (given ?? null)
}
