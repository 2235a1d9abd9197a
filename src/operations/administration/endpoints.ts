import { z } from 'zod'
import { limits } from '../../limits.ts'
import {
  listDeliveries as deliveries,
  replayEvents as replay,
  testEndpoint as sendTest,
  viewDelivery,
} from '../events/deliveries.ts'
import {
  addEndpoint as add,
  changeEndpoint as change,
  endpointFields,
  listEndpoints as list,
  readEndpoint,
  removeEndpoint as remove,
  rotateEndpoint as rotate,
  turnEndpoint,
  viewEndpoint,
} from '../events/endpoints.ts'
import { endpointId, eventId } from '../ids.ts'
import { type AdminCall, defineAdmin } from './admin-operation.ts'
import { Document, listOf, page, time } from './parts.ts'

const path = '/api/v1/admin/endpoints'
const one = `${path}/{endpoint}`
const endpoint = 'end_0a1B2c3D4e5F6g7H'
const event = 'evt_7hQ2mWzX0aLk4RtY_41'

const { url, description } = endpointFields
const types = z
  .union([z.literal('all'), endpointFields.types])
  .meta({ description: 'Types of events, or `all`, with those added later.' })
const chosen = (given: z.output<typeof types>) => (given === 'all' ? null : given)
const full = endpointFields.isFull.meta({ description: 'Whether it is sent the object, or ids alone.' })

const serviceOf = ({ deps }: AdminCall) => ({ keys: deps.secretsKeys, allowed: deps.network.allowed })
const viewed = async (context: AdminCall, id: string) => viewEndpoint(await readEndpoint(context, id))

const shown = {
  endpoint,
  url: 'https://example.com/events',
  description: 'Billing',
  types: ['action.executed'],
  full: false,
  state: 'on',
}

const listEndpoints = defineAdmin({
  name: 'list_endpoints',
  title: 'List endpoints',
  summary: 'Lists the addresses that are told of events, without their secrets.',
  http: { method: 'GET', path },
  power: 'admin:endpoints.read',
  input: z.strictObject({}),
  output: listOf('endpoints'),
  errors: ['forbidden'],
  example: { input: {}, output: { endpoints: [shown] } },
  run: async (context) => ({ endpoints: (await list(context)).map(viewEndpoint) }),
})

const addEndpoint = defineAdmin({
  name: 'add_endpoint',
  title: 'Add an endpoint',
  summary: 'Adds an address that is told of events. The answer alone shows its secret.',
  http: { method: 'POST', path },
  power: 'admin:endpoints.write',
  input: z.strictObject({ url, description, types: types.default('all'), full: full.default(false) }),
  output: Document,
  errors: ['forbidden', 'conflict', 'invalid'],
  example: {
    input: { url: 'https://example.com/events', description: 'Billing', types: ['action.executed'] },
    output: { endpoint, secret: 'whsec_…', public_key: 'whpk_…' },
  },
  run: (context, { full: isFull, ...given }) =>
    add(context, serviceOf(context), { ...given, types: chosen(given.types), isFull }),
})

const changeEndpoint = defineAdmin({
  name: 'change_endpoint',
  title: 'Change an endpoint',
  summary: 'Changes where an endpoint is, and what it is told. A field that is absent stays.',
  http: { method: 'POST', path: one },
  power: 'admin:endpoints.write',
  input: z.strictObject({
    endpoint: endpointId,
    url: url.optional(),
    description: description.optional(),
    types: types.optional(),
    full: full.optional(),
  }),
  output: Document,
  errors: ['forbidden', 'not_found', 'conflict', 'invalid'],
  example: { input: { endpoint, full: true }, output: { ...shown, full: true } },
  async run(context, { endpoint: id, ...given }) {
    const former = await readEndpoint(context, id)
    await change(context, serviceOf(context), id, {
      url: given.url ?? former.url,
      description: given.description ?? former.description,
      types: given.types === undefined ? former.types : chosen(given.types),
      isFull: given.full ?? former.is_full,
    })
    return viewed(context, id)
  },
})

const turning = (isOn: boolean) =>
  defineAdmin({
    name: isOn ? 'turn_endpoint_on' : 'turn_endpoint_off',
    title: isOn ? 'Turn an endpoint on' : 'Turn an endpoint off',
    summary: isOn
      ? 'Tells it of events again. Replay what it missed.'
      : 'Tells it nothing until it is turned on: what waits is given up, and can be replayed.',
    http: { method: 'POST', path: `${one}/${isOn ? 'on' : 'off'}` },
    power: 'admin:endpoints.write',
    input: z.strictObject({ endpoint: endpointId }),
    output: Document,
    errors: ['forbidden', 'not_found', 'conflict', 'invalid'],
    example: { input: { endpoint }, output: { ...shown, state: isOn ? 'on' : 'off' } },
    async run(context, given) {
      await turnEndpoint(context, given.endpoint, isOn)
      return viewed(context, given.endpoint)
    },
  })

