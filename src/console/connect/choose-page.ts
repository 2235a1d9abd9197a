import { agentClientIds, agentClients } from '../../keys/agent-clients.ts'
import { html } from '../../web/html.ts'
import { definePage } from '../page.ts'
import { connectPath } from './connect-path.ts'

const groups = [
  ['program', 'Agents on a machine of yours', 'They call the gate over MCP and send an API key.'],
  ['hosted', 'Hosted agents', 'They take an address and sign in at the gate.'],
  ['code', 'Your own code', 'It calls the gate over REST and sends an API key.'],
] as const

/** The choice of the program to connect. */
export const connectAgentPage = definePage({
  path: connectPath,
  role: 'admin',
  show: async () => ({
    title: 'Connect an agent',
    body: html`<p>
        Choose what you connect. The next page has the lines to paste, and shows when the first call arrives.
      </p>
      ${groups.map(
        ([group, heading, words]) =>
          html`<section aria-labelledby="${group}">
            <h2 id="${group}">${heading}</h2>
            <p>${words}</p>
            <p>
              ${agentClientIds
                .filter((id) => agentClients[id].is === group)
                .map(
                  (id) => html`<a class="button" href="${connectPath}/${id}">${agentClients[id].name}</a> `,
                )}
            </p>
          </section>`,
      )}`,
  }),
})
