import { readProposal } from '../../operations/decisions/decide-in-console.ts'
import { GateError } from '../../errors.ts'
import { type Part, html } from '../../web/html.ts'
import { definePage } from '../page.ts'
import { rowIn } from '../row-id.ts'
import { proposalsPath } from './list-page.ts'

/** The receipt of a consent, folded: it is for programs. */
export const receiptPart = (id: number, receipt: string | undefined): Part =>
  receipt === undefined
    ? ''
    : html`<details>
        <summary>Receipt</summary>
        <p>
          For 30 days, this receipt proves the consent to other services. They verify it with the gate’s
          <a href="/.well-known/gate-receipts.json">public keys</a>.
        </p>
        <pre class="message"><code>${receipt}</code></pre>
        <p><a class="button" href="${proposalsPath}/${id}/receipt" download>Download receipt</a></p>
      </details>`

/** The same as a file, for `gate receipt verify --file`. */
export const receiptDownload = definePage({
  path: `${proposalsPath}/:id/receipt`,
  async show(context) {
    const id = rowIn(context)
    const { receipt } = await readProposal(context.deps, context.session, id)
    if (receipt === undefined) throw new GateError('not_found', `Action ${id} has no receipt.`)
    return { fileName: `receipt-${id}.jwt`, type: 'application/jwt', lines: oneLine(receipt) }
  },
})

async function* oneLine(text: string): AsyncGenerator<string> {
  yield `${text}\n`
}
