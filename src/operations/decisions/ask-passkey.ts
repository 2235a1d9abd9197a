import { z } from 'zod'
import { type Card, cardText } from '../../consent/card.ts'
import type { ActionRow } from '../../db/queries/actions/actions.ts'
import type { SignedByPasskey } from '../../db/queries/actions/decide.ts'
import { readFacts } from '../../db/queries/members/facts.ts'
import type { Deps } from '../../deps.ts'
import { acceptedPasskeys, passkeySettlesAt } from '../../gate/passkey.ts'
import { limits } from '../../limits.ts'
import { relyingParty } from '../../network/relying-party.ts'
import { parseInput } from '../parse.ts'
import { newNonce } from '../passkeys/site.ts'
import { policyOf } from '../policy/account-policy.ts'

/** What the page of a decision needs of a passkey, or why there is none to use. */
export type PasskeyAsk =
  | PasskeyToUse
  /** The member has none that the policy accepts. `isBound`: it must be bound to its device. */
  | { has: 'none'; isBound: boolean }
  /** Theirs are younger than the policy says. */
  | { has: 'none_yet'; from: Date }
  /** Browsers have none at the address of this service. */
  | { has: 'no_site' }

export interface PasskeyToUse {
  has: 'some'
  site: string
  origin: string
  digest: string
  /** Hex. */
  nonce: string
  /** The text of the card, of which the hash is signed. */
  text: string
  /** Those that decide, in base64url. */
  passkeys: { id: string; transports: string[] }[]
}

/** Whether the policy required a passkey when the action was proposed, or when its member was asked. Pure. */
export const needsPasskey = (row: Pick<ActionRow, 'consent_required' | 'asked_required'>): boolean =>
  [row.consent_required, row.asked_required].includes('passkey')

/**
 * Prepares the page of an action that requires a passkey; undefined where none is required.
 * @param decides  an approver, where it is not the member of the action
 */
export async function askPasskey(
  deps: Deps,
  row: ActionRow,
  card: Card,
  decides: string | null = row.member_id,
): Promise<PasskeyAsk | undefined> {
  const memberId = decides!
  const isOwn = memberId === row.member_id
  const needsOne = isOwn ? needsPasskey(row) : row.approval_rule?.min_strength === 'passkey'
  return needsOne ? passkeyToDecide(deps, row, card, memberId) : undefined
}

/** The same for a member who must use one, whatever the policy says. */
export async function passkeyToDecide(
  deps: Deps,
  row: ActionRow,
  card: Card,
  memberId: string,
): Promise<PasskeyAsk | undefined> {
  const { account_id: account, id: actionId } = row
  const facts = await readFacts(deps.db, account, { memberId })
  const [member] = facts?.members ?? []
  if (!facts || !member) return undefined
  const site = relyingParty(deps.publicUrl())
  if (!site) return { has: 'no_site' }
  const policy = policyOf(deps, facts)
  const accepted = acceptedPasskeys(member.passkeys, policy)
  const [first] = accepted
    .map((one) => passkeySettlesAt(one, policy))
    .toSorted((a, b) => Number(a) - Number(b))
  if (!first) return { has: 'none', isBound: policy.passkey_device_bound }
  if (first > facts.now) return { has: 'none_yet', from: first }
  const nonce = await newNonce(deps, { purpose: 'decide', account, memberId, actionId })
  return {
    has: 'some',
    site: site.id,
    origin: site.origin,
    digest: row.digest!,
    nonce: nonce.toString('hex'),
    text: cardText(card),
    passkeys: accepted
      .filter((one) => passkeySettlesAt(one, policy) <= facts.now)
      .map(({ credential, transports }) => ({
        id: Buffer.from(credential, 'hex').toString('base64url'),
        transports,
      })),
  }
}

const fromBrowser = z
  .string()
  .regex(/^[A-Za-z0-9_-]*$/, 'must come from the browser')
  .max(limits.passkeyFieldCharsMax, 'is too long')
  .default('')

/** The fields that the script of the page fills in, in base64url; the number in hex. Empty: no passkey was used. */
export const passkeyFields = {
  credential: fromBrowser,
  client_data: fromBrowser,
  authenticator_data: fromBrowser,
  signature: fromBrowser,
  nonce: z
    .string()
    .regex(/^[0-9a-f]*$/, 'must come from the page')
    .max(64, 'is too long')
    .default(''),
}
const signedForm = z.object(passkeyFields)

/**
 * What a passkey signed, of the form of a page; undefined where it did not.
 * @throws GateError `invalid`
 */
export function signedOf(form: Partial<Record<string, string>>): SignedByPasskey | undefined {
  const fields = parseInput(signedForm, form)
  const { credential, client_data, authenticator_data, signature, nonce } = fields
  if ([credential, client_data, authenticator_data, signature, nonce].includes('')) return undefined
  const bytes = (text: string) => Buffer.from(text, 'base64url')
  return {
    credential: bytes(credential),
    clientData: bytes(client_data).toString(),
    authenticatorData: bytes(authenticator_data),
    signature: bytes(signature),
    nonce: Buffer.from(nonce, 'hex'),
  }
}
