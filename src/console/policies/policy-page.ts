import { type KindRule, type Policy, unconfirmedKinds } from '../../gate/policy.ts'
import { togetherLines } from '../../gate/policy-lines.ts'
import { posture } from '../../gate/posture.ts'
import { mandateKinds } from '../../operations/policy/mandates-document.ts'
import { defaultRules } from '../../operations/policy/parse-policy-document.ts'
import { type AccountKinds, policyInForce } from '../../operations/policy/policy-in-force.ts'
import { type Html, type Part, html } from '../../web/html.ts'
import { kindsPath } from '../declared-kinds/paths.ts'
import { definePage } from '../page.ts'
import { breakable, facts, rowLink, table } from '../parts.ts'
import { rulesPart as runnerRulesPart } from '../runner-rules/rules-table.ts'
import { ceilingPath, kindPath, policiesPath, presetPath, settingsPath } from './form-schema.ts'
import { listPart, ruleLinesPart } from './rule-parts.ts'
import { channelWords, consentLines, dayLimitLines, hoursWords, tierLines } from './rule-words.ts'
import { currencies, ownCurrency } from '../../gate/money.ts'

/** The policy in force, to read; each kind and the settings have a page of their own to edit them. */
export const policiesPage = definePage({
  path: policiesPath,
  role: 'admin',
  async show(context) {
    const { deps, session } = context
    const inForce = await policyInForce(deps, session.account)
    const kinds = await deps.kinds.now(session.account)
    return {
      title: 'Policy',
      body: html`<p>
          Version ${inForce.version} is in force. The policy sets which tier each kind of action requires, and
          how strong the member’s consent must be. <a href="${policiesPath}/history">Version history</a> ·
          <a href="${policiesPath}/explain">Test policy</a> · <a href="${presetPath}">Presets</a> ·
          <a href="${policiesPath}/json">Edit everything (JSON)</a> ·
          <a href="${kindsPath}">Declared kinds</a>
        </p>
        <p>Allowed on the agent’s word alone: ${posture(inForce)}.</p>
        ${rulesPart(kinds, inForce)}
        <p class="hint">
          An amount is added to what was confirmed for the same payment, customer, subscription or payout
          destination in the last 24 hours, over all members and API keys, for each currency separately.
        </p>
        ${runnerRulesPart(inForce.runner)} ${settingsPart(inForce)}`,
    }
  },
})

function rulesPart(known: AccountKinds, inForce: Policy): Html {
  const kinds = Object.keys(defaultRules(known)).toSorted()
  const own = ownCurrency(inForce)
  const withMandates = mandateKinds(known.values())
  return html`<h2>Rules</h2>
    <div class="rules">
      ${table(
        'Rules by kind of action',
        ['Kind', 'Required tier', 'Minimum consent', 'Limits per 24 hours', 'Expires after', 'Actions'],
        kinds.map((kind) => {
          const rule = inForce.kinds[kind]!
          return [
            breakable(kind),
            [ruleLinesPart(tierLines(rule, own)), sentTo(rule)],
            ruleLinesPart(consentLines(kind, rule, own)),
            listPart(dayLimitLines(kind, rule, inForce)),
            expiryWords(known, inForce, kind),
            html`${rowLink(kindPath(kind), 'Edit', kind)}
            ${withMandates.includes(kind) ? rowLink(ceilingPath(kind), 'Mandates', kind) : ''}`,
          ]
        }),
      )}
    </div>`
}

const settingsPart = (inForce: Policy): Html =>
  html`<h2>Settings of all kinds</h2>
    ${facts([
      ['Currency', ownCurrency(inForce).toUpperCase()],
      ['Allowed currencies', (inForce.currencies ?? currencies).map((one) => one.toUpperCase()).join(', ')],
      ['Proposals expire after', hoursWords(inForce.expires_after_hours)],
      ['Open proposals per member', `at most ${inForce.open_max_per_member}`],
      [
        'A changed e-mail or Slack identity',
        inForce.mailbox_settles_after_hours === 0
          ? 'counts in full immediately'
          : `counts in full after ${hoursWords(inForce.mailbox_settles_after_hours)}`,
      ],
      [
        'A new passkey',
        `${inForce.passkey_settles_after_hours === 0 ? 'counts immediately' : `counts after ${hoursWords(inForce.passkey_settles_after_hours)}`}${inForce.passkey_device_bound ? ', if it is bound to its device' : ''}`,
      ],
      [
        'A member whose consent is required',
        inForce.ask_when_proposed ? 'is asked when the action is proposed' : 'is asked at the confirm',
      ],
      ...togetherLines(inForce).map((line): [string, string] => ['Several at once', line]),
    ])}
    <p><a class="button" href="${settingsPath}">Edit settings</a></p>`

const sentTo = (rule: KindRule): Part =>
  'channels' in rule ? html`<p class="hint">to ${channelWords(rule)}</p>` : ''

function expiryWords(kinds: AccountKinds, { expires_after_hours: hours }: Policy, kind: string): string {
  if (unconfirmedKinds.includes(kind)) return 'not applicable'
  const own = kinds.get(kind)?.expiresAfterMs
  return own === undefined ? hoursWords(hours) : `${own / 60_000} minutes, always`
}
