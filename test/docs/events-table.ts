import { eventTypes, withoutEvent } from '../../src/gate/event-types.ts'

const marked = /(<!-- events: [^]*?-->\n)[^]*?(<!-- end of events -->)/

/** A page with its table of types as the gate has them. */
export function withEvents(page: string): string {
  if (!marked.test(page)) throw new Error('The page has no marks between which the table of events belongs.')
  const rows = Object.entries(eventTypes).map(([type, { entry, says }]) => {
    return `| \`${type}\` | ${says} | ${entry === null ? '' : `\`${entry}\``} |`
  })
  const table = ['| Type | Says | Entry |', '|---|---|---|', ...rows].join('\n')
  const silent = [...new Set(Object.values(withoutEvent))].map((why) => {
    const kinds = Object.entries(withoutEvent).filter(([, one]) => one === why)
    return `| ${kinds.map(([kind]) => `\`${kind}\``).join(', ')} | ${why} |`
  })
  const others = ['These entries are no events:', '', '| Entry | Because |', '|---|---|', ...silent].join(
    '\n',
  )
  return page.replace(marked, (_whole, from: string, to: string) => `${from}\n${table}\n\n${others}\n\n${to}`)
}
