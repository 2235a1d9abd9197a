import { callChangeWords } from '../../gate/result-words.ts'
import { escapeInvisible } from '../../text/escape-invisible.ts'
import { type Names, idOf } from '../../operations/names-of-ids.ts'
import type { ActionTimeline, TimelineEntry } from '../../operations/audit/action-timeline.ts'
import { type Html, type Part, html } from '../../web/html.ts'
import { prose } from '../../web/prose.ts'
import { checkPath } from './check-page.ts'
import { ledgerPath } from './ledger-path.ts'
import { auditPath } from '../audit/audit-path.ts'
import { exactTime, table } from '../parts.ts'
import { entryTone, entryWords } from './entry-words.ts'

/** The timeline of an action: its ledger entries and the changes of its calls, in order. */
export function timelinePart({ row, entries, callChanges, isCut, names }: ActionTimeline): Html {
  const parts = [
    ...entries.map((entry) => ({ at: entry.at, part: entryPart(entry, names, row.kind) })),
    ...callChanges.map((change) => ({ at: change.at, part: changePart(change) })),
  ].toSorted((a, b) => a.at.getTime() - b.at.getTime())
  return html`<section aria-labelledby="timeline">
    <h2 id="timeline">Timeline</h2>
    <ol class="timeline">
      ${parts.map(({ part }) => part)}
    </ol>
    ${isCut ? html`<p class="notice">Not all entries are shown. The export contains all of them.</p>` : ''}
  </section>`
}

const entryPart = (entry: TimelineEntry, names: Names, actionKind: string): Html =>
  html`<li class="${entryTone(entry) ?? ''}">
    <p>
      <strong>${prose(escapeInvisible(entryWords(entry, { names, actionKind })))}</strong><br />
      ${exactTime(entry.at)} · ${actorPart(entry, names)} ·
      <a href="${auditPath}/${entry.seq}">entry ${entry.seq}</a>
    </p>
  </li>`

const changePart = (change: ActionTimeline['callChanges'][number]): Html =>
  html`<li class="${change.code === null ? '' : 'bad'}">
    <p>
      <strong>${escapeInvisible(callChangeWords(change))}</strong><br />
      ${exactTime(change.at)} · executor
    </p>
  </li>`

/** Who caused an entry, and with which key. */
export function actorPart({ content }: Pick<TimelineEntry, 'content'>, names: Names): Html {
  const key = typeof content.key === 'string' ? html` · key ${personPart(content.key, names)}` : ''
  return html`${actorName(content.actor, names)}${key}`
}

function actorName(actor: unknown, names: Names): Part {
  if (typeof actor !== 'string') return 'no actor'
  if (actor === 'system') return 'system'
  if (actor === 'company') return 'the company'
  if (actor === 'admin') return 'administrator (command line)'
  if (actor === 'executor') return 'executor'
  if (actor === 'unknown') return 'not a member'
  const key = idOf(actor)
  if (key.startsWith('key_')) return html`API key ${personPart(key, names)}`
  return actor.startsWith('admin:')
    ? html`administrator ${personPart(idOf(actor), names)}`
    : personPart(actor, names)
}

/** A person or key by its current name; a member links to their page. */
export function personPart(id: string, names: Names, label?: string): Part {
  const name = names.get(id)
  const shown = html`<bdi>${name ?? label ?? id}</bdi>`
  const isMember = id.startsWith('mem_')
  const beside = name !== undefined && label !== undefined && label !== name ? html` <bdi>${label}</bdi>` : ''
  return html`${isMember ? html`<a href="/console/members/${id}">${shown}</a>` : shown}${beside}`
}

/** The hashes of the entries, and the head of the chain that they stand in. */
export const proofPart = ({ entries, head }: ActionTimeline): Html =>
  html`${table(
      'Ledger entries of this action',
      ['Entry', 'Hash', 'Proof'],
      entries.map(({ seq, hash }) => [
        html`<a href="${auditPath}/${seq}">${seq}</a>`,
        html`<code>${hash}</code>`,
        html`<a href="${auditPath}/${seq}/proof"
          >Download<span class="hidden"> proof of entry ${seq}</span></a
        >`,
      ]),
    )}
    <p class="hint">
      The chain currently has <a href="${auditPath}/${head.seq}">${head.seq} entries</a> and ends with
      <code>${head.hash}</code>. Each hash is the SHA-256 of the previous hash, the account, the sequence
      number, the time and the text. <a href="${checkPath}">Check a proof</a> in the browser, with the
      <a href="${ledgerPath}/policy">trust policy</a>.
    </p>`
