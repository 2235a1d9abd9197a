import { z } from 'zod'
import { requireHead } from '../../operations/require-account.ts'
import { sealedProof } from '../../operations/seals/sealed-export.ts'
import { trustPolicy } from '../../operations/seals/trust-policy.ts'
import { isShortEnough, verdictForPage } from '../../operations/audit/ledger-proof.ts'
import type { Verdict } from '../../ledger/verify.ts'
import { limits } from '../../limits.ts'
import { type Html, type Part, html } from '../../web/html.ts'
import { auditPath } from '../audit/audit-path.ts'
import { begun, oneText } from '../files.ts'
import { definePage } from '../page.ts'
import { facts, formProblem } from '../parts.ts'
import { checkPath } from './check-page.ts'
import { ledgerPath } from './ledger-path.ts'

/** Verifies the ledger on request, where it is short enough for a page. */
export const verifyPage = definePage({
  path: `${ledgerPath}/verify`,
  role: 'admin',
  form: z.strictObject({}),
  async show({ deps, session }, _query, rejected) {
    const head = await requireHead(deps.db, session.account)
    const command = html`<code>gate ledger verify --account ${session.account}</code>`
    return {
      title: 'Ledger verification',
      body: html`${formProblem(rejected)}
        <p>
          Recomputes the hash of each of the ${head.seq} entries, checks the lifecycle of every action, and
          compares actions, members, keys, administrators and policies with the entries.
        </p>
        ${
          isShortEnough(head)
            ? html`<form method="post"><button type="submit">Verify ledger</button></form>`
            : html`<p class="notice">
                A ledger with more than ${limits.verifyOnPageEntriesMax} entries takes too long for a page.
                Run ${command}, or download the sealed export and check it elsewhere.
              </p>`
        }
        <p class="hint">
          This verification relies on this service. To verify independently, download the
          <a href="${ledgerPath}/export">sealed export</a> and <a href="${checkPath}">check it</a>, or run
          <code>gate verify</code> elsewhere.
        </p>
        <p><a href="${ledgerPath}">Back to ledger</a></p>`,
    }
  },
  async send({ deps, session }) {
    const verdict = await verdictForPage(deps, session.account)
    return { title: 'Ledger verification', body: verdictPart(verdict) }
  },
})

function verdictPart(verdict: Verdict): Html {
  const { seq, hash } = verdict
  return html`${
      verdict.ok
        ? html`<p class="flash" role="status">
            The ledger is valid: every entry and every action was verified.
          </p>`
        : html`<p class="problem" role="alert">${verdict.place}: ${verdict.problem}.</p>
            ${placeLink(verdict.place)}`
    }
    ${facts([
      ['Entries', html`<a class="number" href="${auditPath}/${seq}">${seq}</a>`],
      ['Last hash', html`<code>${hash}</code>`],
    ])}
    <p><a href="${ledgerPath}">Back to ledger</a></p>`
}

/** A link to the entry or action where the fault is. */
function placeLink(place: string): Part {
  const [, what, number] = /^(seq|action) (\d+)$/.exec(place) ?? []
  if (number === undefined) return ''
  const path = what === 'seq' ? auditPath : ledgerPath
  return html`<p><a href="${path}/${number}">Show ${place}</a></p>`
}

/** The ledger up to its last seal as JSON Lines, to check it elsewhere. */
export const ledgerDownload = definePage({
  path: `${ledgerPath}/export`,
  role: 'admin',
  async show({ deps, session }) {
    return {
      fileName: `ledger-${session.account}.jsonl`,
      type: 'application/jsonl; charset=utf-8',
      lines: await begun(sealedProof(deps, session.account)),
    }
  },
})

/** The trust policy that the files of this page are checked with. */
export const policyDownload = definePage({
  path: `${ledgerPath}/policy`,
  role: 'admin',
  async show({ deps }) {
    return {
      fileName: 'gate-trust-policy.txt',
      type: 'text/plain; charset=utf-8',
      lines: oneText(await trustPolicy(deps)),
    }
  },
})
