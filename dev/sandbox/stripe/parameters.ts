import qs from 'qs'
import { z } from 'zod'
import { invalidRequest, type StripeRefusal } from './errors.ts'
import type { Metadata } from './objects.ts'
import { limits } from '../../../src/limits.ts'

export type Form = Record<string, unknown>

const invalidInteger = 'parameter_invalid_integer'

/** Parses a form or query with Stripe's brackets: `created[gte]=1&expand[0]=charge`. @throws StripeRefusal */
export function parseForm(text: string): Form {
  try {
    return qs.parse(text, {
      depth: limits.sandboxStripeDepthMax,
      strictDepth: true,
      arrayLimit: limits.sandboxStripeListMax,
      parameterLimit: limits.sandboxStripeParametersMax,
      throwOnLimitExceeded: true,
    })
  } catch {
    throw invalidRequest('The request has too many parameters, or parameters that are nested too deeply.')
  }
}

/** The same text for the same parameters in any order. */
export function canonicalForm(form: Form): string {
  return qs.stringify(form, { sort: (a, b) => (a < b ? -1 : 1) })
}

/** Validates parameters. @throws StripeRefusal with Stripe's error for the first invalid one */
export function readParameters<Schema extends z.ZodType>(schema: Schema, form: Form): z.output<Schema> {
  const read = schema.safeParse(form)
  if (read.success) return read.data
  throw refusalOf(read.error.issues[0]!, form)
}

/** A whole number in a form. */
export const whole = (min = 0, max = Number.MAX_SAFE_INTEGER) =>
  z
    .string()
    .regex(/^-?\d{1,15}$/, invalidInteger)
    .transform(Number)
    .refine((number) => number >= min && number <= max, invalidInteger)

export const flag = z.enum(['true', 'false']).transform((value) => value === 'true')

export const text = (charsMax = 5_000) => z.string().min(1).max(charsMax)

export const currency = z
  .string()
  .regex(/^[A-Za-z]{3}$/)
  .transform((code) => code.toLowerCase())

/** An empty value removes a key; empty metadata removes all keys. */
export const metadata = z.union([
  z.literal(''),
  z
    .record(z.string().max(40), z.string().max(500))
    .refine((pairs) => Object.keys(pairs).length <= limits.sandboxStripeMetadataKeysMax),
])

/** The metadata after a request that gave `changes`. */
export function mergeMetadata(before: Metadata, changes: z.output<typeof metadata> | undefined): Metadata {
  if (changes === '') return {}
  const merged = Object.entries({ ...before, ...changes })
  return Object.fromEntries(merged.filter(([, value]) => value !== ''))
}

/** A time or a range of times. */
export const range = z.union([
  whole(),
  z.strictObject({
    gt: whole().optional(),
    gte: whole().optional(),
    lt: whole().optional(),
    lte: whole().optional(),
  }),
])

/** The fields to expand: `latest_charge`, `data.latest_charge`. */
export const expand = z
  .array(z.string().regex(/^\w+(\.\w+){0,3}$/))
  .max(20)
  .optional()

function refusalOf(issue: z.core.$ZodIssue, form: Form): StripeRefusal {
  if (issue.code === 'unrecognized_keys') {
    const param = bracketed([...issue.path, issue.keys[0]!])
    return invalidRequest(`Received unknown parameter: ${param}`, { code: 'parameter_unknown', param })
  }
  const param = bracketed(issue.path)
  const given = valueAt(form, issue.path)
  if (given === undefined)
    return invalidRequest(`Missing required param: ${param}.`, { code: 'parameter_missing', param })
  if (given === '')
    return invalidRequest(`You passed an empty string for '${param}'.`, {
      code: 'parameter_invalid_empty',
      param,
    })
  if (issue.message === invalidInteger)
    return invalidRequest(`Invalid integer: ${String(given)}`, { code: invalidInteger, param })
  return invalidRequest(`Invalid ${param}`, { param })
}

function bracketed([first, ...rest]: PropertyKey[]): string {
  return String(first) + rest.map((part) => `[${String(part)}]`).join('')
}

function valueAt(form: Form, path: PropertyKey[]): unknown {
  return path.reduce<unknown>((value, part) => (value as Record<PropertyKey, unknown>)?.[part], form)
}
