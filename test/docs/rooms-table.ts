import { devRooms, rooms } from '../../rooms.js'

const marked = /(<!-- rooms: [^]*?-->\n)[^]*?(<!-- end of rooms -->)/

/** A page with its table of rooms as `rooms.js` has it. */
export function withRooms(page: string): string {
  if (!marked.test(page)) throw new Error('The page has no marks between which the table of rooms belongs.')
  return page.replace(
    marked,
    (_whole, from: string, to: string) => `${from}\n${floors()}\n\n${table()}\n\n${to}`,
  )
}

/** The picture: each room on the floor above the highest room that it imports. */
function floors(): string {
  const floorOf = new Map<string, number>()
  for (const [name, { imports }] of Object.entries(rooms))
    floorOf.set(name, 1 + Math.max(0, ...imports.map((other) => floorOf.get(other) ?? 0)))
  const top = Math.max(...floorOf.values())
  const lines = Array.from({ length: top }, (_, n) => top - n).map((floor) => {
    const names = [...floorOf].filter(([, at]) => at === floor).map(([name]) => name)
    return `floor ${String(floor).padStart(2)}   ${names.join('   ')}`
  })
  return ['```', ...lines, '```'].join('\n')
}

function table(): string {
  const named = (folder: string, table: typeof rooms) =>
    Object.entries(table).map(([name, room]) => [`${folder}/${name}`, room] as const)
  const rows = [...named('src', rooms), ...named('dev', devRooms)].map(([name, { is, imports }]) => {
    const used = imports.filter((other) => other in rooms).map((other) => `\`${other}\``)
    return `| \`${name}\` | ${is.replaceAll('<', String.raw`\<`)} | ${used.join(', ') || 'none'} |`
  })
  return ['| Room | What is there | Rooms that it may import |', '|---|---|---|', ...rows].join('\n')
}
