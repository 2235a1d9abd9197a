import { eventNames } from '../gate/event-types.ts'
import { limits } from '../limits.ts'
import type { JsonObject } from './json-schema.ts'
import { refer } from './openapi-schemas.ts'

// What the gate sends to the endpoints of an account: see docs/events.md.

const header = (name: string, description: string, example: string): JsonObject => ({
  name,
  in: 'header',
  required: true,
  schema: { type: 'string' },
  description,
  example,
})

/** The request that an endpoint receives. */
export const webhooks: JsonObject = {
  event: {
    post: {
      operationId: 'receive_event',
      summary: 'An event',
      description:
        'Sent to each endpoint of the account that wants events of this type, until it is answered with 2xx. Check the signature, and read the action with `get_action`.',
      security: [],
      parameters: [
        header(
          'webhook-id',
          'The same in every attempt and replay, and for each endpoint.',
          'evt_5f70c1e04f3e8a51d2f7c8a9b1020a4c',
        ),
        header('webhook-timestamp', 'Of this attempt, in seconds.', '1795946400'),
        header('webhook-signature', 'Signatures, separated by spaces: `v1,…` and `v1a,…`.', 'v1,K5oZ…'),
      ],
      requestBody: { required: true, content: { 'application/json': { schema: refer('Event') } } },
      responses: { '2XX': { description: 'It was taken. Anything else: it is sent again.' } },
    },
  },
}

export const eventSchemas: Record<string, JsonObject> = {
  Event: {
    type: 'object',
    description: `What happened. At most ${limits.eventBytesMax} bytes.`,
    required: ['type', 'timestamp', 'data'],
    properties: {
      type: { type: 'string', enum: eventNames, 'x-grows': true, description: 'What happened.' },
      timestamp: { type: 'string', format: 'date-time', description: 'When it happened.' },
      data: {
        type: 'object',
        required: ['account'],
        properties: {
          account: { type: 'string' },
          seq: { type: 'integer', description: 'The ledger entry, or the last one that is sealed.' },
          action: { type: 'integer', description: 'The id of the action.' },
          object: {
            type: 'object',
            additionalProperties: true,
            description:
              'Of a full endpoint: the action as `get_action` shows it, or the entry as the ledger holds it, when it was sent.',
          },
          left_out: { type: 'string', const: 'too_large', description: 'Why there is no object.' },
        },
        additionalProperties: true,
      },
    },
  },
}
