import type { z } from 'zod'
import type { Deps } from '../deps.ts'
import { GateError } from '../errors.ts'
import type { AccountContext, AdminContext } from '../operations/admin/context.ts'
import type { Session } from '../operations/sign-in/session.ts'
import type { Html } from '../web/html.ts'
import type { Flash } from './flash.ts'

/** Who opens a page, and which. */
export interface PageContext {
  deps: Deps
  session: Session
  /** The parts of the path that are named in it. */
  params: Record<string, string>
}

/** What a page shows, inside of the layout. */
export interface View {
  title: string
  body: Html
  /** 200 where it is absent. */
  status?: number
}

/** A file in place of a page, sent as it is made. */
export interface Download {
  fileName: string
  type: string
  lines: AsyncIterable<string>
}

/** After a change: where to go on, and what is said there. */
export interface Redirect {
  to: string
  flash: Flash
}

/** A form that was refused: why, and what was filled in, to be filled in again. */
export interface RejectedForm {
  problem: string
  values: Record<string, string>
}

/** The whole truth about a page. Routes, roles, forms and errors are loops over these; `pages.ts` lists them. */
export interface ConsolePage<
  Query extends z.ZodObject = z.ZodObject,
  Form extends z.ZodObject = z.ZodObject,
> {
  /** As Fastify writes paths: `/console/keys/:key`. */
  path: string
  /** `admin`: administrators alone may open it. Absent: whoever is signed in. */
  role?: 'admin'
  /** What may be asked in the address. Absent: nothing. */
  query?: Query
  /** Shows it; changes nothing. `again`: its form was sent and refused. */
  show(context: PageContext, query: z.output<Query>, rejected?: RejectedForm): Promise<View | Download>
  /** What its form may hold: texts alone. Absent: it has no form. */
  form?: Form
  /** How large its form may be, where it may be larger than others. */
  formBytesMax?: number
  /**
   * Does what its form asks for.
   * @returns where to go on; a view only for what may be shown this once
   * @throws GateError `invalid`, `conflict`, `not_found`, `gone` and `unavailable` are said above the form, which is shown
   * again
   */
  send?(context: PageContext, form: z.output<Form>): Promise<Redirect | View>
}

/** Every page is one of these; its own schemas are known inside of it alone. */
export function definePage<Query extends z.ZodObject, Form extends z.ZodObject>(
  page: ConsolePage<Query, Form>,
): ConsolePage {
  return page as unknown as ConsolePage
}

export const isAdmin = ({ adminId }: Session): boolean => adminId !== null

/** For operations that only look. */
export const accountOf = ({ deps, session }: PageContext): AccountContext => ({
  db: deps.db,
  account: session.account,
})

/** For the operations of administrators: each write checks the session again. @throws GateError `forbidden` to others */
export function asAdmin({ deps, session }: PageContext): AdminContext {
  const { account, adminId, tokenHash } = session
  if (adminId === null) throw new GateError('forbidden', 'This page is for administrators of the account.')
  return { db: deps.db, account, session: tokenHash }
}

/**
 * A part of the path that is an id.
 * @throws GateError `not_found` where it cannot be one: what is malformed does not exist
 */
export function idIn<Id extends string>({ params }: PageContext, name: string, form: z.ZodType<Id>): Id {
  const parsed = form.safeParse(params[name])
  if (!parsed.success) throw new GateError('not_found', 'There is nothing at this address.')
  return parsed.data
}
