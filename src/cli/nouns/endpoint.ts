import { z } from 'zod'
import { executorAllow } from '../../config.ts'
import { chosenEvents } from '../../gate/event-types.ts'
import { limits } from '../../limits.ts'
import { instant } from '../../operations/entered-fields.ts'
import {
  listDeliveries,
  replayEvents,
  testEndpoint,
  viewDelivery,
} from '../../operations/events/deliveries.ts'
import {
  type EndpointSecrets,
  addEndpoint,
  changeEndpoint,
  endpointFields,
  listEndpoints,
  readEndpoint,
  removeEndpoint,
  rotateEndpoint,
  turnEndpoint,
  viewEndpoint,
} from '../../operations/events/endpoints.ts'
import { endpointId, eventId } from '../../operations/ids.ts'
import { wholeNumber } from '../../operations/whole-number.ts'
import { account } from '../account-option.ts'
import { type CliContext, adminContextOf } from '../context.ts'
import { UsageError, defineVerb, flag, optional, repeatable, required } from '../verb.ts'

const endpoint = required(
  'ENDPOINT_ID',
  endpointId,
  'Id of the endpoint, see `gate endpoint list`',
  'end_0a1B2c3D4e5F6g7H',
)
const type = repeatable(
  'TYPE',
  z.enum(chosenEvents, 'must be a type of events: see docs/event-types.md'),
  'Type of events; if absent: all',
  'action.executed',
)
const one = { account, endpoint }

const serviceOf = (context: CliContext) => ({
  keys: context.secretsKeys(),
  allowed: executorAllow(context.config()),
})
const viewed = async (context: CliContext, given: { account: string; endpoint: string }) =>
  viewEndpoint(await readEndpoint(adminContextOf(context, given.account), given.endpoint))

export const secretsText = ({ endpoint: id, secret, public_key: key }: EndpointSecrets): string =>
  [`endpoint: ${id}`, `secret: ${secret}`, `public_key: ${key}`, '', 'The secret is shown only once.'].join(
    '\n',
  )

const turn = (isOn: boolean) =>
  defineVerb({
    summary: isOn
      ? 'Turn an endpoint on; then replay what it missed'
      : 'Turn an endpoint off: it is told nothing, and what waits is given up',
    options: one,
    async run(context, given) {
      await turnEndpoint(adminContextOf(context, given.account), given.endpoint, isOn)
      return viewed(context, given)
    },
  })

export const endpointVerbs = {
  add: defineVerb({
    summary: 'Add an address that is told of events, and show its secret once',
    options: {
      account,
      url: required('URL', endpointFields.url, 'Where events are sent', 'https://example.com/events'),
      description: required('TEXT', endpointFields.description, 'What it is for', 'Billing'),
      type,
      full: flag('Send the object, not ids alone'),
    },
    run: (context, { account: of, type: types, full: isFull, url, description }) =>
      addEndpoint(adminContextOf(context, of), serviceOf(context), {
        url,
        description,
        types: types.length === 0 ? null : types,
        isFull,
      }),
    text: secretsText,
  }),

  list: defineVerb({
    summary: 'List the addresses that are told of events',
    options: { account },
    columns: ['endpoint', 'description', 'url', 'state', 'waiting', 'failing_since'],
    empty: (of) => `No endpoints. Add one with \`gate endpoint add${of} --url URL --description TEXT\`.`,
    run: async (context, given) =>
      (await listEndpoints(adminContextOf(context, given.account))).map(viewEndpoint),
  }),

  show: defineVerb({ summary: 'Show an endpoint', options: one, run: viewed }),

  change: defineVerb({
    summary: 'Change where an endpoint is, and what it is told; what is absent stays',
    options: {
      ...one,
      url: optional('URL', endpointFields.url, 'Where events are sent', 'https://example.com/events'),
      description: optional('TEXT', endpointFields.description, 'What it is for', 'Billing'),
      type,
      'all-types': flag('Send events of all types'),
      full: flag('Send the object'),
      thin: flag('Send ids alone'),
    },
    async run(context, given) {
      if (given.full && given.thin) throw new UsageError('--full and --thin exclude each other')
      const { type: types, 'all-types': isAll } = given
      if (isAll && types.length > 0) throw new UsageError('--type and --all-types exclude each other')
      const administration = adminContextOf(context, given.account)
      const former = await readEndpoint(administration, given.endpoint)
      const allowed = executorAllow(context.config())
      await changeEndpoint(administration, { allowed }, given.endpoint, {
        url: given.url ?? former.url,
        description: given.description ?? former.description,
        types: isAll ? null : types.length === 0 ? former.types : types,
        isFull: given.full || (!given.thin && former.is_full),
      })
      return viewed(context, given)
    },
  }),

  on: turn(true),
  off: turn(false),

  rotate: defineVerb({
    summary: 'Make new secrets and show them once; those before them sign too for 24 hours',
    options: one,
    run: (context, given) =>
      rotateEndpoint(adminContextOf(context, given.account), serviceOf(context), given.endpoint),
    text: secretsText,
  }),

  remove: defineVerb({
    summary: 'Remove an endpoint with its secrets and the log of its deliveries',
    options: one,
    async run(context, given) {
      await removeEndpoint(adminContextOf(context, given.account), given.endpoint)
      return { endpoint: given.endpoint, removed: true }
    },
  }),

  test: defineVerb({
    summary: 'Send an event of type `test`; see how it is answered with `gate endpoint deliveries`',
    options: one,
    run: async (context, given) => ({
      event: await testEndpoint(adminContextOf(context, given.account), given.endpoint),
    }),
  }),

  deliveries: defineVerb({
    summary: `Show the deliveries of the last 30 days to an endpoint, newest first, ${limits.pageRowsDefault} at a time`,
    options: {
      ...one,
      before: optional(
        'N',
        wholeNumber(1, Number.MAX_SAFE_INTEGER),
        'The last delivery of the page before',
        '120',
      ),
    },
    columns: ['delivery', 'event', 'type', 'state', 'attempts', 'answered'],
    empty: () => 'No deliveries.',
    async run(context, given) {
      const administration = adminContextOf(context, given.account)
      await readEndpoint(administration, given.endpoint)
      const page = {
        endpointId: given.endpoint,
        before: given.before ?? null,
        limitRows: limits.pageRowsDefault,
      }
      return (await listDeliveries(administration, page)).map((row) => ({
        ...viewDelivery(row),
        answered: row.status ?? row.code,
      }))
    },
  }),

  replay: defineVerb({
    summary: `Send events again under their ids: one, or up to ${limits.eventsReplayedMax} since a time`,
    options: {
      ...one,
      event: optional('EVENT_ID', eventId, 'The event', 'evt_5f70c1e04f3e8a51d2f7c8a9b1020a4c'),
      since: optional('TIME', instant, 'From when on, in the last 30 days', '2030-01-31T12:00:00Z'),
    },
    exactlyOne: [['event', 'since']],
    run: (context, given) =>
      replayEvents(
        adminContextOf(context, given.account),
        given.endpoint,
        given.event === undefined ? { since: given.since! } : { event: given.event },
      ),
  }),
}
