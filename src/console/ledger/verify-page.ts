import { z } from 'zod'
import { requireHead } from '../../operations/admin/browse-ledger.ts'
import { isShortEnough, ledgerProof, verdictForPage } from '../../operations/admin/ledger-proof.ts'
import type { Verdict } from '../../ledger/verify.ts'
import { limits } from '../../limits.ts'
import { type Html, html } from '../../web/html.ts'
import { definePage } from '../page.ts'
import { facts, formProblem } from '../parts.ts'
import { ledgerPath } from './list-page.ts'

/** Verifies the ledger while somebody waits, where it is not too long for that. */
export const verifyPage = definePage({
  path: `${ledgerPath}/verify`,
  role: 'admin',
  form: z.strictObject({}),
  async show({ deps, session }, _query, rejected) {
    const head = await requireHead(deps.db, session.account)
    const command = html`<code>gate ledger verify --account ${session.account}</code>`
    return {
      title: 'Verify the ledger',
      body: html`${formProblem(rejected)}
        <p>
          Recomputes the hash of each of the ${head.seq} entries, follows the life of every row, and compares
          rows, members, keys, administrators and policies with what the entries say.
        </p>
        ${
          isShortEnough(head)
            ? html`<form method="post"><button type="submit">Verify it now</button></form>`
            : html`<p class="notice">
                A ledger of more than ${limits.verifyOnPageEntriesMax} entries takes too long for a page: use
                ${command}, or download it and let a stranger verify it.
              </p>`
        }
        <p class="hint">
          A verification by this service trusts this service. The <a href="${ledgerPath}/export">proof</a> can
          be verified elsewhere: <code>gate ledger verify --file</code>.
        </p>
        <p><a href="${ledgerPath}">Back to the ledger</a></p>`,
    }
  },
  async send({ deps, session }) {
    const verdict = await verdictForPage(deps, session.account)
    return { title: 'Verify the ledger', body: verdictPart(verdict) }
  },
})

function verdictPart(verdict: Verdict): Html {
  const { seq, hash } = verdict
  return html`${
      verdict.ok
        ? html`<p class="flash" role="status">Every entry and every row is in order.</p>`
        : html`<p class="problem" role="alert">${verdict.place}: ${verdict.problem}.</p>`
    }
    ${facts([
      ['Entries', html`<span class="number">${seq}</span>`],
      ['Up to the hash', html`<code>${hash}</code>`],
    ])}
    <p><a href="${ledgerPath}">Back to the ledger</a></p>`
}

/** The ledger as JSON lines, for a stranger to verify. */
export const ledgerDownload = definePage({
  path: `${ledgerPath}/export`,
  role: 'admin',
  async show({ deps, session }) {
    return {
      fileName: `ledger-${session.account}.jsonl`,
      type: 'application/jsonl; charset=utf-8',
      lines: jsonLines(await ledgerProof(deps, session.account)),
    }
  },
})

async function* jsonLines(values: AsyncIterable<unknown>): AsyncGenerator<string> {
  for await (const value of values) yield `${JSON.stringify(value)}\n`
}
