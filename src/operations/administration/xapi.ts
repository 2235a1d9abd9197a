import { z } from 'zod'
import { GateError } from '../../errors.ts'
import { slug } from '../entered-fields.ts'
import { time } from './parts.ts'

/** A pass as a program reports it. */
export interface Passed {
  member: string
  curriculum: string
  /** undefined: every module. */
  module?: number | undefined
  /** null: now. */
  at: Date | null
}

const iri = z.string().min(1).max(2_000)

/**
 * What the gate reads of an xAPI statement; everything else in it is ignored.
 * @source https://github.com/adlnet/xAPI-Spec/blob/1.0.3/xAPI-Data.md
 */
export const Statement = z.looseObject({
  id: z.string().regex(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i, 'must be a UUID'),
  actor: z.looseObject({
    mbox: z
      .string()
      .max(500)
      .regex(/^mailto:[^\s@]+@[^\s@]+$/, 'must be mailto: and an e-mail address'),
  }),
  verb: z.looseObject({ id: iri }),
  object: z.looseObject({ id: iri }),
  result: z.looseObject({ success: z.boolean().optional(), completion: z.boolean().optional() }).optional(),
  timestamp: time.optional(),
})

const verbs = ['passed', 'completed'].map((verb) => `http://adlnet.gov/expapi/verbs/${verb}`)

/** What a statement says was passed. Pure. @throws GateError `invalid` where it says nothing of the kind */
export function passedIn({ actor, verb, object, result, timestamp }: z.output<typeof Statement>): Passed {
  if (!verbs.includes(verb.id.replace(/^https:/, 'http:')))
    throw refused('statement.verb.id', `must be ${verbs.join(' or ')}`)
  if (result?.success === false || result?.completion === false)
    throw refused('statement.result', 'must not say that it was failed or left unfinished')
  const [, named = '', module] =
    /\/curricula\/([^/?#]+)(?:\/modules\/([1-9]\d{0,3}))?\/?$/.exec(object.id) ?? []
  if (!slug.safeParse(named).success)
    throw refused('statement.object.id', 'must end with /curricula/{slug} or /curricula/{slug}/modules/{n}')
  return {
    member: actor.mbox.slice('mailto:'.length),
    curriculum: named,
    module: module === undefined ? undefined : Number(module),
    at: timestamp === undefined ? null : new Date(timestamp),
  }
}

const refused = (param: string, says: string): GateError =>
  new GateError('invalid', `${param} ${says}.`, { param })
