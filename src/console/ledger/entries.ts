import { escapeInvisible } from '../../text/escape-invisible.ts'
import { type Names, idOf } from '../../operations/admin/names.ts'
import type { ActionTimeline, TimelineEntry } from '../../operations/admin/action-timeline.ts'
import { type Html, type Part, html } from '../../web/html.ts'
import { exactTime, facts } from '../parts.ts'
import { entryWords } from './entry-words.ts'

/** The timeline of an action: its ledger entries in order, and the head of the chain. */
export function entriesPart({ entries, isCut, names, head }: ActionTimeline): Html {
  return html`<h2>Timeline</h2>
    <ol class="timeline">
      ${entries.map((entry) => entryPart(entry, names))}
    </ol>
    ${isCut ? html`<p class="notice">Not all entries are shown. The export contains all of them.</p>` : ''}
    <p class="hint">
      The chain currently has ${head.seq} entries and ends with <code>${head.hash}</code>. Each hash is the
      SHA-256 of the previous hash, the account, the sequence number, the time and the text.
    </p>`
}

function entryPart(entry: TimelineEntry, names: Names): Html {
  const { seq, at, content } = entry
  const data = Object.entries(content.data ?? {})
  return html`<li>
    <p>
      <strong>${entryWords(entry)}</strong><br />
      ${exactTime(at)} ·
      ${actorPart(content.actor, names)}${
        typeof content.key === 'string' ? html` · key ${personPart(content.key, names)}` : ''
      }
    </p>
    <details>
      <summary>Entry ${seq}<span class="hidden"> details</span></summary>
      ${facts([
        ...data.map(([name, value]): [string, Part] => [
          name,
          typeof value === 'string'
            ? html`<bdi>${escapeInvisible(value)}</bdi>`
            : html`<code>${JSON.stringify(value)}</code>`,
        ]),
        ...(typeof content.payload_digest === 'string'
          ? ([['Salted payload digest', html`<code>${content.payload_digest}</code>`]] as [string, Part][])
          : []),
        ['Hash', html`<code>${entry.hash}</code>`],
        ['Previous hash', html`<code>${entry.prev}</code>`],
        ['Hashed text', html`<code>${entry.entry}</code>`],
      ])}
    </details>
  </li>`
}

function actorPart(actor: unknown, names: Names): Part {
  if (typeof actor !== 'string') return 'no actor'
  if (actor === 'system') return 'system'
  if (actor === 'admin') return 'administrator (command line)'
  if (actor === 'unknown') return 'not a member'
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
