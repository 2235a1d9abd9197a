import { z } from 'zod'
import { providerName } from '../../gate/integration-provider.ts'
import { beginInConsole } from '../../operations/integrations/connect-link.ts'
import { connectObstacle } from '../../operations/integrations/connect-prerequisites.ts'
import { html } from '../../web/html.ts'
import { prose } from '../../web/prose.ts'
import { asAdmin, definePage, idIn } from '../page.ts'
import { confirmation, formProblem } from '../parts.ts'
import { integrationsPath, provider } from './list-page.ts'

/** Begins a connection: leads to the pages on which a credential is entered and reviewed. */
export const connectPage = definePage({
  path: `${integrationsPath}/:provider/connect`,
  role: 'admin',
  form: z.strictObject({}),
  async show(context, _query, rejected) {
    const name = idIn(context, 'provider', provider)
    const obstacle = connectObstacle(context.deps, name)
    return {
      title: `Connect ${providerName[name]}?`,
      body: html`${formProblem(rejected)}
        <p>
          The next pages take the credential and show from which account to which it changes. Nothing changes
          until you confirm there.
        </p>
        ${
          obstacle === undefined
            ? confirmation({ button: 'Continue', back: integrationsPath, isHarmless: true })
            : html`<p class="notice">${prose(obstacle)}</p>
                <p><a class="button" href="${integrationsPath}">Go back</a></p>`
        }`,
    }
  },
  async send(context) {
    const { account, session } = asAdmin(context)
    return {
      to: await beginInConsole(
        context.deps,
        { account, session: session! },
        idIn(context, 'provider', provider),
      ),
      again: integrationsPath,
    }
  },
})
