import { z } from 'zod'
import { keyLimitsOptions } from '../../keys/rights.ts'
import { readKeyLimits } from '../../operations/keys/read-key-limits.ts'
import { setKeyLimits } from '../../operations/keys/set-key-limits.ts'
import { html } from '../../web/html.ts'
import { accountOf, asAdmin, definePage } from '../page.ts'
import { choice, formProblem } from '../parts.ts'
import { keysPath } from './list-page.ts'

const choices = [
  ['per_process', 'per_process: each API process counts alone'],
  ['shared', 'shared: all API processes count together'],
] as const

/** Sets how the requests of the account's keys are counted. */
export const keyLimitsPage = definePage({
  path: `${keysPath}/limits`,
  role: 'admin',
  form: z.strictObject({ key_limits: z.enum(keyLimitsOptions, 'must be one of the list') }),
  async show(context, _query, rejected) {
    const perMinute = context.deps.config.RATE_LIMIT_PER_MINUTE
    return {
      title: 'Key limits',
      body: html`${formProblem(rejected)}
        <p>
          ${
            perMinute === 0
              ? 'Requests are not limited: RATE_LIMIT_PER_MINUTE is 0.'
              : `A key has ${perMinute} requests per minute (RATE_LIMIT_PER_MINUTE).`
          }
          Counted per process, a key can make that many at each API process. Counted together, it can make
          that many at all of them.
        </p>
        <form method="post">
          ${choice({
            name: 'key_limits',
            label: 'Count requests',
            values: choices,
            value: await readKeyLimits(accountOf(context)),
            rejected,
          })}
          <button type="submit">Save key limits</button>
          <a class="button" href="${keysPath}">Go back</a>
        </form>`,
    }
  },
  async send(context, { key_limits: keyLimits }) {
    await setKeyLimits(asAdmin(context), keyLimits)
    return { to: keysPath, flash: 'key_limits_set' }
  },
})
