import { z } from 'zod'
import { deviceNotFound, listDevices, removeDevice } from '../../operations/devices/devices.ts'
import { deviceId } from '../../operations/ids.ts'
import { escapeInvisible } from '../../text/escape-invisible.ts'
import { html } from '../../web/html.ts'
import { definePage, idIn } from '../page.ts'
import { confirmation, facts, formProblem, moment, nameOf } from '../parts.ts'
import { browserName } from '../sign-in/browser-name.ts'
import { devicesPath, removeDevicePath } from './paths.ts'

/** Removes a device of the signed-in member. */
export const removeDevicePage = definePage({
  path: removeDevicePath(':device'),
  form: z.strictObject({}),
  async show(context, _query, rejected) {
    const { deps, session } = context
    const id = idIn(context, 'device', deviceId)
    const found = (await listDevices(deps, session)).find(({ device_id }) => device_id === id)
    if (!found) throw deviceNotFound()
    return {
      title: 'Remove device?',
      body: html`${formProblem(rejected)}
        ${facts([
          ['Browser', nameOf(escapeInvisible(browserName(found.browser)))],
          ['Added', moment(found.created_at)],
          ['Last notified', found.notified_at === null ? 'never' : moment(found.notified_at)],
        ])}
        <p>It shows no notifications from then on. Sessions in it go on.</p>
        ${confirmation({ button: 'Remove device', back: devicesPath })}`,
    }
  },
  async send(context) {
    await removeDevice(context.deps, context.session, idIn(context, 'device', deviceId))
    return { to: devicesPath, flash: 'device_removed' }
  },
})
