import { z } from 'zod'

// Ids that administrators enter. Each message continues the name of the option or field.

export const accountId = z.string().regex(/^acct_[0-9A-Za-z]{16}$/, 'must be acct_ and 16 letters or digits')
export const memberId = z.string().regex(/^mem_[0-9A-Za-z]{16}$/, 'must be mem_ and 16 letters or digits')
export const adminId = z.string().regex(/^adm_[0-9A-Za-z]{16}$/, 'must be adm_ and 16 letters or digits')
export const groupId = z.string().regex(/^grp_[0-9A-Za-z]{16}$/, 'must be grp_ and 16 letters or digits')
export const delegationId = z.string().regex(/^dlg_[0-9A-Za-z]{16}$/, 'must be dlg_ and 16 letters or digits')
export const keyId = z.string().regex(/^key_[0-9A-Za-z]{16}$/, 'must be key_ and 16 letters or digits')
export const appClientId = z
  .string()
  .regex(/^client_[0-9A-Za-z]{22}$/, 'must be client_ and 22 letters or digits')
export const appId = z.string().regex(/^app_[0-9A-Za-z]{16}$/, 'must be app_ and 16 letters or digits')
export const deviceId = z.string().regex(/^dev_[0-9A-Za-z]{16}$/, 'must be dev_ and 16 letters or digits')
export const endpointId = z.string().regex(/^end_[0-9A-Za-z]{16}$/, 'must be end_ and 16 letters or digits')
export const eventId = z
  .string()
  .regex(
    /^evt_[0-9A-Za-z]{16}(_[a-z]{4,6})?_[0-9a-f]{1,32}$/,
    'must be the id of an event, such as evt_7hQ2mWzX0aLk4RtY_41',
  )
export const identityId = z.string().regex(/^idn_[0-9A-Za-z]{16}$/, 'must be idn_ and 16 letters or digits')
export const passkeyId = z.string().regex(/^pk_[0-9A-Za-z]{16}$/, 'must be pk_ and 16 letters or digits')
