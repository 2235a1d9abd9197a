import { z } from 'zod'
import { addDevice, deviceForm, offerDevice } from '../../operations/devices/devices.ts'
import { html } from '../../web/html.ts'
import { signedFields } from '../../web/passkey-form.ts'
import { workerPath, workerScope } from '../install.ts'
import { definePage } from '../page.ts'
import { formProblem } from '../parts.ts'
import { pushScript } from '../scripts.ts'
import { devicesPath, newDevicePath } from './paths.ts'

/** Adds the browser that shows it as a device of the signed-in member. */
export const addDevicePage = definePage({
  path: newDevicePath,
  form: z.strictObject(deviceForm),
  async show({ deps, session }, _query, rejected) {
    const key = await offerDevice(deps, session)
    return {
      title: 'Turn on notifications',
      script: pushScript,
      body: html`${formProblem(rejected)}
        <p>
          This device then says within seconds that something waits for your decision. The notification has no
          amount, name or message: it opens the list of what waits, where you sign in and decide as always.
        </p>
        <p>
          The company that makes this browser takes each notification to it, and cannot read it. Where a
          device was told, the mail about the request waits 15 seconds, and is not sent if you decide before.
        </p>
        <form method="post" data-push-key="${key}" data-worker="${workerPath}" data-scope="${workerScope}">
          ${signedFields(['endpoint', 'public_key', 'auth'])}
          <p class="problem" role="alert" data-push-problem hidden></p>
          <noscript><p class="notice">Notifications need JavaScript. Turn it on for this page.</p></noscript>
          <button type="submit">Turn on notifications on this device</button>
          <a class="button" href="${devicesPath}">Go back</a>
        </form>`,
    }
  },
  async send({ deps, session }, fields) {
    await addDevice(deps, session, fields)
    return { to: devicesPath, flash: 'device_added' }
  },
})
