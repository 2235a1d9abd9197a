import { Ajv2020 } from 'ajv/dist/2020.js'
import { actionKinds } from '../../src/actions/registry.ts'
import { operations } from '../../src/operations/registry.ts'
import { shownKinds } from '../../src/operations/shown-kinds.ts'
import { openapi } from '../../src/transports/openapi.ts'

/** Compiles schemas of an OpenAPI document, strictly: a keyword that means nothing is an error. */
export function schemasOf(document: any) {
  const ajv = new Ajv2020({ strict: true, formats: { 'date-time': true, uri: true } })
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

/** Throws where an action is not as the OpenAPI description says, which types payload and result by the kind. */
export function requireDescribed(action: unknown): void {
  made ??= schemasOf(openapi(operations(actionKinds), shownKinds(actionKinds)))
  const misfit = made.misfit('ActionRequest', action)
  if (misfit) throw new Error(`beside its description: ${misfit}: ${JSON.stringify(action)}`)
}
