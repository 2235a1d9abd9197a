import { rooms } from '../../rooms.js'

const marked = /(<!-- rooms: [^]*?-->\n)[^]*?(<!-- end of rooms -->)/

/** A page with its table of rooms as `rooms.js` has it. */
export function withRooms(page: string): string {
  if (!marked.test(page)) throw new Error('The page has no marks between which the table of rooms belongs.')
  return page.replace(marked, (_whole, from: string, to: string) => `${from}\n${table()}\n\n${to}`)
}

function table(): string {
  const rows = Object.entries(rooms).map(([name, { is, imports }]) => {
    const used = imports.filter((other) => other in rooms).map((other) => `\`${other}\``)
    return `| \`src/${name}\` | ${is.replaceAll('<', String.raw`\<`)} | ${used.join(', ') || 'none'} |`
  })
  return ['| Room | What is there | Rooms that it may import |', '|---|---|---|', ...rows].join('\n')
}
