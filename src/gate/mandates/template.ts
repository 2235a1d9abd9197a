/** What a placeholder of a template stands for: plain ASCII only, so that no text of an agent's own fits in. */
const fills = {
  number: /[0-9]/,
  word: /[A-Za-z0-9]/,
  id: /[\w-]/,
} as const
type Fill = keyof typeof fills

/** The names of the placeholders, as a template has them: `{number}`. */
export const placeholders = Object.keys(fills) as Fill[]

const fillCharsMax = 40

type Part = string | { fill: Fill }

/**
 * Whether a text is what a template allows: equal to it character by character, with a short number, word or id in each
 * placeholder. Nothing is normalised: a letter that only looks like another one does not fit. Pure, and linear in the text.
 * @param template  one that `whyNoTemplate` has nothing against
 */
export function fitsTemplate(template: string, text: string): boolean {
  let at = 0
  for (const part of partsOf(template)) {
    if (typeof part === 'string') {
      if (!text.startsWith(part, at)) return false
      at += part.length
      continue
    }
    const from = at
    while (at < text.length && at - from < fillCharsMax && fills[part.fill].test(text[at]!)) at++
    if (at === from) return false
  }
  return at === text.length
}

/** Why a text is no template; undefined where it is one. What follows a placeholder never fits into it, so each text is read in one way. */
export function whyNoTemplate(template: string): string | undefined {
  const parts = partsOf(template)
  for (const [n, part] of parts.entries()) {
    const after = parts[n + 1]
    if (typeof part === 'string') {
      if (/[{}]/.test(part))
        return `has braces that are not one of ${placeholders.map((name) => `{${name}}`).join(', ')}`
      if (unseen.test(part)) return 'has a character that cannot be seen'
    } else if (after !== undefined && (typeof after !== 'string' || fills[part.fill].test(after[0]!)))
      return `needs a space or another sign behind {${part.fill}}, which could be part of it otherwise`
  }
  return undefined
}

/** Controls, marks of direction, and what has no width: all that a reader cannot see or that moves what they see. */
const unseen = /\p{C}|\p{M}|\p{Zl}|\p{Zp}|\p{Default_Ignorable_Code_Point}|[\u00A0\u2000-\u200A\u2800\u3000]/u

function partsOf(template: string): Part[] {
  return template
    .split(/(\{(?:number|word|id)\})/)
    .filter((part) => part !== '')
    .map((part) => {
      const name = placeholders.find((one) => part === `{${one}}`)
      return name === undefined ? part : { fill: name }
    })
}
