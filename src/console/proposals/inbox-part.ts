import { formatAmount } from '../../gate/money.ts'
import type { Inbox, WaitingProposal } from '../../operations/decisions/inbox.ts'
import { escapeInvisible } from '../../text/escape-invisible.ts'
import { type Html, type Part, html } from '../../web/html.ts'
import { newDevicePath } from '../devices/paths.ts'
import { ago, empty, nextPage } from '../parts.ts'
import { closedWords } from './consent-words.ts'
import { waitingItem } from './inbox-item.ts'
import { inboxChangesPath, proposalsPath } from './list-page.ts'
import { agentOf } from './proposal-facts.ts'

interface Shown {
  since: Date | undefined
  /** Somebody selects without a script: the page is not loaded again meanwhile. */
  isSelecting: boolean
}

/** What waits for a member: alike ones together, each with its card, to decide about one or several. */
export function inboxPart({ waiting, skipped, count, ended }: Inbox, { since, isSelecting }: Shown): Html {
  const next = skipped + waiting.length
  return html`<section class="first" id="inbox" aria-labelledby="waiting" data-changes="${inboxChangesPath}">
    <h2 id="waiting">${count === 0 ? 'Your proposals' : `Waiting for your decision: ${count}`}</h2>
    ${since === undefined ? '' : sincePart(waiting, ended, since)}
    ${
      waiting.length === 0
        ? empty(
            'No open proposals. When an agent proposes something for you, it appears here until you decide.',
          )
        : listForm(waiting, isSelecting)
    }
    ${nextPage(next < count && waiting.length > 0 ? `${proposalsPath}?skip=${next}` : undefined)}
    <p class="hint"><a href="${newDevicePath}">Get notified on this device</a></p>
  </section>`
}

/** What changed since the member last looked. */
function sincePart(waiting: WaitingProposal[], ended: Inbox['ended'], since: Date): Part {
  const fresh = waiting.filter(({ isNew }) => isNew).length
  if (fresh === 0 && ended.length === 0) return ''
  return html`<div class="since">
    <p>Since you last looked, ${ago(since)}: ${fresh === 0 ? 'nothing new' : `${fresh} new`}.</p>
    ${
      ended.length === 0
        ? ''
        : html`<ul>
            ${ended.map(
              ({ row, headline, decidedAt }) =>
                html`<li>
                  <a href="${proposalsPath}/${row.id}"><bdi>${escapeInvisible(headline)}</bdi> #${row.id}</a>:
                  ${closedWords(row) ?? row.status}${decidedAt === null ? '' : html`, ${ago(decidedAt)}`}
                </li>`,
            )}
          </ul>`
    }
  </div>`
}

function listForm(waiting: WaitingProposal[], isSelecting: boolean): Html {
  return html`<noscript>
      <p class="hint">
        ${
          isSelecting
            ? html`This page does not load itself again.
                <a href="${proposalsPath}">Back to the list that does</a>`
            : html`To select several,
                <a href="${proposalsPath}?select=on">stop this page from loading itself again</a>.`
        }
      </p>
    </noscript>
    <form method="post" action="${proposalsPath}" class="inbox">
      ${harmlessButton} ${keysPart} ${groupsOf(waiting).map(groupPart)}
      <div class="together" role="group" aria-label="Selected proposals">
        <button type="submit" name="does" value="confirm">Approve selected</button>
        <button type="submit" name="does" value="decline" class="plain">Decline selected</button>
        <span class="count"></span>
      </div>
      <p class="hint">
        Each selected proposal is decided on its own, exactly as its card shows. Approved ones run
        immediately. This cannot be undone.
      </p>
    </form>`
}

/** What Enter in a box presses, as the first button of the form: browsers go past one that is disabled. It decides nothing. */
const harmlessButton = html`<button
  type="submit"
  name="does"
  value="nothing"
  class="hidden"
  tabindex="-1"
  aria-hidden="true"
>
  Nothing
</button>`

/** Shown by the script that takes the keys. */
const keysPart = html`<p class="hint keys" hidden>
  Keys in the list: <kbd>j</kbd> next, <kbd>k</kbd> previous, <kbd>o</kbd> open, <kbd>a</kbd> approve,
  <kbd>d</kbd> decline, <kbd>x</kbd> select, <kbd>u</kbd> undo. The first press of <kbd>a</kbd> or
  <kbd>d</kbd> shows the card, the second one decides. You can undo for 5 seconds; leaving the page sends it
  at once.
</p>`

/** Alike: of the same kind, from the same agent. In the order of what expires first. Pure. */
export function groupsOf<Item extends Pick<WaitingProposal, 'row'>>(waiting: Item[]): Item[][] {
  const groups = new Map<string, Item[]>()
  for (const one of waiting) {
    const { kind, kind_version: version, requested_by: key, requested_host: host } = one.row
    const name = JSON.stringify([kind, version, key, host])
    groups.set(name, [...(groups.get(name) ?? []), one])
  }
  return [...groups.values()]
}

function groupPart(group: WaitingProposal[]): Html {
  const list = html`<ul class="waiting">
    ${group.map(waitingItem)}
  </ul>`
  if (group.length < 2) return list
  const [{ title, row }] = group as [WaitingProposal]
  const agent = agentOf(row)
  return html`<section class="alike" aria-label="${title}, ${group.length} alike">
    <h3>
      <span class="kind">${title}</span>${agent === undefined ? '' : html` by ${agent}`}:
      ${group.length}${sumPart(group)}
    </h3>
    ${list}
  </section>`
}

/** What all of a group costs, by currency. */
function sumPart(group: WaitingProposal[]): string {
  const sums = new Map<string, number>()
  for (const { weight } of group)
    if (weight) sums.set(weight.currency, (sums.get(weight.currency) ?? 0) + weight.amountCents)
  if (sums.size === 0) return ''
  return `, ${[...sums].map(([currency, cents]) => formatAmount(cents, currency)).join(' and ')} in all`
}
