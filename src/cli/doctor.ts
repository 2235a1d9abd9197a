import { z } from 'zod'
import { actionKinds } from '../actions/registry.ts'
import { listAccounts } from '../db/queries/accounts/accounts.ts'
import { openSummary } from '../db/queries/actions/open-actions.ts'
import { posture } from '../gate/posture.ts'
import { type AnchorReport, keepAnchors } from '../ledger/anchors-file.ts'
import { policyInForce } from '../operations/admin/policy.ts'
import { forPeople } from './print.ts'
import { defineVerb, optional } from './verb.ts'

const kinds = new Map(actionKinds.map((kind) => [kind.kind, kind]))

interface Findings {
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
    'Show open and overdue work and the head hash of each ledger, and compare them with a file of anchors',
  options: { anchors: optional('FILE', z.string().min(1, 'must name a file')) },
  async run(context, { anchors: file }): Promise<Findings> {
    const workflows = await context.workflows()
    const [open, accounts, isTemporalUp] = await Promise.all([
      openSummary(context.db()),
      listAccounts(context.db()),
      workflows.isUp(),
    ])
    const heads = accounts.map(({ account_id, seq, hash }) => ({
      account: account_id,
      seq,
      hash: hash.toString('hex'),
    }))
    const anchors = file === undefined ? undefined : await keepAnchors(context.db(), file, heads)
    const words: string[] = []
    for (const { account_id: account } of accounts)
      words.push(posture(await policyInForce({ db: context.db(), kinds }, account)))
    return {
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
  text: ({ accounts, anchors, ...rest }: Findings) =>
    `${forPeople({ ...rest, ...(anchors ? { anchors: anchorsText(anchors) } : {}) })}\n\n${forPeople(accounts)}`,
  refusal: ({ anchors }: Findings) =>
    anchors && anchors.faults.length > 0
      ? anchors.faults
          .map(({ place, problem }) => `${place}: ${problem}, as ${anchors.file} has it.`)
          .join('\n')
      : null,
})

const anchorsText = ({ file, compared, added }: AnchorReport) => `${compared} in ${file} fit, ${added} added`
