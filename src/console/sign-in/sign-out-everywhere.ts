import { z } from 'zod'
import { signOutEverywhere } from '../../operations/devices/devices.ts'
import { html } from '../../web/html.ts'
import { definePage } from '../page.ts'
import { confirmation, formProblem } from '../parts.ts'

export const everywherePath = '/console/sessions/end'

/** Ends every session and device of the signed-in person. */
export const signOutEverywherePage = definePage({
  path: everywherePath,
  form: z.strictObject({}),
  show: async (_context, _query, rejected) => ({
    title: 'Sign out everywhere?',
    body: html`${formProblem(rejected)}
      <p>
        All your sessions end, this one included, and your devices show no notifications. Passkeys, API keys
        and connected apps stay.
      </p>
      ${confirmation({ button: 'Sign out everywhere', back: '/console/sessions' })}`,
  }),
  async send({ deps, session }) {
    await signOutEverywhere(deps, session)
    return { to: '/console/sign-in' }
  },
})
