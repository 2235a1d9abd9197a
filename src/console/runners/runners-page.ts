import { z } from 'zod'
import { runnerNames } from '../../gate/runner-calls/tool-call.ts'
import { limits } from '../../limits.ts'
import { keyId } from '../../operations/ids.ts'
import {
  type CallsFilter,
  type Machine,
  type RunnersOverview,
  readRunners,
} from '../../operations/runner-calls/runners-overview.ts'
import { type Html, type Part, html } from '../../web/html.ts'
import { defaultTimeZone } from '../../web/times.ts'
import { dayChart } from '../day-chart.ts'
import { optionally } from '../forms.ts'
import { keysPath } from '../keys/list-page.ts'
import { lastDays } from '../overview/activity-section.ts'
import { mandatesPath } from '../mandates/mandate-parts.ts'
import { definePage } from '../page.ts'
import { choice, empty, moment, nextPage, rowLink, table } from '../parts.ts'
import { policiesPath } from '../policies/form-schema.ts'
import { stopSection } from '../stop-switch.ts'
import { callsTable } from './calls-table.ts'
import { firstSteps } from './first-steps.ts'
import { runnersPath } from './runners-path.ts'
import { unreportedWords } from './unreported.ts'

const callsQuery = z.strictObject({
  machine: optionally(keyId),
  decision: optionally(
    z.enum(['allow', 'deny', 'consent', 'unreported'], 'must be one of: allow, deny, consent, unreported'),
  ),
  after: optionally(z.string().regex(/^\d{1,15}$/, 'must be the number of a call')),
})
type Query = z.output<typeof callsQuery>

/** The agent runners of the account: their machines, what was decided, and the outcomes. */
export const runnersPage = definePage({
  path: runnersPath,
  role: 'admin',
  query: callsQuery,
  async show({ deps, session }, query) {
    const days = lastDays(new Date(), session.timeZone ?? defaultTimeZone)
    const overview = await readRunners(deps, session.account, days, filterOf(query))
    return {
      title: 'Runners',
      body: html`<p>
          Before every tool call, the hook of an agent runner asks the gate. The
          <a href="${policiesPath}#tool-calls">policy</a> allows it, denies it, or requires the member’s
          consent.
        </p>
        ${
          overview.machines.length === 0
            ? firstSteps(deps.publicUrl())
            : html`${machinesPart(overview)} ${chartPart(overview)} ${unreportedSection(overview)}
              ${callsSection(query, overview)}`
        }
        ${stopSection(session, 'Suspending the account ends every consent to a tool call that was not used yet, and denies every call until you resume it.')}`,
    }
  },
})

const filterOf = ({ machine, decision, after }: Query): CallsFilter => ({
  keyId: machine ?? null,
  decision: decision ?? null,
  after: after === undefined ? null : Number(after),
})

const machinesPart = ({ machines, isMoreMachines }: RunnersOverview): Html =>
  html`<section aria-labelledby="machines">
    <h2 id="machines">Machines</h2>
    ${table(
      'Machines: the keys of agent runners',
      ['Machine', 'Acts for', 'Runners', 'Last call', 'Allowed', 'Denied', 'Consent requested', 'Key'],
      machines.map((machine): Part[] => [
        html`<bdi>${machine.name}</bdi> ${stateBadge(machine)}`,
        html`<a href="/console/members/${machine.member_id}"><bdi>${machine.member}</bdi></a>`,
        machine.runners.length === 0
          ? html`<span class="none">none yet</span>`
          : machine.runners.map((runner) => runnerNames[runner]).join(', '),
        machine.last_call_at === null
          ? html`<span class="none">none in ${limits.toolCallsKeptDays} days</span>`
          : moment(machine.last_call_at),
        machine.today.allowed,
        machine.today.denied,
        machine.today.asked,
        machine.isInForce
          ? html`<code>…${machine.last4}</code>
              ${rowLink(`${keysPath}/${machine.key_id}/revoke`, 'Revoke', machine.name)}`
          : html`<code>…${machine.last4}</code>`,
      ]),
    )}
    <p class="hint">
      A machine is an <a href="${keysPath}">API key</a> of a runner. Calls are counted since midnight in your
      time zone. What members allowed in advance are <a href="${mandatesPath}">mandates</a>.
      ${isMoreMachines ? `Only the first ${limits.runnerKeysShownMax} are listed.` : ''}
    </p>
  </section>`

