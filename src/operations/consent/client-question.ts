import { z } from 'zod'
import { cardHash, cardText } from '../../consent/card.ts'
import type { Deps } from '../../deps.ts'
import { type Json, canonical } from '../../gate/canonical.ts'
import { sha256 } from '../../ledger/digest.ts'
import { publicLink } from '../../network/public-link.ts'
import { type SecretPlace, open, seal } from '../../secrets/seal.ts'
import type { OpenProposal } from '../clearance/claim-confirm.ts'
import type { RefusalReason } from '../clearance/refusal.ts'
import type { AskingClient, CallContext, ClientAnswer, ClientQuestion } from '../operation.ts'
import { cardCharsMax, cardOfRow } from './card-of-row.ts'

// A question that a client shows its user. Nothing of it is stored: the client brings it back, sealed, with the answer.

const answeredWithinMs = 600_000
const sealedCharsMax = 2_000

/**
 * Has a client show its user the card of a proposal.
 * @returns whether it was asked: a card that is too long is shown to the member elsewhere
 */
export async function askInClient(
  deps: Deps,
  client: AskingClient,
  { row, facts }: OpenProposal,
): Promise<boolean> {
  const card = await cardOfRow(deps, row)
  const text = cardText(card)
  if (text.length > cardCharsMax) return false
  client.ask({ ...questionAbout(row, facts.now), card: cardHash(card) }, text)
  return true
}

/** A question about an action, without a card. */
export const questionAbout = (row: { uuid: string; digest: string | null }, now: Date): ClientQuestion => ({
  uuid: row.uuid,
  digest: row.digest ?? '',
  card: Buffer.alloc(0),
  until: new Date(now.getTime() + answeredWithinMs),
})

/** Where a member who is signed in decides about an action. The link signs nobody in. */
export const pageOfDecision = (deps: Deps, id: number): string => publicLink(deps, `/console/proposals/${id}`)

/** Why an answer does not count for a proposal: what its user was shown is something else, or was too long ago. */
export async function whyNoAnswer(
  deps: Deps,
  { row, facts }: OpenProposal,
  { of }: ClientAnswer,
): Promise<RefusalReason | undefined> {
  if (!of || of.uuid !== row.uuid || of.until <= facts.now) return 'question'
  if (of.digest !== row.digest) return 'digest'
  return cardHash(await cardOfRow(deps, row)).equals(of.card) ? undefined : 'card'
}

/** Who was asked, in which call: an answer counts for nobody else, and for no other call. */
export interface AskedCall {
  context: Pick<CallContext, 'account' | 'keyHash'>
  call: Json
}

/** Seals a question for its client. */
export async function sealQuestion(
  keys: NonNullable<Deps['secretsKeys']>,
  asked: AskedCall,
  { card, ...question }: ClientQuestion,
): Promise<string> {
  const text = JSON.stringify({ ...question, card: card.toString('hex') })
  const { kid, wrappedKey, ciphertext } = await seal(keys, placeOf(asked), text)
  return [kid, wrappedKey.toString('base64url'), ciphertext.toString('base64url')].join('.')
}

/** Opens it. @returns undefined where it is no question that this key was asked in this call */
export async function openQuestion(
  keys: NonNullable<Deps['secretsKeys']>,
  asked: AskedCall,
  sealed: string,
): Promise<ClientQuestion | undefined> {
  if (sealed.length > sealedCharsMax) return undefined
  const [kid = '', wrappedKey = '', ciphertext = ''] = sealed.split('.')
  try {
    const text = await open(keys, placeOf(asked), {
      kid,
      wrappedKey: Buffer.from(wrappedKey, 'base64url'),
      ciphertext: Buffer.from(ciphertext, 'base64url'),
    })
    return Question.parse(JSON.parse(text))
  } catch {
    // Whatever is wrong with it, somebody else wrote it, or for something else.
    return undefined
  }
}

const Question = z.strictObject({
  uuid: z.string(),
  digest: z.string(),
  card: z.string().transform((hex) => Buffer.from(hex, 'hex')),
  until: z.string().transform((time) => new Date(time)),
})

const placeOf = ({ context, call }: AskedCall): SecretPlace => ({
  account: context.account,
  integration: 'question of a client',
  field: sha256(canonical({ key: context.keyHash.toString('hex'), call })).toString('hex'),
})
