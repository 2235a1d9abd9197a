import {
  endDelegation,
  listDelegations,
  viewDelegation,
} from '../../../operations/delegations/delegations.ts'
import { delegationId } from '../../../operations/ids.ts'
import { account } from '../../account-option.ts'
import { adminContextOf } from '../../context.ts'
import { defineVerb, required } from '../../verb.ts'

export const delegationVerbs = {
  list: defineVerb({
    summary: 'List the newest delegations: who approves for whom, and until when',
    options: { account },
    columns: ['delegation', 'in_force', 'to_name', 'from_name', 'kinds', 'until', 'reason'],
    empty: () => 'No delegations. A member names a deputy in the console, under Deputies.',
    async run(context, given) {
      return (await listDelegations(adminContextOf(context, given.account))).map(viewDelegation)
    },
  }),

  end: defineVerb({
    summary: 'End a delegation: the deputy approves nothing more for the other member',
    options: {
      account,
      delegation: required('DELEGATION_ID', delegationId, 'Id of the delegation', 'dlg_0123456789abcdef'),
    },
    async run(context, given) {
      await endDelegation(adminContextOf(context, given.account), given.delegation)
      return { delegation: given.delegation, in_force: false }
    },
  }),
}
