import { z } from 'zod'
import { viewMandate } from '../mandates/mandate-view.ts'
import { endMandateNow, freezeMandateNow, mandatesOf } from '../mandates/mandates.ts'
import { ActionId } from '../schemas.ts'
import { type AdminCall, defineAdmin } from './admin-operation.ts'
import { Document, listOf } from './parts.ts'

const path = '/api/v1/admin/mandates'
const integers = ['id']
const asAdmin = ({ account, session }: AdminCall) => ({
  account,
  adminId: 'admin',
  memberId: null,
  tokenHash: session,
})

const listMandates = defineAdmin({
  name: 'list_mandates',
  title: 'List mandates',
  summary: 'Lists the mandates in force, with what is left of them.',
  http: { method: 'GET', path },
  power: 'admin:mandates.read',
  input: z.strictObject({}),
  output: listOf('mandates'),
  errors: ['forbidden'],
  example: {
    input: {},
    output: { mandates: [{ id: 12, state: 'in force', member: 'grace@example.com', used: 3 }] },
  },
  run: async (context) => ({
    mandates: (await mandatesOf(context.db, asAdmin(context))).map(viewMandate),
  }),
})

const freezeMandate = defineAdmin({
  name: 'freeze_mandate',
  title: 'Freeze a mandate',
  summary:
    'Freezes a mandate at once: its member is asked again until an administrator, a person, resumes it.',
  http: { method: 'POST', path: `${path}/{id}/freeze`, integers },
  power: 'admin:mandates.write',
  input: z.strictObject({ id: ActionId }),
  output: Document,
  errors: ['forbidden', 'not_found', 'conflict'],
  example: { input: { id: 12 }, output: { mandate: 12, state: 'frozen' } },
  async run(context, { id }) {
    await freezeMandateNow(context.db, asAdmin(context), id, true)
    return { mandate: id, state: 'frozen' }
  },
})

const endMandate = defineAdmin({
  name: 'end_mandate',
  title: 'End a mandate',
  summary: 'Ends a mandate at once; this cannot be undone.',
  http: { method: 'POST', path: `${path}/{id}/end`, integers },
  power: 'admin:mandates.write',
  input: z.strictObject({ id: ActionId }),
  output: Document,
  errors: ['forbidden', 'not_found', 'conflict'],
  example: { input: { id: 12 }, output: { mandate: 12, state: 'ended' } },
  async run(context, { id }) {
    await endMandateNow(context.db, asAdmin(context), id)
    return { mandate: id, state: 'ended' }
  },
})

export const mandateOperations = { listMandates, freezeMandate, endMandate }
