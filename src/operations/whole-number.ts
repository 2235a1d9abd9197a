import { z } from 'zod'

/** A whole number of a command line or a form, as text. */
export function wholeNumber(min: number, max: number) {
  const sentence = `must be a whole number from ${min} to ${max}`
  return z
    .string()
    .regex(/^\d{1,16}$/, sentence)
    .transform(Number)
    .refine((value) => value >= min && value <= max, sentence)
}
