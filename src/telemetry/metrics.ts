import { actionKinds } from '../actions/registry.ts'
import type { Db } from '../db/connect.ts'
import { limits } from '../limits.ts'
import { productVersion } from '../process/version.ts'
import type { StepObserver } from '../temporal/action-log.ts'
import type { ObserveCall } from '../waiting/observe-call.ts'
import { freeAddress, temporalMetrics } from './temporal-metrics.ts'
import { observedDb } from './observed-db.ts'
import { type Register, makeRegister } from './register.ts'

/** What runs in a process. `all`: `npm start`. */
export type ProcessName = 'api' | 'worker' | 'sealer' | 'all'

/** How a request was answered. */
export interface AnsweredRequest {
  /** The name of the operation, as the program spells it. */
  operation: string | undefined
  route: string | undefined
  code: string | undefined
  status: number
  seconds: number
}

/** Counts what a process does. Every label value is of a closed list. */
export interface Metrics {
  register: Register
  request(answered: AnsweredRequest): void
  step: StepObserver
  call: ObserveCall
  sealPass(state: string): void
  /** Finds an address for Temporal's own metrics, which scrapes then have too. */
  addressForTemporal(): Promise<string>
  /** As a scrape shows them. */
  text(): Promise<string>
  db(db: Db): Db
}

export function makeMetrics(process: ProcessName): Metrics {
  const register = makeRegister()
  register.set('gate_build_info', 1, { version: productVersion, process })
  register.set('gate_database_connections_max', limits.databaseConnectionsMax)
  let temporal: string | undefined
  const kinds = new Set(actionKinds.map(({ kind }) => kind))
  const kindOf = (kind: string) => (kinds.has(kind) ? kind : 'declared')
  return {
    register,
    request({ operation: named, route, code, status, seconds }) {
      const operation = named ?? areaOf(route)
      const answered = code ?? (status < 400 ? 'ok' : `http_${status}`)
      register.add('gate_requests_total', { operation, code: answered })
      register.observe('gate_request_seconds', { operation }, seconds)
    },
    step: stepObserver(register, kindOf),
    async call(provider, call, outcomes) {
      const beganAt = performance.now()
      const tell = (states: readonly string[]) => {
        register.observe('gate_provider_call_seconds', { provider }, (performance.now() - beganAt) / 1_000)
        for (const outcome of states) register.add('gate_provider_calls_total', { provider, outcome })
      }
      try {
        const result = await call()
        tell(outcomes(result))
        return result
      } catch (error) {
        tell(['unknown'])
        throw error
      }
    },
    async addressForTemporal() {
      temporal = await freeAddress()
      return temporal
    },
    text: async () => `${await register.text()}${await temporalMetrics(temporal)}`,
    sealPass: (state) => register.add('gate_seal_passes_total', { state }),
    db: (db) => observedDb(db, register),
  }
}

/** Counts the steps of actions, which are those of the log. */
const stepObserver =
  (register: Register, kindOf: (kind: string) => string): StepObserver =>
  (row, step, fields) => {
    const text = (name: string) => String(fields[name] ?? 'none')
    const kind = kindOf(row.kind)
    if (step === 'proposed') register.add('gate_proposals_total', { kind, outcome: text('status') })
    if (step === 'outcome') register.add('gate_executions_total', { kind, outcome: text('outcome') })
    if (step === 'asked')
      register.add('gate_consent_requests_total', { via: text('via'), state: text('state') })
    if (step !== 'decided') return
    register.add('gate_decisions_total', { decision: text('decision') })
    const { created_at: created, decided_at: decided } = row
    if (fields['decision'] !== 'confirm' || !created || !decided) return
    const seconds = Math.max(0, (decided.getTime() - created.getTime()) / 1_000)
    register.observe('gate_consent_seconds', { strength: text('strength') }, seconds)
  }

/** The part of the service that a route without an operation is in. */
function areaOf(route = ''): string {
  if (/^\/console(\/|$)/.test(route)) return 'console'
  if (/^(\/api)?\/mcp$/.test(route)) return 'mcp'
  return route === '/healthz' || route === '/readyz' ? 'probe' : 'other'
}
