import { accessSync, constants, statSync } from 'node:fs'
import { z } from 'zod'
import { kindsOf } from '../../actions/account-kinds.ts'
import { type Trace, traceOf } from '../../operations/audit/trace.ts'
import { account } from '../account-option.ts'
import { storyText } from '../action-text.ts'
import { reasonOf } from '../read-file-option.ts'
import { formatForPeople } from '../print.ts'
import { UsageError, type GivenAccount, defineVerb, repeatable, required } from '../verb.ts'

const of = z
  .string()
  .regex(
    /^([1-9]\d{0,14}|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12})$/i,
    'must be the number of an action, or the id of a request',
  )
  .transform((id) => (id.includes('-') ? { request: id.toLowerCase() } : { action: Number(id) }))

export const trace = defineVerb({
  summary:
    'Show the story of a request or an action: what the ledger records, and what the logs of the processes say',
  options: {
    account,
    id: required('ID', of, 'Number of the action, or request_id of an answer or of a line of the log', '42'),
    log: repeatable(
      'FILE',
      z.string().min(1, 'must name a file'),
      'Log of a process, as JSON lines',
      'api.log',
    ),
  },
  word: 'id',
  shown: ['log'],
  async run(context, given): Promise<Trace> {
    for (const file of given.log) requireFile(file)
    const deps = { db: context.db(), kinds: kindsOf(context.db()), config: context.config() }
    return traceOf(deps, given.account, given.id, given.log)
  },
  text: ({ requests, ...story }: Trace, given: GivenAccount) => {
    const {
      id,
      kind,
      status,
      result = null,
      workflow = null,
      lines,
      next = [],
      is_cut: isCut = false,
    } = story
    const about =
      id === undefined || kind === undefined || status === undefined
        ? formatForPeople(lines.map((line) => ({ ...line })))
        : storyText({ id, kind, status, result, workflow, lines, next, is_cut: isCut }, given)
    return requests.length === 0 ? about : `${about}\n\nRequests: ${requests.join(', ')}`
  },
})

/** @throws UsageError where a log cannot be read */
function requireFile(file: string): void {
  try {
    accessSync(file, constants.R_OK)
    if (statSync(file).isDirectory()) throw Object.assign(new Error(), { code: 'EISDIR' })
  } catch (error) {
    throw new UsageError(`--log ${file} cannot be read: ${reasonOf(error)}`)
  }
}
