import { Ajv2020 } from 'ajv/dist/2020.js'
import { actionKinds } from '../../src/actions/registry.ts'
import { operations } from '../../src/operations/registry.ts'
import { shownKinds } from '../../src/operations/shown-kinds.ts'
import { schemaName } from '../../src/transports/openapi-schemas.ts'
import { openapi } from '../../src/transports/openapi.ts'

/** Compiles schemas of an OpenAPI document, strictly: a keyword that means nothing is an error. */
export function schemasOf(document: any) {
  const formats = { 'date-time': true, int64: true, uri: true, binary: true } as const
  // They help clients, and allow and refuse nothing.
  const ajv = new Ajv2020({ strict: true, formats }).addVocabulary(['discriminator', 'x-extensible-enum'])
  const resolved = (schema: object) =>
    JSON.parse(JSON.stringify(schema).replaceAll('#/components/schemas/', 'gate:'))
  for (const [name, schema] of Object.entries<object>(document.components.schemas))
    ajv.addSchema(resolved(schema), `gate:${name}`)
  return {
    compile: (schema: object) => ajv.compile(resolved(schema)),
    fits: (name: string, value: unknown) => ajv.validate(`gate:${name}`, value),
    /** The part that does not fit, as a text; undefined where all does. */
    misfit: (name: string, value: unknown) =>
      ajv.validate(`gate:${name}`, value) ? undefined : ajv.errorsText(ajv.errors),
  }
}

let made: ReturnType<typeof schemasOf> | undefined

/** The part of an action that does not fit: of its fields, or of the payload and result that its kind has. */
export function misfitOf(
  { misfit }: ReturnType<typeof schemasOf>,
  action: { kind: string; payload: unknown; result?: unknown },
  kinds = shownKinds(actionKinds).map(([kind]) => kind),
): string | undefined {
  if (!kinds.includes(action.kind)) return misfit('ActionRequest', action)
  return (
    misfit('ActionRequest', action) ??
    misfit(schemaName(action.kind, 'Payload'), action.payload) ??
    (action.result === undefined ? undefined : misfit(schemaName(action.kind, 'Result'), action.result))
  )
}

/** Throws where an action is not as the OpenAPI description says. */
export function requireDescribed(action: Parameters<typeof misfitOf>[1]): void {
  made ??= schemasOf(openapi(operations(actionKinds), shownKinds(actionKinds)))
  const misfit = misfitOf(made, action)
  if (misfit) throw new Error(`beside its description: ${misfit}: ${JSON.stringify(action)}`)
}