const rotateEndpoint = defineAdmin({
  name: 'rotate_endpoint',
  title: 'Rotate the secrets of an endpoint',
  summary: 'Makes new secrets; those before them sign too for 24 hours. The answer alone shows them.',
  http: { method: 'POST', path: `${one}/rotate` },
  power: 'admin:endpoints.write',
  input: z.strictObject({ endpoint: endpointId }),
  output: Document,
  errors: ['forbidden', 'not_found', 'conflict', 'invalid'],
  example: { input: { endpoint }, output: { endpoint, secret: 'whsec_…', public_key: 'whpk_…' } },
  run: (context, given) => rotate(context, serviceOf(context), given.endpoint),
})

const removeEndpoint = defineAdmin({
  name: 'remove_endpoint',
  title: 'Remove an endpoint',
  summary: 'Removes an endpoint with its secrets and the log of its deliveries.',
  http: { method: 'POST', path: `${one}/remove` },
  power: 'admin:endpoints.write',
  input: z.strictObject({ endpoint: endpointId }),
  output: Document,
  errors: ['forbidden', 'not_found', 'conflict', 'invalid'],
  example: { input: { endpoint }, output: { endpoint, removed: true } },
  async run(context, given) {
    await remove(context, given.endpoint)
    return { endpoint: given.endpoint, removed: true }
  },
})

const testEndpoint = defineAdmin({
  name: 'test_endpoint',
  title: 'Test an endpoint',
  summary: 'Sends an event of type `test`. Its delivery shows how the endpoint answered.',
  http: { method: 'POST', path: `${one}/test` },
  power: 'admin:endpoints.write',
  input: z.strictObject({ endpoint: endpointId }),
  output: Document,
  errors: ['forbidden', 'not_found', 'conflict', 'invalid'],
  example: { input: { endpoint }, output: { event: 'evt_7hQ2mWzX0aLk4RtY_test_1' } },
  run: async (context, given) => ({ event: await sendTest(context, given.endpoint) }),
})

const listDeliveries = defineAdmin({
  name: 'list_deliveries',
  title: 'List deliveries',
  summary: 'Lists the deliveries of the last 30 days to an endpoint, newest first, with its last answer.',
  http: { method: 'GET', path: `${one}/deliveries`, integers: ['limit', 'before'] },
  power: 'admin:endpoints.read',
  input: z.strictObject({
    endpoint: endpointId,
    limit: page.limit,
    before: z
      .int('must be a whole number')
      .min(1, 'must be at least 1')
      .optional()
      .meta({ description: '`delivery` of the last one of the page before.' }),
  }),
  output: listOf('deliveries'),
  errors: ['forbidden', 'not_found', 'invalid'],
  example: {
    input: { endpoint },
    output: { deliveries: [{ delivery: 12, event, type: 'action.executed', state: 'delivered' }] },
  },
  async run(context, given) {
    await readEndpoint(context, given.endpoint)
    const rows = { endpointId: given.endpoint, before: given.before ?? null, limitRows: given.limit }
    return { deliveries: (await deliveries(context, rows)).map(viewDelivery) }
  },
})

const replayEvents = defineAdmin({
  name: 'replay_events',
  title: 'Replay events',
  summary: `Sends events again under their ids: one (\`event\`), or up to ${limits.eventsReplayedMax} since a time (\`since\`), those too that it missed while it was off.`,
  http: { method: 'POST', path: `${one}/replay` },
  power: 'admin:endpoints.write',
  input: z
    .strictObject({
      endpoint: endpointId,
      event: eventId.optional(),
      since: time.optional().meta({ description: 'In the last 30 days.' }),
    })
    .refine(({ event: id, since }) => (id === undefined) !== (since === undefined), {
      error: 'must be given, or since, and not both',
      path: ['event'],
    }),
  output: Document,
  errors: ['forbidden', 'not_found', 'conflict', 'invalid'],
  example: { input: { endpoint, event }, output: { queued: 1 } },
  run: (context, given) =>
    replay(
      context,
      given.endpoint,
      given.event === undefined ? { since: new Date(given.since!) } : { event: given.event },
    ),
})

export const endpointOperations = {
  listEndpoints,
  addEndpoint,
  changeEndpoint,
  turnEndpointOn: turning(true),
  turnEndpointOff: turning(false),
  rotateEndpoint,
  removeEndpoint,
  testEndpoint,
  listDeliveries,
  replayEvents,
}
