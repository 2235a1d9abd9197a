import { limits } from '../../limits.ts'
import { escapeInvisible } from '../../text/escape-invisible.ts'
import { lookAlikeHosts } from '../../text/look-alike-hosts.ts'

/**
 * A name that an app gave itself, if it can be shown: one line without invisible characters, and no word of letters that look like
 * others. Anyone can take any name: the host beside it says who asks. Pure.
 */
export function shownName(name: string | undefined): string | undefined {
  const text = name?.trim().replaceAll(/ +/g, ' ') ?? ''
  if (text === '' || Array.from(text).length > limits.appNameCharsMax || !text.isWellFormed())
    return undefined
  // A word is judged as the host that it could be taken for.
  const isAlike = text.split(/[ /@]+/).some((word) => lookAlikeHosts(`//${word}`).length > 0)
  return escapeInvisible(text) === text && !isAlike && !hasDisguisedLetter(text) ? text : undefined
}

/** Whether a character is a letter or digit of ASCII in another form: full-width, mathematical, ringed. A trade mark may be. */
const hasDisguisedLetter = (text: string): boolean =>
  Array.from(text.replaceAll(/[\u2122\u2120]/g, '')).some(
    (sign) => sign > '\u007f' && /^[a-z0-9]+$/i.test(sign.normalize('NFKC')),
  )
