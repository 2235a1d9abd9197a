import { z } from 'zod'
import { actionKinds } from '../actions/registry.ts'
import { listAccounts } from '../db/queries/accounts/accounts.ts'
import { openSummary } from '../db/queries/actions/open-actions.ts'
import { listPreviewHosts } from '../db/queries/previews/preview-hosts.ts'
import { databaseObstacle } from '../db/readiness.ts'
import { posture } from '../gate/posture.ts'
import { type AnchorReport, keepAnchors } from '../ledger/anchors-file.ts'
import { policyInForce } from '../operations/admin/policy.ts'
import { limits } from '../limits.ts'
import { type Check, checksOf } from './doctor-checks.ts'
import { forPeople } from './print.ts'
import { defineVerb, optional } from './verb.ts'

const kinds = new Map(actionKinds.map((kind) => [kind.kind, kind]))

interface Findings {
  /** `attention` where one of the checks says so; then the exit code is 1. */
  verdict: 'ok' | 'attention'
  checks: Check[]
  database: 'up'
  temporal: 'up' | 'down'
  temporal_address: string
  oldest_outbox_due_at: Date | null
  claims_without_end: number
  oldest_claim_at: Date | null
  open_proposals: number
  /** With `--anchors` alone. */
  anchors?: AnchorReport
  accounts: {
    account_id: string
    name: string
    suspended: boolean
    seq: number
    hash: string
    /** What the agent's word alone may do now. */
    agents_word: string
  }[]
}

export const doctor = defineVerb({
  summary:
    'Check the service, show open and overdue work and ledger head hashes, and compare those with a file of anchors',
  options: { anchors: optional('FILE', z.string().min(1, 'must name a file')) },
  async run(context, { anchors: file }): Promise<Findings> {
    const workflows = await context.workflows()
    const db = context.db()
    const [open, accounts, isTemporalUp, obstacle, previewHosts] = await Promise.all([
      openSummary(db),
      listAccounts(db),
      workflows.isUp(),
      databaseObstacle(db),
      listPreviewHosts(db, limits.previewHostDeadMs),
    ])
    const heads = accounts.map(({ account_id, seq, hash }) => ({
      account: account_id,
      seq,
      hash: hash.toString('hex'),
    }))
    const anchors = file === undefined ? undefined : await keepAnchors(db, file, heads)
    const words: string[] = []
    for (const { account_id: account } of accounts)
      words.push(posture(await policyInForce({ db, kinds }, account)))
    const checks = checksOf({
      config: context.config(),
      databaseObstacle: obstacle,
      temporal: { isUp: isTemporalUp, address: context.temporalAddress() },
      open,
      previewHosts,
      anchors,
      now: new Date(),
    })
    return {
      verdict: checks.some(({ verdict }) => verdict === 'attention') ? 'attention' : 'ok',
      checks,
      database: 'up',
      temporal: isTemporalUp ? 'up' : 'down',
      temporal_address: context.temporalAddress(),
      oldest_outbox_due_at: open.oldest_due,
      claims_without_end: open.claims_without_end,
      oldest_claim_at: open.oldest_claim,
      open_proposals: open.open_proposals,
      ...(anchors ? { anchors } : {}),
      accounts: accounts.map(({ account_id, name, suspended_at, seq, hash }, n) => ({
        account_id,
        name,
        suspended: suspended_at !== null,
        seq,
        hash: hash.toString('hex'),
        agents_word: words[n]!,
      })),
    }
  },
  isReport: true,
  text: ({ checks, accounts, ...rest }: Findings) => {
    const fields = Object.entries(rest).filter(([name]) => name !== 'anchors')
    return [checks, Object.fromEntries(fields), accounts].map(forPeople).join('\n\n')
  },
  refusal: ({ checks, anchors }: Findings) => {
    const open = checks.filter(({ verdict }) => verdict === 'attention')
    const lines = open.flatMap(({ item, detail }) =>
      item === 'anchors' ? faultsOf(anchors!) : [`${item}: ${detail}`],
    )
    return lines.length === 0 ? null : lines.join('\n')
  },
})

const faultsOf = ({ file, faults }: AnchorReport): string[] =>
  faults.map(({ place, problem }) => `${place}: ${problem}, as ${file} has it.`)
