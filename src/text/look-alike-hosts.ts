import { domainToASCII, domainToUnicode } from 'node:url'
import { asciiLookAlike } from './confusable-letters.ts'

/** The longest host name in DNS. @source RFC 1035 */
const hostCharsMax = 253

/** A host in a text that a reader may take for another one. */
export interface LookAlike {
  /** The host as a browser names it. */
  ascii: string
  /** The host as it reads, in lower case. */
  host: string
  /** What it looks like, in ASCII; undefined where it only mixes scripts. */
  like: string | undefined
  /** What is in it: letters of which scripts, or other signs. */
  told: string
}

/**
 * The hosts in a text whose letters are of several scripts, or look like ASCII throughout a label, or that have other signs in place of
 * ASCII; each once, in their order. Pure.
 * @source Unicode Technical Standard #39, 5.1 and 4; Chromium, Internationalized domain names
 */
export function lookAlikeHosts(text: string): LookAlike[] {
  const found = new Map<string, LookAlike>()
  for (const { 0: token, index } of text.matchAll(tokens)) {
    if (!foreign.test(token) && !token.includes('I')) continue
    const before = text.slice(Math.max(0, index - 3), index)
    const host = hostOf(token, before)
    const alike = host === undefined ? undefined : judged(host, token, before)
    if (alike) found.set(alike.host, alike)
  }
  return [...found.values()]
}

/** Characters that may be in a host, as people and browsers read one. */
const tokens = /[\p{L}\p{M}\p{N}\p{Default_Ignorable_Code_Point}._%。．｡․﹒·・-]+/gu
// eslint-disable-next-line no-control-regex
const foreign = /[^\u0000-\u007f]|xn--|%[0-9a-f]{2}/i
const dots = /[.。．｡․﹒]+/u
/** These look like a full stop, and separate no labels. */
const falseDots = /[․﹒]/u
/** Browsers make letters of them, other programs do not. */
const romanNumerals = /[\u2160-\u217f]/u

/** A token as a host: without what is not seen, decoded; undefined where it is none. */
function hostOf(token: string, before: string): string | undefined {
  const whole = decoded(token.slice(0, hostCharsMax)).replaceAll(/\p{Default_Ignorable_Code_Point}/gu, '')
  const labels = whole.split(dots).filter((label) => label !== '')
  const isHost = isNamed(before) || (labels.length > 1 && Array.from(labels.at(-1)!).length > 1)
  return isHost ? labels.map(shownLabel).join('.') : undefined
}

const isNamed = (before: string): boolean => /(?:\/\/|@)$/.test(before)

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

const shownLabel = (label: string): string => (/^xn--/i.test(label) ? domainToUnicode(label) || label : label)

function judged(host: string, token: string, before: string): LookAlike | undefined {
  const labels = host.split('.')
  if (isAscii(host) && !falseDots.test(token)) return withCapitals(host, labels, isNamed(before))
  const isAlike = (label: string) => !isAscii(label) && isAscii(skeletonOf(label)) && hasLookAlike(label)
  const skeletons = labels.map((label) =>
    isAlike(label) || isAscii(label) || romanNumerals.test(label) ? skeletonOf(label) : undefined,
  )
  const signs = signsIn(host, token)
  if (signs !== undefined && !skeletons.includes(undefined))
    return {
      ascii: falseDots.test(token) ? 'no host that exists' : domainToASCII(host),
      host: host.toLowerCase(),
      like: skeletons.join('.'),
      told: signs,
    }
  const isMixed = labels.some(mixesScripts)
  if (!isMixed && !(labels.some(isAlike) && !skeletons.includes(undefined))) return undefined
  const ascii = domainToASCII(host)
  // A host that a browser makes plain ASCII of, such as letters of full width, leads where it seems to.
  if (ascii !== '' && !/(?:^|\.)xn--/.test(ascii)) return undefined
  const like = skeletons.includes(undefined) ? undefined : skeletons.join('.')
  return {
    ascii: ascii === '' ? 'no host that exists' : ascii,
    host: host.toLowerCase(),
    like,
    told: `letters of ${scriptsOf(host).join(' and ')}`,
  }
}

