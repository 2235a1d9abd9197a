import type { AdminOperation } from './admin-operation.ts'
import { listMembers } from './members.ts'

/**
 * Every administrator's verb that a program can call, in the order of the documentation.
 * @source docs/admin-api.md
 */
export const adminOperations = [listMembers] as unknown as AdminOperation[]