const stateBadge = ({ isInForce, revoked_at: revokedAt }: Machine): Part =>
  isInForce
    ? ''
    : html`<span class="badge ${revokedAt === null ? 'expired' : 'cancelled'}"
        >${revokedAt === null ? 'expired' : 'revoked'}</span
      >`

const chartPart = ({ days }: RunnersOverview): Html =>
  html`<section aria-labelledby="days">
    <h2 id="days">Last ${limits.overviewDays} days</h2>
    ${
      days.every(({ allowed, denied, asked }) => allowed + denied + asked === 0)
        ? empty(`No tool calls in the last ${limits.overviewDays} days.`)
        : dayChart({
            noun: ['tool call', 'tool calls'],
            column: 'Tool calls',
            by: 'decision',
            parts: ['allowed', 'denied', 'asked'],
            words: { asked: 'consent requested' },
            days: days.map(({ name, allowed, denied, asked, is_more: isMore }) => ({
              name,
              counts: { allowed, denied, asked },
              isMore,
            })),
          })
    }
  </section>`

const unreportedSection = ({ unreported }: RunnersOverview): Html =>
  html`<section aria-labelledby="unreported">
    <h2 id="unreported">Unreported outcomes</h2>
    ${
      unreported.count === 0
        ? html`<p class="none">None in the last 24 hours.</p>`
        : html`<p>
              <strong>${unreportedWords(unreported)}.</strong> The hook of the runner reports after each call.
              A call without a report within ${limits.toolOutcomeMs / 60_000} minutes may have run: its report
              was lost, the runner was stopped, or only the hook before the call is installed.
            </p>
            ${callsTable('Newest calls without a report', unreported.newest)}
            <p><a href="${addressOf({ decision: 'unreported' })}#calls">All calls without a report</a></p>`
    }
  </section>`

function callsSection(query: Query, { machines, calls, next }: RunnersOverview): Html {
  const isFiltered = query.machine !== undefined || query.decision !== undefined
  return html`<section aria-labelledby="calls">
    <h2 id="calls">Latest tool calls</h2>
    ${filterForm(query, machines)}
    ${
      calls.length > 0
        ? callsTable('Latest tool calls', calls)
        : empty(
            isFiltered
              ? html`No matching tool calls. <a href="${runnersPath}#calls">Show all calls</a>`
              : query.after === undefined
                ? 'No tool calls yet. Run the doctor of the hook on the machine: it makes a test call.'
                : 'No more tool calls.',
          )
    }
    ${nextPage(next === undefined ? undefined : `${addressOf({ ...query, after: String(next) })}#calls`)}
    <p class="hint">
      Calls are listed for ${limits.toolCallsKeptDays} days. Refused calls stay in the ledger.
    </p>
  </section>`
}

const filterForm = ({ machine, decision }: Query, machines: Machine[]): Html =>
  html`<form method="get" action="${runnersPath}#calls" class="filter wide" aria-label="Filter tool calls">
    ${choice({
      name: 'machine',
      label: 'Machine',
      value: machine ?? '',
      values: [['', 'any'], ...machines.map((one) => [one.key_id, `${one.name} …${one.last4}`] as const)],
    })}
    ${choice({ name: 'decision', label: 'Decision', value: decision ?? '', values: decisionChoices })}
    <div class="last"><button type="submit">Filter calls</button></div>
  </form>`

const decisionChoices = [
  ['', 'any'],
  ['allow', 'allowed'],
  ['deny', 'denied'],
  ['consent', 'consent requested'],
  ['unreported', 'allowed, without a report'],
] as const

const addressOf = (query: Query): string =>
  `${runnersPath}?${new URLSearchParams(Object.entries(query).filter((pair): pair is [string, string] => pair[1] !== undefined))}`
