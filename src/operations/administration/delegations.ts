import { z } from 'zod'
import { endDelegation as end, listDelegations as list, viewDelegation } from '../delegations/delegations.ts'
import { delegationId } from '../ids.ts'
import { defineAdmin } from './admin-operation.ts'
import { Document, listOf } from './parts.ts'

const path = '/api/v1/admin/members/delegations'
const delegation = 'dlg_0123456789abcdef'

const listDelegations = defineAdmin({
  name: 'list_delegations',
  title: 'List delegations',
  summary: 'Lists the newest delegations: who approves for whom, and until when. Those in force first.',
  http: { method: 'GET', path },
  power: 'admin:members.read',
  input: z.strictObject({}),
  output: listOf('delegations'),
  errors: ['forbidden'],
  example: {
    input: {},
    output: { delegations: [{ delegation, from_name: 'Ada', to_name: 'Bea', in_force: true }] },
  },
  run: async (context) => ({ delegations: (await list(context)).map(viewDelegation) }),
})

const endDelegation = defineAdmin({
  name: 'end_delegation',
  title: 'End a delegation',
  summary:
    'Ends a delegation: the deputy approves nothing more for the other member. Only a member starts one.',
  http: { method: 'POST', path: `${path}/{delegation}/end` },
  power: 'admin:members.write',
  input: z.strictObject({ delegation: delegationId }),
  output: Document,
  errors: ['forbidden', 'not_found', 'invalid'],
  example: { input: { delegation }, output: { delegation, in_force: false } },
  async run(context, given) {
    await end(context, given.delegation)
    return { delegation: given.delegation, in_force: false }
  },
})

export const delegationOperations = { listDelegations, endDelegation }
