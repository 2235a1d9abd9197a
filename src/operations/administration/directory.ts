import { z } from 'zod'
import { limits } from '../../limits.ts'
import {
  adoptMembers as adopt,
  endDirectory as end,
  makeDirectoryToken,
  readDirectory,
} from '../directory/token.ts'
import { email, line } from '../entered-fields.ts'
import { viewKey } from '../keys/key-view.ts'
import { defineAdmin } from './admin-operation.ts'
import { Document } from './parts.ts'

const path = '/api/v1/admin/directory'
const key = 'key_7hQ2mWzX0aLk4RtY'

const getDirectory = defineAdmin({
  name: 'get_directory',
  title: 'Read the directory',
  summary: "Reads the tokens of the company's directory that are in force, and how much it manages.",
  http: { method: 'GET', path },
  power: 'admin:directory.read',
  input: z.strictObject({}),
  output: Document,
  errors: ['forbidden'],
  example: { input: {}, output: { tokens: [{ key_id: key, name: 'Okta' }], users: 41, groups: 3 } },
  async run(context) {
    const { tokens, users, groups } = await readDirectory(context)
    return { tokens: tokens.map(viewKey), users, groups }
  },
})

const makeToken = defineAdmin({
  name: 'make_directory_token',
  title: 'Make or rotate the token of the directory',
  summary:
    'Makes the token by which the directory speaks SCIM, and shows it once. One that is in force expires after the overlap.',
  http: { method: 'POST', path: `${path}/token` },
  power: 'admin:directory.write',
  input: z.strictObject({
    name: line(limits.nameCharsMax).optional(),
    overlap_hours: z.int().min(0).max(limits.keyOverlapHoursMax).default(limits.keyOverlapHoursDefault),
  }),
  output: z.object({
    key_id: z.string(),
    token: z.string().meta({ description: 'Shown once.' }),
    old_expires_at: z.iso.datetime().optional(),
  }),
  errors: ['forbidden', 'invalid'],
  example: { input: { name: 'Okta' }, output: { key_id: key, token: `qgk_${'x'.repeat(38)}` } },
  async run(context, { name, overlap_hours: overlapHours }) {
    const { keyId, token, formerEndsAt } = await makeDirectoryToken(context, { name, overlapHours })
    return {
      key_id: keyId,
      token,
      ...(formerEndsAt === null ? {} : { old_expires_at: formerEndsAt.toISOString() }),
    }
  },
})

const endDirectory = defineAdmin({
  name: 'end_directory',
  title: 'End the token of the directory',
  summary: 'Ends every token of the directory: it changes nothing more. Members and groups stay as they are.',
  http: { method: 'POST', path: `${path}/end` },
  power: 'admin:directory.write',
  input: z.strictObject({}),
  output: Document,
  errors: ['forbidden', 'not_found'],
  example: { input: {}, output: { ended: true } },
  async run(context) {
    await end(context)
    return { ended: true }
  },
})

const adoptMembers = defineAdmin({
  name: 'adopt_members',
  title: 'Let the directory manage members',
  summary:
    'Lets the directory manage members whom it did not add: the one with this mailbox, or all that have one.',
  http: { method: 'POST', path: `${path}/adopt` },
  power: 'admin:directory.write',
  input: z.strictObject({
    email: email.optional().meta({ description: 'Absent: every active member with a mailbox.' }),
  }),
  output: z.object({ adopted: z.int() }),
  errors: ['forbidden', 'not_found', 'conflict', 'invalid'],
  example: { input: { email: 'grace@example.com' }, output: { adopted: 1 } },
  run: async (context, given) => ({ adopted: await adopt(context, given.email) }),
})

export const directoryOperations = { getDirectory, makeToken, endDirectory, adoptMembers }
