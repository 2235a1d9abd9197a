import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { devRooms, rooms } from '../../rooms.js'
import { projectRoot } from '../../src/process/root.ts'

const marked = /(<!-- rooms: [^]*?-->\n)[^]*?(<!-- end of rooms -->)/

/** A page with its table of rooms as `rooms.js` has it. */
export function withRooms(page: string): string {
  if (!marked.test(page)) throw new Error('The page has no marks between which the table of rooms belongs.')
  return page.replace(
    marked,
    (_whole, from: string, to: string) => `${from}\n${floors()}\n\n${table()}\n\n${innerFloors()}\n\n${to}`,
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
  const rows = [...named('src', rooms), ...named('dev', devRooms)].map(
    ([name, { is }]) => `| \`${name}\` | ${is.replaceAll('<', String.raw`\<`)} |`,
  )
  return ['| Room | What is there |', '|---|---|', ...rows].join('\n')
}

/** The rooms that have floors of their own, with their folders: files are found by their names. */
function innerFloors(): string {
  const withFloors = Object.entries(rooms).flatMap(([name, { floors }]) => (floors ? [{ name, floors }] : []))
  return withFloors
    .map(({ name, floors }) => {
      const isFolder = (own: string) => existsSync(join(projectRoot, 'src', name, own))
      const lines = floors.map((floor) => floor.filter(isFolder)).filter((floor) => floor.length > 0)
      const picture = lines
        .toReversed()
        .map((floor, n) => `floor ${String(lines.length - n).padStart(2)}   ${floor.join('   ')}`)
      return [
        `Inside \`src/${name}\`, a folder imports only those of lower floors:`,
        '',
        '```',
        ...picture,
        '```',
      ].join('\n')
    })
    .join('\n\n')
}
