import { z } from 'zod'
import { replayEvents, testEndpoint } from '../../operations/events/deliveries.ts'
import {
  changeEndpoint,
  removeEndpoint,
  rotateEndpoint,
  turnEndpoint,
} from '../../operations/events/endpoints.ts'
import { eventId } from '../../operations/ids.ts'
import { type Html, html } from '../../web/html.ts'
import type { Flash } from '../flash.ts'
import { type PageContext, asAdmin, definePage, idIn } from '../page.ts'
import { confirmation, formProblem } from '../parts.ts'
import {
  endpointFieldsPart,
  endpointForm,
  endpointIdIn,
  endpointIn,
  endpointLabels,
  secretsView,
  serviceOf,
  settingsIn,
} from './endpoint-form.ts'
import { endpointPath, endpointsPath } from './paths.ts'

/** Changes where an endpoint is, and what it is told. */
export const changeEndpointPage = definePage({
  path: `${endpointPath(':endpoint')}/change`,
  role: 'admin',
  form: endpointForm,
  labels: endpointLabels,
  async show(context, _query, rejected) {
    const endpoint = await endpointIn(context)
    return {
      title: `Change ${endpoint.description}`,
      body: html`${formProblem(rejected)}
        <p>What waits for this endpoint is sent to the new address.</p>
        <form method="post">
          ${endpointFieldsPart(rejected, endpoint)}
          <button type="submit">Change endpoint</button>
          <a class="button" href="${endpointPath(endpoint.endpoint_id)}">Go back</a>
        </form>`,
    }
  },
  async send(context, form) {
    const id = endpointIdIn(context)
    await changeEndpoint(asAdmin(context), serviceOf(context), id, settingsIn(form))
    return { to: endpointPath(id), flash: 'endpoint_changed' }
  },
})

/** Gives an endpoint new secrets. The answer is the only page that ever shows them. */
export const rotateEndpointPage = definePage({
  path: `${endpointPath(':endpoint')}/rotate`,
  role: 'admin',
  form: z.strictObject({}),
  async show(context, _query, rejected) {
    const { endpoint_id: id, description, rotates_until: until } = await endpointIn(context)
    return {
      title: `New secrets for ${description}?`,
      body: html`${formProblem(rejected)}
        <p>
          For 24 hours each event is signed by the new and by the current secrets. Change your receiver over.
          ${until === null ? '' : 'The secrets before them stop signing now.'}
        </p>
        ${confirmation({ button: 'Make new secrets', back: endpointPath(id) })}`,
    }
  },
  send: async (context) =>
    secretsView(await rotateEndpoint(asAdmin(context), serviceOf(context), endpointIdIn(context))),
})

/** A page that confirms one step with an endpoint. */
const confirming = (
  name: string,
  step: {
    words(description: string, isOn: boolean): { title: string; about: Html; button: string }
    isHarmless?: boolean
    send(context: PageContext, isOn: boolean): Promise<Flash>
    to?: string
  },
) =>
  definePage({
    path: `${endpointPath(':endpoint')}/${name}`,
    role: 'admin',
    form: z.strictObject({}),
    async show(context, _query, rejected) {
      const { endpoint_id: id, description, off_reason: off } = await endpointIn(context)
      const { title, about, button } = step.words(description, off === null)
      return {
        title,
        body: html`${formProblem(rejected)}
          <p>${about}</p>
          ${confirmation({ button, back: endpointPath(id), isHarmless: step.isHarmless ?? false })}`,
      }
    },
    async send(context) {
      const { endpoint_id: id, off_reason: off } = await endpointIn(context)
      return { flash: await step.send(context, off === null), to: step.to ?? endpointPath(id) }
    },
  })

export const turnEndpointPage = confirming('turn', {
  words: (description, isOn) =>
    isOn
      ? {
          title: `Turn ${description} off?`,
          about: html`It is told nothing until you turn it on. What waits for it is given up; you can replay
          it for 30 days.`,
          button: 'Turn off',
        }
      : {
          title: `Turn ${description} on?`,
          about: html`It is told of events from now on. Then replay what it missed.`,
          button: 'Turn on',
        },
  async send(context, isOn) {
    await turnEndpoint(asAdmin(context), endpointIdIn(context), !isOn)
    return isOn ? 'endpoint_off' : 'endpoint_on'
  },
})

export const testEndpointPage = confirming('test', {
  words: (description) => ({
    title: `Send a test to ${description}?`,
    about: html`It is sent an event of type <code>test</code>. Its answer is in the list of deliveries.`,
    button: 'Send test',
  }),
  isHarmless: true,
  async send(context) {
    await testEndpoint(asAdmin(context), endpointIdIn(context))
    return 'events_queued'
  },
})

export const replayEventPage = confirming('events/:event/replay', {
  words: (description) => ({
    title: `Send this event to ${description} again?`,
    about: html`It is sent under the same id: a receiver that knows it does nothing again.`,
    button: 'Replay event',
  }),
  isHarmless: true,
  async send(context) {
    const event = idIn(context, 'event', eventId)
    await replayEvents(asAdmin(context), endpointIdIn(context), { event })
    return 'events_queued'
  },
})

export const removeEndpointPage = confirming('remove', {
  words: (description) => ({
    title: `Remove ${description}?`,
    about: html`Its secrets and the list of its deliveries are deleted. What waits for it is not sent.`,
    button: 'Remove endpoint',
  }),
  to: endpointsPath,
  async send(context) {
    await removeEndpoint(asAdmin(context), endpointIdIn(context))
    return 'endpoint_removed'
  },
})
