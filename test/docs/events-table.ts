import { eventTypes } from '../../src/gate/event-types.ts'

const marked = /(<!-- events: [^]*?-->\n)[^]*?(<!-- end of events -->)/

/** A page with its table of types as the gate has them. */
export function withEvents(page: string): string {
  if (!marked.test(page)) throw new Error('The page has no marks between which the table of events belongs.')
  const rows = Object.entries(eventTypes).map(([type, { entry, says }]) => {
    return `| \`${type}\` | ${says} | ${entry === null ? '' : `\`${entry}\``} |`
  })
  const table = ['| Type | Says | Entry |', '|---|---|---|', ...rows].join('\n')
  return page.replace(marked, (_whole, from: string, to: string) => `${from}\n${table}\n\n${to}`)
}
