import { type AgentClientId, type GatePlace, agentClients } from '../../keys/agent-clients.ts'
import type { Deps } from '../../deps.ts'
import { hostedUrl } from '../../operations/apps/addresses.ts'
import { joinPath } from '../../network/public-link.ts'
import { type Html, html } from '../../web/html.ts'
import { prose } from '../../web/prose.ts'

/** This gate, as a client is given it. */
export const placeOf = (deps: Pick<Deps, 'config' | 'publicUrl'>, key: string): GatePlace => ({
  url: joinPath(deps.publicUrl(), ''),
  key,
  hostedUrl: hostedUrl(deps),
})

/** The lines to paste, each below what to do with it, and how to see that it worked. */
export const linesPart = (id: AgentClientId, place: GatePlace): Html =>
  html`${agentClients[id].lines(place).map(
      ({ says, text }) =>
        html`<p>${prose(says)}</p>
          <pre class="message code paste">${text}</pre>`,
    )}
    <p>${prose(agentClients[id].check)}</p>`
