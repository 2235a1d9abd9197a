import type { z } from 'zod'
import type { Deps } from '../deps.ts'
import { GateError } from '../errors.ts'
import type { AccountContext, AdminContext } from '../operations/admin-context.ts'
import { type Session, isAdmin, readsAccount } from '../operations/sign-in/session.ts'
import type { RejectedForm } from '../web/fields.ts'
import type { Html } from '../web/html.ts'
import type { Flash } from './flash.ts'
import type { Refresh } from './refresh.ts'

export type { RejectedForm } from '../web/fields.ts'
export { isAdmin, readsAccount }

/** The request of a page: the session, and the parameters of its path. */
export interface PageContext {
  deps: Deps
  session: Session
  /** The named parameters of the path. */
  params: Record<string, string>
  /** When this browser last looked at what waits, before this look; undefined: never. */
  lookedAt?: Date | undefined
}

/** The content of a page, inside the layout. */
export interface View {
  title: string
  body: Html
  /** The address of the only script that it runs. Absent: none. */
  script?: string | undefined
  /** Its script asks this service for more. Without scripts, the page is loaded again by itself. */
  asks?: boolean
  /** Other origins that the answer to its form may lead to. */
  formsTo?: string[]
  /** Default: 200. */
  status?: number
  /** It waits for something, and shows no form that somebody may be filling in: it is loaded again by itself. */
  refresh?: Refresh | undefined
  /** It shows what waits for the member, so this is a look at it. */
  isLook?: boolean
  /** The answer is shown once, such as a new key: a repeat of the form leads here. */
  once?: Redirect
}

/** A file instead of a page, streamed. */
export interface Download {
  fileName: string
  type: string
  lines: AsyncIterable<string>
}

/** After a change: the page to open next, and its flash message. */
export interface Redirect {
  to: string
  /** Absent where the next page speaks for itself. */
  flash?: Flash
  /** Where the same form leads when it is sent again: given where `to` holds a token, which is not stored. */
  again?: string
}

/** Everything about one page. Routes, roles, forms and errors are derived from it; `pages.ts` lists all pages. */
export interface ConsolePage<
  Query extends z.ZodObject = z.ZodObject,
  Form extends z.ZodObject = z.ZodObject,
> {
  /** The path as Fastify writes it: `/console/keys/:key`. */
  path: string
  /** `admin`: only administrators, and auditors without its form. Absent: every signed-in user. */
  role?: 'admin'
  /** Its form is about the sign-in of the person alone, so that an auditor may send it. */
  isOwn?: boolean
  /** The query parameters. Absent: none. */
  query?: Query
  /** Shows the page; changes nothing. `rejected`: its form was refused and is shown again. */
  show(context: PageContext, query: z.output<Query>, rejected?: RejectedForm): Promise<View | Download>
  /** The fields of its form, as text. Absent: no form. */
  form?: Form
  /** The field of its form that a refusal names in its own words, such as `kinds.refund.tier`. Default: of that name. */
  fieldOf?(param: string, values: Record<string, string>): string | undefined
  /** What its form calls its fields. A refusal of a field that is not listed names it as it is sent. */
  labels?: Partial<Record<string, string>>
  /** The size limit of its form, where it differs from other pages. */
  formBytesMax?: number
  /** Its form may have a file, which is read as the text of its field. */
  takesFile?: boolean
  /**
   * Handles its form.
   * @returns the page to open next; a view only for what may be shown once
   * @throws GateError `invalid`, `conflict`, `not_found`, `gone` and `unavailable` are shown above the form
   */
  send?(context: PageContext, form: z.output<Form>): Promise<Redirect | View>
}

/** Declares a page. Its own schemas type its handlers and are erased outside. */
export function definePage<Query extends z.ZodObject, Form extends z.ZodObject>(
  page: ConsolePage<Query, Form>,
): ConsolePage {
  return page as unknown as ConsolePage
}

/**
 * Whether the person may send the form of a page: the one place of the console that decides who may change something. An auditor
 * sends none, but for forms about their own sign-in; one who is a member, too, sends those of a member.
 */
export const mayChange = (session: Session, { role, isOwn = false }: ChangedPage): boolean =>
  isOwn || isAdmin(session) || (role === undefined && session.memberId !== null)

type ChangedPage = Pick<ConsolePage, 'role' | 'isOwn'>

/** For operations that only read. */
export const accountOf = ({ deps, session }: PageContext): AccountContext => ({
  db: deps.db,
  account: session.account,
})

/**
 * For administrator operations: each write checks the session again, and refuses an auditor's.
 * @throws GateError `forbidden` for others
 */
export function asAdmin({ deps, session }: PageContext): AdminContext {
  const { account, tokenHash } = session
  if (!readsAccount(session))
    throw new GateError('forbidden', 'Only administrators of the account can open this page.')
  return { db: deps.db, account, session: tokenHash }
}

/**
 * An id in the path.
 * @throws GateError `not_found` where it is malformed
 */
export function idIn<Id extends string>({ params }: PageContext, name: string, form: z.ZodType<Id>): Id {
  const parsed = form.safeParse(params[name])
  if (!parsed.success) throw new GateError('not_found', 'Page not found. Check the address.')
  return parsed.data
}
