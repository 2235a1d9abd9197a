import { type AuditEntry, kindsOfEntries, readEntry } from '../../operations/audit/audit-log.ts'
import { escapeInvisibleLines } from '../../text/escape-invisible.ts'
import { type Html, type Part, html } from '../../web/html.ts'
import { prose } from '../../web/prose.ts'
import { actorPart } from '../ledger/entries.ts'
import { entryTone } from '../ledger/entry-words.ts'
import { definePage, idIn } from '../page.ts'
import { facts, moment } from '../parts.ts'
import { auditPath } from './audit-path.ts'
import { entryNumber } from './entry-number.ts'
import { wordsOf } from './audit-page.ts'
import { targetPart } from './entry-target.ts'

/** One ledger entry: what it says, and what proves it. */
export const auditEntryPage = definePage({
  path: `${auditPath}/:entry`,
  role: 'admin',
  async show(context) {
    const { deps, session } = context
    const seq = Number(idIn(context, 'entry', entryNumber))
    const { entry, names, lastSeq } = await readEntry(deps.db, session.account, seq)
    const kindOf = await kindsOfEntries(deps, session.account, [entry])
    return {
      title: `Ledger entry ${seq}`,
      body: html`<p class="line tone ${entryTone(entry) ?? ''}"><bdi>${prose(wordsOf(entry, names))}</bdi></p>
        ${facts([
          ['Time', moment(entry.at)],
          ['Kind', html`<code>${entry.kind}</code>`],
          ['By', actorPart(entry, names)],
          ['About', targetPart(entry, { names, kindOf })],
        ])}
        <section aria-labelledby="content">
          <h2 id="content">Content</h2>
          <pre class="message code">${escapeInvisibleLines(indented(entry.entry))}</pre>
        </section>
        ${proofSection(entry, session.account)} ${neighbours(seq, lastSeq)}`,
    }
  },
})

/** The JSON with a line for each field; the text as it is where it is not JSON. */
function indented(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}

const proofSection = ({ seq, at, prev, hash, entry }: AuditEntry, account: string): Html =>
  html`<section aria-labelledby="proof">
    <h2 id="proof">Proof</h2>
    ${facts([
      ['Hash', html`<code>${hash}</code>`],
      [
        'Previous hash',
        seq === 1
          ? html`<code>${prev}</code>`
          : html`<a href="${auditPath}/${seq - 1}"><code>${prev}</code></a>`,
      ],
      ['Hashed text', html`<code>${account} ${seq} ${at.toISOString()}</code><br /><code>${entry}</code>`],
    ])}
    <p class="hint">
      The hash is the SHA-256 of the previous hash (32 bytes) and the hashed text (two lines).
      <a href="/console/ledger/verify">Verify the ledger</a>
    </p>
    <p class="actions"><a class="button" href="${auditPath}/${seq}/proof">Download proof of this entry</a></p>
  </section>`

const neighbours = (seq: number, lastSeq: number): Html => {
  const links: Part[] = [
    ...(seq > 1 ? [html`<a href="${auditPath}/${seq - 1}" rel="prev">Entry ${seq - 1}</a>`] : []),
    html`<a href="${auditPath}">Audit log</a>`,
    ...(seq < lastSeq ? [html`<a href="${auditPath}/${seq + 1}" rel="next">Entry ${seq + 1}</a>`] : []),
  ]
  return html`<p class="pager">${links.map((link, at) => html`${at === 0 ? '' : ' · '}${link}`)}</p>`
}
