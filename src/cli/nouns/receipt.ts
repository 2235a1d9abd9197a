import {
  type Receipt,
  ReceiptError,
  type ReceiptErrorCode,
  type VerifyOptions,
  verifyReceipt,
} from '#receipts'
import { z } from 'zod'
import { consentStrengths } from '../../gate/consent.ts'
import { instant } from '../../operations/entered-fields.ts'
import { accountId } from '../../operations/ids.ts'
import {
  type ListedReceiptKey,
  listReceiptKeys,
  revokeReceiptKey,
  rotateReceiptKey,
} from '../../operations/maintenance/receipt-keys.ts'
import { readFileOption, readJsonOption } from '../read-file-option.ts'
import { defineVerb, optional, required } from '../verb.ts'

const file = z.string().min(1, 'must name a file')
const kid = z
  .string()
  .regex(/^[A-Za-z0-9_-]{43}$/, 'must be the id of a key, as `gate receipt keys` shows it')
const age = z.string().regex(/^\d{1,9}[smhd]?$/, 'must be seconds, or a number with s, m, h or d')
const exampleKid = 'NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs'

type Verdict = { ok: true; receipt: Receipt } | { ok: false; code: ReceiptErrorCode; problem: string }

export const receiptVerbs = {
  verify: defineVerb({
    summary: 'Verify the receipt of a consent with the public keys of the gate that signed it',
    options: {
      file: required('FILE', file, 'The receipt, as `receipt` of an action has it', 'receipt-23.jwt'),
      jwks: required(
        'FILE|URL',
        file,
        'The public keys of the gate',
        'https://gate.example.com/.well-known/gate-receipts.json',
      ),
      issuer: optional('URL', file, 'The gate that must have signed it', 'https://gate.example.com'),
      account: optional('ACCOUNT', accountId, 'The account that it must be for', 'acct_0a1B2c3D4e5F6g7H'),
      kind: optional('KIND', file, 'The kind of action that it must be for', 'refund'),
      payload: optional('FILE', file, 'The payload that it must be for, as JSON', 'payload.json'),
      'max-age': optional('AGE', age, 'How old the consent may be', '15m'),
      'min-strength': optional(
        'STRENGTH',
        z.enum(consentStrengths, `must be one of ${consentStrengths.join(', ')}`),
        'The weakest consent that suffices',
        'page',
      ),
      at: optional('ISO', instant, 'Verify as of this time; if absent: now', '2030-01-31T12:00:00Z'),
    },
    async run(_, given): Promise<Verdict> {
      const {
        'max-age': maxAge,
        'min-strength': minStrength,
        at: now,
        jwks,
        payload,
        file: from,
        ...others
      } = given
      const options = {
        ...others,
        maxAge,
        minStrength,
        now,
        jwks: jwksIn(jwks),
        payload: payload === undefined ? undefined : readJsonOption('payload', payload),
      }
      try {
        return {
          ok: true,
          receipt: await verifyReceipt(readFileOption('file', from).trim(), presentIn(options)),
        }
      } catch (error) {
        if (!(error instanceof ReceiptError)) throw error
        return { ok: false, code: error.code, problem: error.message }
      }
    },
    text: (verdict: Verdict) => (verdict.ok ? sentencesOf(verdict.receipt) : ''),
    refusal: (verdict: Verdict) => (verdict.ok ? null : `${verdict.code}: ${verdict.problem}`),
  }),

  keys: defineVerb({
    summary: 'List the keys that sign receipts, oldest first',
    options: {},
    run: (context) => listReceiptKeys(context.db()),
    empty: () => 'No key yet. The first one is made with the first receipt.',
  }),

  rotate: defineVerb({
    summary:
      'Add a key that signs receipts after 15 minutes; the old key stays published until its receipts expire',
    options: {},
    run: (context) => rotateReceiptKey(context.db(), context.secretsKeys()),
    text: ({ kid: id, signs_from: from }: ListedReceiptKey) =>
      `Key ${id} is published. It signs consents from ${from}.`,
  }),

  revoke: defineVerb({
    summary: 'Delete a leaked key: its receipts stop verifying once services fetch the keys again',
    options: { kid: required('KID', kid, 'The key, as `gate receipt keys` shows it', exampleKid) },
    word: 'kid',
    async run(context, given) {
      await revokeReceiptKey(context.db(), given.kid)
      return { revoked: given.kid }
    },
    text: ({ revoked }: { revoked: string }) =>
      `Revoked ${revoked}. Processes of the gate drop it within a minute, other services when they fetch the keys again.`,
  }),
}

/** The keys themselves where they are in a file. */
function jwksIn(place: string): VerifyOptions['jwks'] {
  if (/^https?:\/\//.test(place)) return place
  return readJsonOption('jwks', place) as VerifyOptions['jwks']
}

/** Options that were not given demand nothing; the verification refuses them as `undefined`. */
const presentIn = (options: Record<string, unknown>): VerifyOptions =>
  Object.fromEntries(
    Object.entries(options).filter(([, value]) => value !== undefined),
  ) as unknown as VerifyOptions

const sentencesOf = ({
  iss,
  account,
  action,
  kind,
  consent,
  payload_sha256: payload,
  exp,
}: Receipt): string =>
  [
    `Consented by ${consent.by} at ${consent.at} (${consent.strength}, ${consent.channel}): ${kind}, action ${action} of ${account}.`,
    `Signed by ${iss}, valid until ${new Date(exp * 1_000).toISOString()}. SHA-256 of the payload: ${payload}.`,
  ].join('\n')
