import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import { GateError, OutcomeUnknown } from '../errors.ts'
import { randomBase62 } from '../keys/api-key.ts'
import { parseInput } from '../operations/parse.ts'
import { type ClaimedForm, claimForm, endForm, formHash } from '../operations/sign-in/sent-forms.ts'
import { type Html, html, perViewer, toMarkup } from '../web/html.ts'
import type { Flash } from './flash.ts'
import type { PageContext, Redirect, View } from './page.ts'

/** How long a form that was sent twice waits for its first request. */
const formWaitMs = 8_000
const formPollMs = 200

const formIdField = 'form_id'
const formId = z
  .string()
  .regex(/^[0-9A-Za-z]{22}$/, 'must be the value from the page')
  .optional()

/**
 * Gives every form of a page that changes something an id of its own. Sent again with the same id and the same content, by
 * a reload, the way back or a double click, it does nothing again: see `handleOnce`.
 */
export const withFormIds = (page: Html): Html =>
  perViewer((viewer) =>
    // Texts of people are escaped, so these are our own tags. The same holds below.
    toMarkup(page, viewer).replaceAll(
      /<form method="post"[^<>]*>/g,
      (tag) => `${tag}<input type="hidden" name="${formIdField}" value="${randomBase62(22)}" />`,
    ),
  )

/** Makes every form of a page that changes something unusable, for somebody who may not send it. */
export const withoutForms = (page: Html): Html =>
  perViewer((viewer) => {
    let changes = false
    return toMarkup(page, viewer).replaceAll(/<form[^<>]*>|<\/form>/g, (tag) => {
      if (tag === '</form>') return changes ? `</fieldset>${tag}` : tag
      changes = tag.startsWith('<form method="post"')
      return changes ? `${tag}${disabled}` : tag
    })
  })

const disabled = '<fieldset class="read-only" disabled><legend>Auditors cannot send this form</legend>'

export interface SentForm {
  /** The path that it was sent to. */
  path: string
  /** Without its id. */
  fields: Record<string, string>
  /** Absent where it came from no page of ours: then it cannot be told from another one. */
  id: string | undefined
}

/** Takes the id out of the fields. @throws GateError `invalid` */
export function sentForm(path: string, { [formIdField]: id, ...fields }: Record<string, string>): SentForm {
  return {
    path,
    fields,
    id: parseInput(z.object({ [formIdField]: formId }), { [formIdField]: id })[formIdField],
  }
}

/**
 * Handles a form, unless it was sent before: then answers where to look. The database decides, so this holds in every
 * process. A form that was refused changed nothing and can be sent again.
 * @throws what `handle` throws
 */
export async function handleOnce(
  { deps, session }: Pick<PageContext, 'deps' | 'session'>,
  { path, fields, id }: SentForm,
  handle: () => Promise<Redirect | View>,
): Promise<Redirect | View> {
  if (id === undefined) return handle()
  const claim = { form: formHash(session, { path, fields, id }), claim: randomUUID() }
  const turn = await awaitTurn(() => claimForm(deps, session, claim))
  if (turn.outcome === 'running') return alreadySent(path)
  if (turn.outcome === 'done') {
    // A double click is told what its first half did: browsers show the second answer.
    const isSaid = turn.is_recent || shownOnce.has(turn.flash)
    return { to: turn.path, flash: isSaid ? (turn.flash as Flash) : 'already_done' }
  }
  const end = (done: Place | null) =>
    endForm(deps, claim, done).catch((error: unknown) =>
      deps.log.warn({ err: error }, 'how a form was handled could not be recorded'),
    )
  try {
    const done = await handle()
    await end(placeOf(done))
    return done
  } catch (error) {
    // After any other error it is unknown what was done.
    if (error instanceof GateError && !(error instanceof OutcomeUnknown)) await end(null)
    throw error
  }
}

interface Place {
  path: string
  flash: string
}

const shownOnce: ReadonlySet<string> = new Set<Flash>(['key_shown_once', 'secret_shown_once'])

/** Waits a little for another request that handles the same form. */
async function awaitTurn(look: () => Promise<ClaimedForm>): Promise<ClaimedForm> {
  const until = Date.now() + formWaitMs
  for (;;) {
    const now = await look()
    if (now.outcome !== 'running' || Date.now() >= until) return now
    await sleep(formPollMs)
  }
}

/** Where a repeat of the form leads; null where it may be sent again, because it only showed something. */
function placeOf(done: Redirect | View): Place | null {
  const place = 'to' in done ? { ...done, to: done.again ?? done.to } : done.once
  return place ? { path: place.to, flash: place.flash ?? 'already_done' } : null
}

const alreadySent = (path: string): View => ({
  status: 409,
  title: 'Already sent',
  body: html`<p class="notice">
      This form was sent before and is not repeated. It is still running, or its outcome is not known.
    </p>
    <p>
      <a class="button" href="${path}">Check the current state</a>
      <a class="button" href="/console">Go to the console</a>
    </p>`,
})
