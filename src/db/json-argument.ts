type Field = string | number | boolean | Date | Buffer | object | null

/**
 * A JSON argument for a function of the database. All fields must be given: the function refuses missing and unknown ones.
 * Bytes are written as PostgreSQL reads them (`\x00ff`). Texts lose lone surrogates, as they do in a parameter of their own.
 */
export function jsonArgument(fields: Record<string, Field>): string {
  const given: Record<string, Field> = {}
  for (const name of Object.keys(fields)) given[name] = plain(fields[name]!)
  return JSON.stringify(given)
}

function plain(value: Field): Field {
  if (Buffer.isBuffer(value)) return `\\x${value.toString('hex')}`
  return typeof value === 'string' ? value.toWellFormed() : value
}
