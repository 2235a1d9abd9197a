/**
 * One-dimensional text arrays without nulls, in PostgreSQL's notation. The driver can load array types by itself, but does
 * so in a promise that is not awaited: a failing backend would then end the process.
 * @source postgres.js 3.4.9, fetchArrayTypes in connection.js; PostgreSQL manual, Array Input and Output Syntax
 */
export const textArrays = {
  texts: { to: 1009, from: [1009], serialize: serializeTexts, parse: parseTexts },
  uuids: { to: 2951, from: [2951], serialize: serializeTexts, parse: parseTexts },
}

export function serializeTexts(texts: string[]): string {
  return `{${texts.map((text) => `"${text.replaceAll(/["\\]/g, String.raw`\$&`)}"`).join(',')}}`
}

export function parseTexts(literal: string): string[] {
  const elements = literal.slice(1, -1).matchAll(/"((?:[^"\\]|\\.)*)"?|([^,]+)/gs)
  return Array.from(elements, ([, quoted, bare]) =>
    quoted === undefined ? bare! : quoted.replaceAll(/\\(.)/gs, '$1'),
  )
}
