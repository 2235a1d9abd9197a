/** Times of requests and calls, in seconds. */
const callSeconds = [0.005, 0.02, 0.1, 0.5, 2.5, 10, 60]
/** Times that people take, in seconds: from a second to three days. */
const personSeconds = [1, 10, 60, 300, 1_800, 7_200, 28_800, 86_400, 259_200]

export interface MetricOfTable {
  type: 'counter' | 'gauge' | 'histogram'
  help: string
  /** Each with its meaning. Their values come from closed lists of the program: none is data of an account. */
  labels?: Readonly<Record<string, string>>
  buckets?: readonly number[]
  /** Read from the database by a scrape: every process tells the same, so take the maximum, not the sum. */
  isOfDatabase?: true
}

const kind = 'kind of the gate, or `declared`'
const outcome = '`ok`, `not_done` or `unknown`'

/**
 * Every metric of the gate. docs/telemetry.md, the register, and the tests of board and alerts go by this table.
 */
export const metricTable = {
  gate_build_info: {
    type: 'gauge',
    help: 'Always 1.',
    labels: { version: 'of the program', process: '`api`, `worker`, `sealer`, or `all` of `npm start`' },
  },
  gate_requests_total: {
    type: 'counter',
    help: 'Requests that were answered.',
    labels: {
      operation:
        'name of the operation; `account_tool` of a declared kind or an MCP server; without one `console`, `mcp`, `probe` or `other`',
      code: '`ok`, or the code of the error',
    },
  },
  gate_request_seconds: {
    type: 'histogram',
    help: 'Time to answer, with the waits of confirm and of reads that wait.',
    labels: { operation: 'as above' },
    buckets: callSeconds,
  },
  gate_proposals_total: {
    type: 'counter',
    help: 'Proposals that were stored.',
    labels: { kind, outcome: '`proposed`, `denied`, or `executed` where nothing was to be confirmed' },
  },
  gate_decisions_total: {
    type: 'counter',
    help: 'Decisions that won.',
    labels: { decision: '`confirm`, `cancel`, `expire`, `admin_cancel` or `deny`' },
  },
  gate_consent_seconds: {
    type: 'histogram',
    help: 'From the proposal to its confirmation.',
    labels: { strength: 'of the consent' },
    buckets: personSeconds,
  },
  gate_consent_requests_total: {
    type: 'counter',
    help: 'Consent requests that were recorded, and how their sending ended.',
    labels: { via: 'how the member is asked', state: 'state of the request' },
  },
  gate_executions_total: {
    type: 'counter',
    help: 'Confirmed actions that ended.',
    labels: { kind, outcome: 'outcome of the result' },
  },
  gate_provider_calls_total: {
    type: 'counter',
    help: 'Calls that left the gate. For messages: recipients.',
    labels: {
      provider: '`slack`, `email`, `teams`, `stripe`, `mcp`, `executor`, or `endpoint` of events',
      outcome,
    },
  },
  gate_provider_call_seconds: {
    type: 'histogram',
    help: 'Time of these calls.',
    labels: { provider: 'as above' },
    buckets: callSeconds,
  },
  gate_database_statements: {
    type: 'gauge',
    help: 'Statements under way. Those above `gate_database_connections_max` wait for a connection.',
  },
  gate_database_connections_max: { type: 'gauge', help: 'Size of the pool of this process.' },
  gate_database_statement_seconds: {
    type: 'histogram',
    help: 'Time of a statement, with its wait for a connection.',
    labels: { outcome: '`ok` or `failed`' },
    buckets: callSeconds,
  },
  gate_open_proposals: {
    type: 'gauge',
    help: 'Proposals without a decision.',
    isOfDatabase: true,
  },
  gate_executing_actions: {
    type: 'gauge',
    help: 'Confirmed actions that have not ended.',
    isOfDatabase: true,
  },
  gate_outbox_age_seconds: {
    type: 'gauge',
    help: 'How long the oldest work that is due has waited for its workflow.',
    isOfDatabase: true,
  },
  gate_oldest_execution_seconds: {
    type: 'gauge',
    help: 'How long the oldest action has been executing, those that wait for their next attempt left out.',
    isOfDatabase: true,
  },
  gate_seal_epoch: { type: 'gauge', help: 'The last published epoch of seals.', isOfDatabase: true },
  gate_seal_wait_seconds: {
    type: 'gauge',
    help: 'How long the oldest entry has waited for its seal.',
    isOfDatabase: true,
  },
  gate_seal_passes_total: {
    type: 'counter',
    help: 'Passes of the sealer of this process.',
    labels: { state: '`sealed`, `off`, `attention`, `elsewhere` or `failed`' },
  },
  gate_database_read_ok: {
    type: 'gauge',
    help: '0: this scrape could not read the database in time, and the metrics of the database are absent.',
  },
} as const satisfies Record<string, MetricOfTable>

export type MetricName = keyof typeof metricTable
