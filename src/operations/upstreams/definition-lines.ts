import type { Json } from '../../gate/canonical.ts'

/** A value of a definition, at its place. */
export interface DefinitionLine {
  change: 'added' | 'removed' | 'same'
  /** A JSON Pointer. Written by the server, as the value is. */
  at: string
  /** The value as JSON, on one line. */
  value: string
}

/**
 * The values of a definition by their places, and of one that was reviewed before only those that differ. Written by the server:
 * escape them before they are shown. Pure.
 */
export function definitionLines({
  definition,
  reviewed_definition: reviewed,
}: {
  definition: string
  reviewed_definition: string | null
}): DefinitionLine[] {
  const now = placesOf(JSON.parse(definition) as Json)
  if (reviewed === null) return [...now.values].map(([at, value]) => ({ change: 'added', at, value }))
  const before = placesOf(JSON.parse(reviewed) as Json)
  // An object can become a list with the same values at the same places.
  const forms = [...now.forms.keys()].filter((at) => before.forms.has(at))
  return [
    ...changes(forms, before.forms, now.forms),
    ...changes([...new Set([...before.values.keys(), ...now.values.keys()])], before.values, now.values),
  ]
}

const changes = (places: string[], before: Map<string, string>, now: Map<string, string>): DefinitionLine[] =>
  places.flatMap((at) => {
    const [was, is] = [before.get(at), now.get(at)]
    if (was === is) return []
    return [
      ...(was === undefined ? [] : [{ change: 'removed' as const, at, value: was }]),
      ...(is === undefined ? [] : [{ change: 'added' as const, at, value: is }]),
    ]
  })

interface Places {
  /** Every value that is no object and no list with something in it, by its JSON Pointer. */
  values: Map<string, string>
  /** Whether the others are objects or lists. */
  forms: Map<string, string>
}

function placesOf(value: Json, at = '', found: Places = { values: new Map(), forms: new Map() }): Places {
  const inner = typeof value === 'object' && value !== null ? Object.entries(value) : []
  if (inner.length === 0) found.values.set(at, JSON.stringify(value))
  else found.forms.set(at, Array.isArray(value) ? '[…]' : '{…}')
  for (const [key, one] of inner)
    placesOf(one as Json, `${at}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`, found)
  return found
}
