import { type ShownProposal, readProposal } from '../../operations/decisions/decide-in-console.ts'
import { GateError } from '../../errors.ts'
import { type Part, html } from '../../web/html.ts'
import { definePage } from '../page.ts'
import { rowIn } from '../row-id.ts'
import { proposalsPath } from './list-page.ts'

/** The receipt of a consent, folded: it is for programs. */
export function receiptPart(id: number, { receipt, isAltered }: ReceiptShown): Part {
  if (isAltered) return html`<p class="problem" role="alert">${alteredWords}</p>`
  return receipt === undefined
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
}

type ReceiptShown = Pick<ShownProposal, 'receipt' | 'isAltered'>

const alteredWords =
  'No receipt: the stored payload is not the one that was consented to. It was changed in the database. Verify the ledger, and tell the operator of the service.'

/** The same as a file, for `gate receipt verify --file`. */
export const receiptDownload = definePage({
  path: `${proposalsPath}/:id/receipt`,
  async show(context) {
    const id = rowIn(context)
    const { receipt, isAltered } = await readProposal(context.deps, context.session, id)
    if (isAltered) throw new GateError('conflict', alteredWords)
    if (receipt === undefined) throw new GateError('not_found', `Action ${id} has no receipt.`)
    return { fileName: `receipt-${id}.jwt`, type: 'application/jwt', lines: oneLine(receipt) }
  },
})

async function* oneLine(text: string): AsyncGenerator<string> {
  yield `${text}\n`
}
