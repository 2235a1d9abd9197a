import { html } from '../transports/html.ts'
import { definePage } from './page.ts'
import { facts } from './parts.ts'

/** Where everybody lands. */
export const overviewPage = definePage({
  path: '/console',
  async show({ session }) {
    return {
      title: 'Overview',
      body: html`<section aria-labelledby="you">
        <h2 id="you">You</h2>
        ${facts([
          ['Signed in as', session.address],
          ['Account', session.accountName],
          ['You are', rolesOf(session)],
        ])}
        <p><a href="/console/sessions">Your sessions</a></p>
      </section>`,
    }
  },
})

const rolesOf = (session: { adminId: string | null; memberId: string | null }): string =>
  [
    ...(session.adminId === null ? [] : ['an administrator']),
    ...(session.memberId === null ? [] : ['a member']),
  ].join(' and ')
