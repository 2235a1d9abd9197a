import { z } from 'zod'
import type { AnchorReport } from '../../../ledger/anchors-file.ts'
import { type Findings, diagnose } from '../../../operations/maintenance/diagnose.ts'
import { formatForPeople } from '../../print.ts'
import { defineVerb, optional } from '../../verb.ts'

export const doctor = defineVerb({
  summary:
    'Check the service, show open and overdue work and ledger head hashes, and compare those with a file of anchors',
  options: {
    anchors: optional(
      'FILE',
      z.string().min(1, 'must name a file'),
      'File of ledger heads to compare and extend',
      'anchors.txt',
    ),
  },
  async run(context, { anchors: anchorsFile }): Promise<Findings> {
    const { temporalState } = await import('../../../temporal/temporal-state.ts')
    const address = context.temporalAddress()
    const temporal = {
      state: await temporalState({ ...context.config(), TEMPORAL_ADDRESS: address }),
      address,
    }
    const credentials = { keys: context.ownSecretsKeys(), sandboxUrl: context.sandboxUrl() }
    const isRunningSandbox = context.isRunningSandbox()
    return diagnose(context.db(), {
      config: context.config(),
      temporal,
      anchorsFile,
      credentials,
      isRunningSandbox,
    })
  },
  isReport: true,
  text: ({ checks, accounts, ...rest }: Findings) => {
    const fields = Object.entries(rest).filter(([name]) => name !== 'anchors')
    return [checks, Object.fromEntries(fields), accounts].map((part) => formatForPeople(part)).join('\n\n')
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