const signsIn = (host: string, token: string): string | undefined =>
  falseDots.test(token) ? 'a sign like a full stop' : romanNumerals.test(host) ? 'Roman numerals' : undefined

/** In small letters a capital I is taken for an l: `exampIe.com`. In names such as `LinkedIn.com` other letters are capitals, too. */
function withCapitals(host: string, labels: string[], isSurely: boolean): LookAlike | undefined {
  const isHost = labels.length > 1 && (isSurely || commonEndings.has(labels.at(-1)!))
  if (!isHost || !labels.some((label) => /^[a-z\d-]*[a-z\d]I[a-z\d-]*$/.test(label))) return undefined
  const ascii = host.toLowerCase()
  return { ascii, host, like: host.replaceAll('I', 'l').toLowerCase(), told: 'a capital I' }
}

const commonEndings = new Set(
  'com net org io dev app co ai cloud info biz me eu uk de fr nl ch at us ca au in jp br shop store online site tech xyz gov edu'.split(
    ' ',
  ),
)

// eslint-disable-next-line no-control-regex
const isAscii = (text: string): boolean => /^[\u0000-\u007f]*$/.test(text)

/** Letters without their marks. */
const basesOf = (text: string): string[] => Array.from(text.normalize('NFD').replaceAll(/\p{M}/gu, ''))

const hasLookAlike = (label: string): boolean => basesOf(label).some((letter) => asciiLookAlike.has(letter))

/** A text with each letter as the one of ASCII that it looks like. */
const skeletonOf = (text: string): string =>
  basesOf(text)
    .map((letter) => asciiLookAlike.get(letter) ?? lookOf(letter.normalize('NFKC').toLowerCase()))
    .join('')

const lookOf = (letter: string): string => asciiLookAlike.get(letter) ?? letter

/** Whether a label has letters of scripts that no language writes together, or kana that look like signs beside Latin. */
function mixesScripts(label: string): boolean {
  const scripts = scriptsOf(label)
  if (scripts.length < 2) return false
  const isWrittenTogether = together.some((set) => scripts.every((script) => set.includes(script)))
  return !isWrittenTogether || (scripts.includes('Latin') && likeSigns.test(label))
}

const together = [
  ['Latin', 'Han', 'Hiragana', 'Katakana'],
  ['Latin', 'Han', 'Bopomofo'],
  ['Latin', 'Han', 'Hangul'],
]
const likeSigns = /[ノンソゾ丶ヽヾ〳〵丿工口卜ㅣㅡ]/u

function scriptsOf(text: string): string[] {
  const letters = Array.from(text.normalize('NFKC')).filter(
    (one) => /[\p{L}\p{N}]/u.test(one) && !shared.test(one),
  )
  return [
    ...new Set(letters.map((letter) => named.find(([, form]) => form.test(letter))?.[0] ?? 'another script')),
  ]
}

/** Characters of no script, or of several. */
const shared = /[\p{Script=Common}\p{Script=Inherited}]/u

const named = [
  'Latin',
  'Cyrillic',
  'Greek',
  'Han',
  'Hiragana',
  'Katakana',
  'Hangul',
  'Bopomofo',
  'Arabic',
  'Hebrew',
  'Armenian',
  'Georgian',
  'Devanagari',
  'Bengali',
  'Gurmukhi',
  'Gujarati',
  'Oriya',
  'Tamil',
  'Telugu',
  'Kannada',
  'Malayalam',
  'Sinhala',
  'Thai',
  'Lao',
  'Tibetan',
  'Myanmar',
  'Khmer',
  'Ethiopic',
  'Cherokee',
  'Canadian_Aboriginal',
  'Coptic',
  'Tifinagh',
  'Lisu',
  'Mongolian',
  'Syriac',
  'Thaana',
  'Nko',
  'Vai',
  'Yi',
  'Javanese',
  'Balinese',
  'Glagolitic',
  'Deseret',
  'Osage',
  'Adlam',
].map((script) => [script.replaceAll('_', ' '), new RegExp(`\\p{Script=${script}}`, 'u')] as const)
