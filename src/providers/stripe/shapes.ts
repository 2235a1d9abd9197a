import { z } from 'zod'
import { UnexpectedAnswer } from './errors.ts'

/**
 * An answer in the shape that it must have. Pure.
 * @throws UnexpectedAnswer  without a word of the answer
 */
export function parseAnswer<Shape extends z.ZodType>(shape: Shape, answer: unknown): z.output<Shape> {
  const read = shape.safeParse(answer)
  if (!read.success) throw new UnexpectedAnswer()
  return read.data
}

/** An id of Stripe, by what it may begin with. */
export const idOf = (...prefixes: string[]) =>
  z.string().regex(new RegExp(`^(${prefixes.join('|')})_\\w{1,250}$`))
/** Whole cents: `z.int()` takes safe integers only. */
export const cents = z.int().min(0)
export const currency = z.string().regex(/^[a-z]{3}$/)
export const status = z.string().regex(/^[a-z_]{1,64}$/)
export const metadata = z.record(z.string(), z.unknown()).nullish()
/** An object's id, or the object itself where it was expanded. */
export const reference = z
  .union([z.string(), z.object({ id: z.string() }).transform(({ id }) => id)])
  .nullish()
  .transform((id) => id ?? null)

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
  /** Expanded: an id alone does not say what was refunded. */
  latest_charge: chargeShape.nullable(),
})

/** Stand-ins leave out what a plain price of Stripe has at its default. */
export const priceShape = z.object({
  object: z.literal('price'),
  id: z.string(),
  active: z.boolean(),
  currency,
  billing_scheme: z.string().default('per_unit'),
  unit_amount: cents.nullable(),
  custom_unit_amount: z.unknown().optional(),
  transform_quantity: z.unknown().optional(),
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
