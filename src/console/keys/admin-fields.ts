import { type AdminPower, adminPowers, adminWarning } from '../../keys/admin-powers.ts'
import { limits } from '../../limits.ts'
import { type Html, html } from '../../web/html.ts'
import type { RejectedForm } from '../page.ts'
import { checkboxes, field } from '../parts.ts'
import { keyLabels } from './key-form.ts'

// The powers of administration in the form that mints a key: closed until an administrator opens them, and none is checked.

const nameOf = (power: AdminPower): string => power.replaceAll(/[:.]/g, '_')

export const adminFieldNames = adminPowers.map(nameOf)

/** The powers of administration that a form checks. Pure. */
export const adminPowersIn = (form: Record<string, unknown>): AdminPower[] =>
  adminPowers.filter((power) => form[nameOf(power)] === 'on')

export const adminFields = (rejected: RejectedForm | undefined): Html =>
  html`<details>
    <summary>Administration by program</summary>
    <p class="notice">${adminWarning}</p>
    ${checkboxes({
      legend: 'Powers of administration',
      hint: 'For a program that uses the administration API.',
      boxes: adminPowers.map((power) => ({
        name: nameOf(power),
        words: power.replace('admin:', ''),
        isChecked: false,
      })),
      rejected,
    })}
    ${field({
      name: 'admin_calls_per_day',
      label: keyLabels.admin_calls_per_day,
      type: 'number',
      hint: `Calls of the administration API in 24 hours. Empty: ${limits.adminCallsPerDayDefault}.`,
      isRequired: false,
      rejected,
    })}
  </details>`
