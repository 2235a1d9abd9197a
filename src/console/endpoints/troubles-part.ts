import type { EndpointRow } from '../../operations/events/endpoints.ts'
import { offWords } from '../../operations/events/turned-off.ts'
import { type Part, html } from '../../web/html.ts'
import { moment, nameOf } from '../parts.ts'
import { endpointPath } from './paths.ts'

/** Endpoints that fail, or were turned off for it. Nothing where there are none. */
export const endpointsPart = (endpoints: EndpointRow[]): Part =>
  endpoints
    .filter(({ off_reason: off, failing_since: since }) => (off === null ? since !== null : off !== 'admin'))
    .map(
      (one) =>
        html`<p class="problem">
          <a href="${endpointPath(one.endpoint_id)}">${nameOf(one.description)}</a>
          ${
            one.off_reason === null
              ? html`takes no events since ${moment(one.failing_since)}. They are sent again for 75 hours.`
              : `is told no events: ${offWords[one.off_reason]}.`
          }
        </p>`,
    )
