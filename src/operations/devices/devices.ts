import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import {
  type PushDeviceRow,
  addPushDevice,
  listPushDevices,
  removePushDevice,
  signOutEverywhere as endAll,
} from '../../db/queries/members/push-devices.ts'
import type { Deps } from '../../deps.ts'
import { GateError } from '../../errors.ts'
import { randomBase62 } from '../../keys/api-key.ts'
import { limits } from '../../limits.ts'
import { isSubscription } from '../../push/encrypt.ts'
import { parseInput } from '../parse.ts'
import type { Session } from '../sign-in/session.ts'

export type { PushDeviceRow }

/** What a browser says of its subscription. Bytes in base64url. */
export const deviceForm = {
  endpoint: z
    .string()
    .regex(/^[!-~]+$/, 'must come from the browser')
    .max(limits.pushEndpointCharsMax, 'is too long'),
  public_key: z.string().regex(/^[A-Za-z0-9_-]{87}$/, 'must come from the browser'),
  auth: z.string().regex(/^[A-Za-z0-9_-]{22}$/, 'must come from the browser'),
}
const form = z.strictObject(deviceForm)

/**
 * What a browser binds its subscription to, in base64url.
 * @throws GateError `conflict` where the service has no key for it, `forbidden` for who is no member
 */
export async function offerDevice(deps: Deps, session: Session): Promise<string> {
  memberOf(session)
  const key = await deps.pushes.publicKey()
  if (key) return key.toString('base64url')
  throw new GateError(
    'conflict',
    'This service cannot send notifications: it cannot encrypt their key. Ask its operator to set SECRETS_KEYS.',
  )
}

/**
 * Adds the browser of a session as a device of its member.
 * @throws GateError `invalid` for what no push service gave, `conflict` above the bound
 */
export async function addDevice(deps: Deps, session: Session, given: Record<string, string>): Promise<void> {
  const { endpoint, ...fields } = parseInput(form, given)
  memberOf(session)
  const publicKey = Buffer.from(fields.public_key, 'base64url')
  const auth = Buffer.from(fields.auth, 'base64url')
  if (!deps.pushes.isEndpoint(endpoint) || !isSubscription({ publicKey, auth }))
    throw new GateError(
      'invalid',
      'This browser named no push service that this service may call. Use another browser. Nothing was added.',
    )
  const outcome = await addPushDevice(deps.db, {
    account: session.account,
    session: session.tokenHash,
    eventId: randomUUID(),
    leftEventId: randomUUID(),
    deviceId: `dev_${randomBase62(16)}`,
    endpoint,
    publicKey,
    auth,
    devicesMax: limits.pushDevicesMax,
  })
  if (outcome === 'too_many')
    throw new GateError(
      'conflict',
      `You have ${limits.pushDevicesMax} devices, the maximum. Remove one before you add another.`,
    )
}

/** The devices of the session's member, oldest first. */
export const listDevices = async ({ db }: Deps, { account, memberId }: Session): Promise<PushDeviceRow[]> =>
  memberId === null ? [] : listPushDevices(db, account, memberId)

/** Removes a device of the session's member: it is told nothing from then on. @throws GateError `not_found` */
export async function removeDevice({ db }: Deps, session: Session, deviceId: string): Promise<void> {
  const { account, tokenHash } = session
  const device = { account, session: tokenHash, deviceId, eventId: randomUUID() }
  if (!(await removePushDevice(db, device))) throw deviceNotFound()
}

/** Ends every session of the person, this one included, and their devices. */
export const signOutEverywhere = ({ db }: Deps, { account, tokenHash }: Session): Promise<void> =>
  endAll(db, account, tokenHash)

export const deviceNotFound = () => new GateError('not_found', 'Device not found. It may have been removed.')

function memberOf({ memberId }: Session): void {
  if (memberId === null)
    throw new GateError('forbidden', 'Only members are notified. You are an administrator of this account.')
}
