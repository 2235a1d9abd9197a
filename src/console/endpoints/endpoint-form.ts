import { z } from 'zod'
import { chosenEvents } from '../../gate/event-types.ts'
import { limits } from '../../limits.ts'
import {
  type EndpointRow,
  type EndpointSecrets,
  type EndpointService,
  type EndpointSettings,
  endpointFields,
  readEndpoint,
} from '../../operations/events/endpoints.ts'
import { endpointId } from '../../operations/ids.ts'
import { type Html, html } from '../../web/html.ts'
import { type PageContext, type RejectedForm, type View, accountOf, idIn } from '../page.ts'
import { checkboxes, choice, field } from '../parts.ts'
import { endpointPath } from './paths.ts'

const boxOf = (type: string): string => `type_${type.replaceAll('.', '_')}`

/** The fields of the form that adds or changes an endpoint. */
export const endpointForm = z.strictObject({
  url: endpointFields.url,
  description: endpointFields.description,
  body: z.enum(['thin', 'full']),
  ...Object.fromEntries(chosenEvents.map((type) => [boxOf(type), z.literal('on').optional()])),
})

export const endpointLabels = { url: 'Address', description: 'Description', body: 'What is sent' }

/** What a form sets. Pure. */
export function settingsIn(form: z.output<typeof endpointForm>): EndpointSettings {
  const boxes: Record<string, unknown> = form
  const types = chosenEvents.filter((type) => boxes[boxOf(type)] === 'on')
  return {
    url: form.url,
    description: form.description,
    types: types.length === 0 ? null : types,
    isFull: form.body === 'full',
  }
}

/** @param former  absent: a new one */
export const endpointFieldsPart = (rejected: RejectedForm | undefined, former?: EndpointRow): Html =>
  html`${field({
    name: 'url',
    label: endpointLabels.url,
    type: 'url',
    hint: 'Begins with https://. Events are sent there by POST.',
    charsMax: limits.executorUrlCharsMax,
    value: former?.url ?? '',
    rejected,
  })}
  ${field({
    name: 'description',
    label: endpointLabels.description,
    hint: 'What it is for. Mails about it name it so.',
    charsMax: limits.titleCharsMax,
    value: former?.description ?? '',
    rejected,
  })}
  ${choice({
    name: 'body',
    label: endpointLabels.body,
    values: [
      ['thin', 'Ids alone: it asks the gate for the rest'],
      ['full', 'The object, with what agents wrote in it'],
    ],
    value: former?.is_full ? 'full' : 'thin',
    rejected,
  })}
  ${checkboxes({
    legend: 'Types of events',
    hint: 'If none is checked, all types are sent, including types added later.',
    boxes: chosenEvents.map((type) => ({
      name: boxOf(type),
      words: type,
      isChecked: former?.types?.includes(type) ?? false,
    })),
    rejected,
  })}`

/** The endpoint in the path. @throws GateError `not_found` */
export const endpointIn = (context: PageContext): Promise<EndpointRow> =>
  readEndpoint(accountOf(context), endpointIdIn(context))

export const endpointIdIn = (context: PageContext): string => idIn(context, 'endpoint', endpointId)

export const serviceOf = ({ deps }: PageContext): EndpointService => ({
  keys: deps.secretsKeys,
  allowed: deps.network.allowed,
})

/** The page that shows new secrets, once. */
export const secretsView = ({ endpoint, secret, public_key: key }: EndpointSecrets): View => ({
  title: 'Copy the secret',
  once: { to: endpointPath(endpoint), flash: 'secret_shown_once' },
  body: html`<p>
      This secret checks the signatures <code>v1</code> of this endpoint. It is shown only once. We store it
      encrypted.
    </p>
    <p><code class="secret">${secret}</code></p>
    <p class="notice">
      Store it where your receiver reads its secrets, and nowhere else. If you lose it, make a new one.
    </p>
    <p>This public key checks the signatures <code>v1a</code>. It is no secret.</p>
    <p><code class="secret">${key}</code></p>
    <p><a class="button" href="${endpointPath(endpoint)}">I have copied it</a></p>`,
})
