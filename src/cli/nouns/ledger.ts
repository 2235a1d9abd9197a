import { once } from 'node:events'
import { z } from 'zod'
import { anchorText } from '../../ledger/anchor.ts'
import type { Verdict } from '../../ledger/verify.ts'
import { verifyExport } from '../../ledger/verify-file.ts'
import { ledgerProof, verdictOf } from '../../operations/admin/ledger-proof.ts'
import { account } from '../account-option.ts'
import { defineVerb, optional, repeatable } from '../verb.ts'

export const ledgerVerbs = {
  verify: defineVerb({
    summary:
      'Verify the ledger of an account against its actions, members, keys and policies, or verify an export',
    options: {
      account,
      file: optional(
        'FILE',
        z.string().min(1, 'must name a file'),
        'An export to verify instead of the database',
        'ledger.jsonl',
      ),
      anchor: repeatable('SEQ:HASH', anchorText, 'A head you kept elsewhere', `120:${'ab12'.repeat(16)}`),
    },
    exactlyOne: [['account', 'file']],
    async run(context, { account: of, file, anchor }): Promise<Verdict> {
      if (file !== undefined) return verifyExport(file, anchor)
      return verdictOf({ db: context.db() }, of, anchor)
    },
    text: ({ account: of, seq, hash }: Verdict) =>
      `${of}: ledger verified, ${seq} entries, head hash ${hash}.`,
    refusal: (verdict: Verdict) => (verdict.ok ? null : `${verdict.place}: ${verdict.problem}`),
  }),

  export: defineVerb({
    summary: 'Export a ledger as JSON lines, for independent verification (--json: as one array)',
    options: { account },
    async run(context, given) {
      const lines = await ledgerProof({ db: context.db() }, given.account)
      const write = async (text: string) => {
        if (!context.stdout.write(text)) await once(context.stdout, 'drain')
      }
      let before = context.isJson ? '[' : ''
      for await (const line of lines) {
        await write(before + JSON.stringify(line))
        before = context.isJson ? ',\n' : '\n'
      }
      await write(context.isJson ? ']\n' : '\n')
    },
  }),
}
