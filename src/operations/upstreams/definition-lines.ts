import type { Json } from '../../gate/canonical.ts'

/** A value of a definition, at its place. */
export interface DefinitionLine {
  change: 'added' | 'removed' | 'same'
  /** A JSON Pointer. Written by strangers, as the value is. */
  at: string
  /** As JSON, on one line. */
  value: string
}

/**
 * The values of a definition by their places, and of one that was reviewed before only those that differ. Written by strangers:
 * escape them before they are shown. Pure.
 */
export function definitionLines({
  definition,
  reviewed_definition: reviewed,
}: {
  definition: string
  reviewed_definition: string | null
}): DefinitionLine[] {
  const now = valuesOf(JSON.parse(definition) as Json)
  if (reviewed === null) return [...now].map(([at, value]) => ({ change: 'added', at, value }))
  const before = valuesOf(JSON.parse(reviewed) as Json)
  const places = [...new Set([...before.keys(), ...now.keys()])]
  return places.flatMap((at) => {
    const [was, is] = [before.get(at), now.get(at)]
    if (was === is) return []
    return [
      ...(was === undefined ? [] : [{ change: 'removed' as const, at, value: was }]),
      ...(is === undefined ? [] : [{ change: 'added' as const, at, value: is }]),
    ]
  })
}

/** Every value that is no object and no list with something in it, by its JSON Pointer. */
function valuesOf(value: Json, at = ''): Map<string, string> {
  const inner = typeof value === 'object' && value !== null ? Object.entries(value) : []
  if (inner.length === 0) return new Map([[at, JSON.stringify(value)]])
  return new Map(
    inner.flatMap(([key, one]) => [
      ...valuesOf(one as Json, `${at}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`),
    ]),
  )
}
