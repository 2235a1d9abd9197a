import { limits } from '../../limits.ts'
import type { PushDeviceRow } from '../../operations/devices/devices.ts'
import { escapeInvisible } from '../../text/escape-invisible.ts'
import { type Html, html } from '../../web/html.ts'
import { empty, moment, rowLink, table } from '../parts.ts'
import { browserName } from '../sign-in/browser-name.ts'
import { newDevicePath, removeDevicePath } from './paths.ts'

/** The devices of a member, each with a link to the page that removes it. */
export const devicesPart = (devices: PushDeviceRow[]): Html =>
  html`<section aria-labelledby="devices">
    <h2 id="devices">Devices with notifications</h2>
    ${
      devices.length === 0
        ? empty('No devices. You are told by mail or in Slack that something waits for you.')
        : table(
            'Devices with notifications',
            ['Browser', 'Added', 'Last notified', 'Actions'],
            devices.map(({ device_id: id, browser, created_at: at, notified_at: told }) => [
              html`<bdi>${escapeInvisible(browserName(browser))}</bdi> <code class="hint">${id}</code>`,
              moment(at),
              told === null ? 'never' : moment(told),
              rowLink(removeDevicePath(id), 'Remove', id),
            ]),
          )
    }
    ${
      devices.length < limits.pushDevicesMax
        ? html`<p><a class="button" href="${newDevicePath}">Turn on notifications on this device</a></p>`
        : html`<p class="hint">${limits.pushDevicesMax} devices are the maximum.</p>`
    }
    <p class="hint">
      A device stays when its session ends, so that it can tell you while you are signed out. It then opens
      the sign-in page.
    </p>
  </section>`
