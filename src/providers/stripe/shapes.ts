import { z } from 'zod'
import { UnexpectedAnswer } from './errors.ts'

/**
 * Validates an answer. Pure.
 * @throws UnexpectedAnswer without data of the answer
 */
export function parseAnswer<Shape extends z.ZodType>(shape: Shape, answer: unknown): z.output<Shape> {
  const read = shape.safeParse(answer)
  if (!read.success) throw new UnexpectedAnswer()
  return read.data
}

/** A Stripe id with one of these prefixes. */
export const idOf = (...prefixes: string[]) =>
  z.string().regex(new RegExp(`^(${prefixes.join('|')})_\\w{1,250}$`))
/** Whole cents: `z.int()` accepts only safe integers. */
export const cents = z.int().min(0)
export const currency = z.string().regex(/^[a-z]{3}$/)
export const status = z.string().regex(/^[a-z_]{1,64}$/)
export const metadata = z.record(z.string(), z.unknown()).nullish()
/** The id of an object, also where it was expanded. */
export const reference = z
  .union([z.string(), z.object({ id: z.string() }).transform(({ id }) => id)])
  .nullish()
  .transform((id) => id ?? null)

/** A customer that was expanded and not deleted; undefined for an id alone and for any other shape. */
export const customerDetails = z
  .object({
    id: z.string(),
    name: z.string().nullish(),
    email: z.string().nullish(),
    deleted: z.literal(false).optional(),
  })
  .transform(({ id, name, email }) => ({ id, name: name ?? null, email: email ?? null }))
  .optional()
  .catch(undefined)

/** The name of a product that was expanded; undefined for an id alone and for any other shape. */
const productName = z
  .object({ name: z.string() })
  .transform(({ name }) => name)
  .optional()
  .catch(undefined)

const text = z
  .string()
  .nullish()
  .transform((given) => given ?? null)
const time = z
  .int()
  .min(0)
  .transform((seconds) => new Date(seconds * 1000))

/** A page of any list. */
export const listShape = z.object({
  object: z.literal('list'),
  data: z.array(z.looseObject({ id: z.string(), metadata })),
  has_more: z.boolean(),
})

export const chargeShape = z.object({
  object: z.literal('charge'),
  id: idOf('ch', 'py'),
  amount: cents,
  amount_captured: cents.optional(),
  amount_refunded: cents,
  currency,
  status,
  customer: reference,
  description: text,
  created: time,
  payment_intent: reference,
})

export const paymentIntentShape = z.object({
  object: z.literal('payment_intent'),
  id: idOf('pi'),
  amount_received: cents,
  currency,
  status,
  customer: reference,
  description: text,
  created: time,
  /** Expanded: an id alone does not contain the refunded amount. */
  latest_charge: chargeShape.nullable(),
})

/** The defaults are for simulated providers, which leave these fields out. */
export const priceShape = z.object({
  object: z.literal('price'),
  id: z.string(),
  active: z.boolean(),
  currency,
  billing_scheme: z.string().default('per_unit'),
  unit_amount: cents.nullable(),
  custom_unit_amount: z.unknown().optional(),
  transform_quantity: z.unknown().optional(),
  product: productName,
  recurring: z
    .object({
      interval: z.string(),
      interval_count: z.int().min(1),
      usage_type: z.string().default('licensed'),
    })
    .nullable(),
})

export const subscriptionItemShape = z.object({
  id: z.string(),
  price: priceShape,
  quantity: z.int().min(0).optional(),
  current_period_end: time.optional().catch(undefined),
})

/** Available funds by currency. */
export const balanceShape = z.object({
  object: z.literal('balance'),
  available: z.array(z.object({ amount: z.int(), currency })),
})

export const subscriptionShape = z.object({
  object: z.literal('subscription'),
  id: idOf('sub'),
  status,
  cancel_at_period_end: z.boolean(),
  currency,
  customer: reference,
  items: z.object({ data: z.array(subscriptionItemShape).min(1), has_more: z.boolean() }),
})
