import { limits } from '../../../limits.ts'
import {
  adoptMembers,
  endDirectory,
  makeDirectoryToken,
  readDirectory,
} from '../../../operations/directory/token.ts'
import { email, line } from '../../../operations/entered-fields.ts'
import { viewKey } from '../../../operations/keys/key-view.ts'
import { wholeNumber } from '../../../operations/whole-number.ts'
import { account } from '../../account-option.ts'
import { adminContextOf } from '../../context.ts'
import { UsageError, defineVerb, flag, optional } from '../../verb.ts'

/** The company's directory, which keeps members and groups over SCIM. */
export const directoryVerbs = {
  show: defineVerb({
    summary: "Show the tokens of the company's directory, and how much it manages",
    options: { account },
    async run(context, given) {
      const { tokens, users, groups } = await readDirectory(adminContextOf(context, given.account))
      return { tokens: tokens.map(viewKey), users, groups }
    },
  }),

  token: defineVerb({
    summary: 'Make the token of the directory and show it once, or rotate it',
    options: {
      account,
      name: optional('NAME', line(limits.nameCharsMax), 'What ledger entries call it', 'Okta'),
      'overlap-hours': optional(
        'N',
        wholeNumber(0, limits.keyOverlapHoursMax),
        `For how long the old token works; if absent: ${limits.keyOverlapHoursDefault}`,
        '24',
      ),
    },
    async run(context, { account: of, name, 'overlap-hours': overlapHours }) {
      const made = await makeDirectoryToken(adminContextOf(context, of), {
        name,
        ...(overlapHours === undefined ? {} : { overlapHours }),
      })
      return {
        key_id: made.keyId,
        token: made.token,
        ...(made.formerEndsAt === null ? {} : { old_expires_at: made.formerEndsAt }),
      }
    },
  }),

  end: defineVerb({
    summary: 'End every token of the directory: it changes nothing more. Members and groups stay',
    options: { account },
    async run(context, given) {
      await endDirectory(adminContextOf(context, given.account))
      return { account: given.account, state: 'ended' }
    },
  }),

  adopt: defineVerb({
    summary: 'Let the directory manage members whom it did not add, by their mailbox',
    options: {
      account,
      email: optional('EMAIL', email, 'One member', 'ada@my.example'),
      all: flag('Every active member with a mailbox'),
    },
    async run(context, given) {
      if ((given.email === undefined) === !given.all) throw new UsageError('Give --email or --all.')
      return { adopted: await adoptMembers(adminContextOf(context, given.account), given.email) }
    },
  }),
}
