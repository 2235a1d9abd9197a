import type { AdminOperation } from './admin-operation.ts'
import { accountOperations } from './account.ts'
import { actionOperations } from './actions.ts'
import { certificationOperations } from './certifications.ts'
import { connectedOperations } from './connected.ts'
import { curriculumOperations } from './curricula.ts'
import { endpointOperations } from './endpoints.ts'
import { delegationOperations } from './delegations.ts'
import { groupOperations } from './groups.ts'
import { keyOperations } from './keys.ts'
import { kindOperations } from './kinds.ts'
import { mandateOperations } from './mandates.ts'
import { memberOperations } from './members.ts'
import { policyOperations } from './policies.ts'
import { upstreamOperations } from './upstreams.ts'

/**
 * Every administrator's verb that a program can call, in the order of the documentation.
 * @source docs/admin-api.md
 */
export const adminOperations = [
  memberOperations,
  groupOperations,
  delegationOperations,
  curriculumOperations,
  certificationOperations,
  keyOperations,
  policyOperations,
  kindOperations,
  upstreamOperations,
  connectedOperations,
  endpointOperations,
  actionOperations,
  mandateOperations,
  accountOperations,
].flatMap((operations) => Object.values(operations)) as unknown as AdminOperation[]
