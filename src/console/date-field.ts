import { z } from 'zod'
import type { Html } from '../web/html.ts'
import { field } from './parts.ts'

/** A day of a filter: `2026-11-22`. */
export const day = z
  .string()
  .refine(
    (text) => /^[12]\d{3}-\d\d-\d\d$/.test(text) && isOfCalendar(text),
    'must be a day such as 2026-11-22',
  )

const isOfCalendar = (text: string): boolean => {
  const at = new Date(`${text}T00:00:00Z`)
  return !Number.isNaN(at.getTime()) && at.toISOString().startsWith(text)
}

/** The field of an optional day, in the viewer's time zone. */
export const dateField = (name: string, label: string, value: string | undefined): Html =>
  field({ name, label, type: 'date', value: value ?? '', isRequired: false, isMarked: false })
