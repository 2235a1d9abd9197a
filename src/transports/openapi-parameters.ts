import type { JsonObject } from './json-schema.ts'

/** A description stands beside the schema of a parameter, not in it. */
export function describedAside({ description, ...schema }: JsonObject): JsonObject {
  return { ...(description === undefined ? {} : { description }), schema }
}
