type Field = string | number | boolean | Date | Buffer | object | null | undefined

/**
 * A JSON argument for a function of the database. All fields must be given: the function refuses missing and unknown ones.
 * Bytes are written as PostgreSQL reads them (`\x00ff`). Texts lose lone surrogates, as they do in a parameter of their own.
 */
export function jsonArgument(fields: Record<string, Field>): string {
  return JSON.stringify(plainFields(fields))
}

function plainFields(fields: Record<string, Field>): Record<string, Field> {
  const given: Record<string, Field> = {}
  for (const name of Object.keys(fields)) given[name] = plain(fields[name])
  return given
}

function plain(value: Field): Field {
  if (Buffer.isBuffer(value)) return `\\x${value.toString('hex')}`
  if (typeof value === 'string') return value.toWellFormed()
  return isRecord(value) ? plainFields(value) : value
}

const isRecord = (value: Field): value is Record<string, Field> =>
  typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype
