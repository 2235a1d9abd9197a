import type { z } from 'zod'
import { fieldsToolsDescribe } from '../operations/schemas.ts'
import { type JsonObject, jsonSchema } from './json-schema.ts'

/**
 * The arguments of a tool as JSON Schema, in few words: every client pays for the list of tools in each conversation. Bounds
 * and patterns are left out. The server checks them, and its refusal names the field.
 */
export function toolInputSchema(input: z.ZodObject): JsonObject {
  const { type, properties, required, additionalProperties } = jsonSchema(input)
  return {
    type,
    properties: mapValues(properties as Properties, argument),
    ...(required ? { required } : {}),
    additionalProperties,
  }
}

/**
 * What a tool answers as JSON Schema: the names and types of its fields, one level deep. It is open: a client that validates
 * answers must not reject the fields that are not described.
 */
export function toolOutputSchema(output: z.ZodType): JsonObject {
  const { properties, required } = jsonSchema(fieldsToolsDescribe.get(output) ?? output)
  return {
    type: 'object',
    properties: mapValues(properties as Properties, typeOnly),
    ...(required ? { required } : {}),
  }
}

type Properties = Record<string, JsonObject>

/** An argument. The description of an object stands for those of its fields. */
function argument(schema: JsonObject): JsonObject {
  const { description, default: value, properties, required } = schema
  const field = description === undefined ? argument : typeAndValues
  return {
    ...typeAndValues(schema),
    ...(properties ? { properties: mapValues(properties as Properties, field) } : {}),
    ...(properties && required ? { required } : {}),
    ...(description === undefined ? {} : { description }),
    ...(value === undefined ? {} : { default: value }),
  }
}

const typeAndValues = (schema: JsonObject): JsonObject => ({
  ...typeOnly(schema),
  ...(schema['enum'] === undefined ? {} : { enum: schema['enum'] }),
})

function typeOnly({ type, anyOf }: JsonObject): JsonObject {
  if (Array.isArray(anyOf)) return { anyOf: (anyOf as JsonObject[]).map(typeOnly) }
  return type === undefined ? {} : { type }
}

const mapValues = (properties: Properties, map: (schema: JsonObject) => JsonObject): Properties =>
  Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, map(schema)]))
