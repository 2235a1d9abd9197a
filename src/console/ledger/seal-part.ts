import type { SealedTo } from '../../operations/seals/ledger-proofs.ts'
import { readProof, readSealedTo } from '../../operations/seals/ledger-proofs.ts'
import { type Html, type Part, html } from '../../web/html.ts'
import { auditPath } from '../audit/audit-path.ts'
import { oneText } from '../files.ts'
import { type PageContext, definePage, idIn } from '../page.ts'
import { moment } from '../parts.ts'
import { entryNumber } from '../audit/entry-number.ts'

/** How far the ledger is sealed, in a line; and why it is not, where the sealer stopped. */
export async function sealPart({ deps, session }: Pick<PageContext, 'deps' | 'session'>): Promise<Html> {
  const sealed = await readSealedTo(deps.db, session.account)
  return html`${sealFaultsPart(sealed)}
    <p>${sealedWords(sealed)}</p>`
}

const sealedWords = ({ seq, at, witnesses }: SealedTo): Part =>
  seq === 0
    ? 'Not sealed yet. A worker seals new entries every 10 seconds.'
    : html`Sealed up to <a href="${auditPath}/${seq}">entry ${seq}</a>,
        ${moment(at)}${witnesses.length === 0 ? ', without a witness' : html`, witnessed by <bdi>${witnesses.join(', ')}</bdi>`}.`

/** Why the sealer stopped, as a problem of the page; nothing where it did not. */
export const sealFaultsPart = ({ faults }: Pick<SealedTo, 'faults'>): Part =>
  faults.length === 0
    ? ''
    : html`<div class="problem" role="alert">
        <p>
          Sealing of the ledger has stopped. Decisions go on, but new entries cannot be proven. Ask the
          operator to run <code>gate doctor</code>.
        </p>
        <ul>
          ${faults.map(({ account_id: account, problem }) => html`<li>${account === '' ? 'Service' : 'This account'}: ${problem}.</li>`)}
        </ul>
      </div>`

/** The proof of an entry, to be checked by an outside verifier. */
export const proofDownload = definePage({
  path: `${auditPath}/:entry/proof`,
  role: 'admin',
  async show(context) {
    const { deps, session } = context
    const seq = Number(idIn(context, 'entry', entryNumber))
    const proof = await readProof(deps.db, session.account, seq)
    return {
      fileName: `ledger-${session.account}-${seq}.tlog-proof`,
      type: 'text/plain; charset=utf-8',
      lines: oneText(proof),
    }
  },
})
