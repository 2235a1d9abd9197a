import { type AST, RegExpParser } from '@eslint-community/regexpp'

/** Sets of atoms, a bit for each. An atom is all the characters that a pattern does not tell apart. */
export type Atoms = bigint

/** What must stand before and after a point in the text, and whether that is all that is asked there. */
interface Gap {
  before: Atoms
  after: Atoms
  isSure: boolean
}

export interface Step extends Gap {
  to: number
}

/** A pattern as an automaton: each place takes one character. Paths that the engine tries one after the other stay apart. */
export interface Automaton {
  /** A character of each atom. Behind the last atom is one more bit: the edge of the text. */
  samples: string[]
  places: { atoms: Atoms; isAside: boolean; steps: Step[] }[]
  /** From the start of an attempt. */
  firsts: Step[]
  /** By place: where an attempt may end. */
  ends: Gap[][]
}

interface Part {
  firsts: Step[]
  lasts: Step[]
  /** The ways to pass the part without a character. */
  empties: Gap[]
}

const placesMax = 400
/** A repetition with more places than that, or half of them where it may end earlier, is taken for one without an end. */
const copiedPlacesMax = 64

/**
 * @returns the automaton of each alternative of a pattern: none is reached from another. It has every path that the engine can try, and more: a look at several characters does
 *   not stop it, and long repetitions have no end.
 * @throws {Error} for what cannot be shown to be linear: references to long groups, and looks behind without a bound
 */
export function automataOf(source: string, flags: string): Automaton[] {
  const pattern = new RegExpParser().parsePattern(source, 0, source.length, {
    unicode: flags.includes('u'),
    unicodeSets: flags.includes('v'),
  })
  return pattern.alternatives.map((alternative) => automatonOf(alternative, flags))
}

function automatonOf(alternative: AST.Alternative, flags: string): Automaton {
  const { samples, atomsOf } = atomsIn(alternative, flags.replace(/[gmy]/g, ''))
  const edge = 1n << BigInt(samples.length)
  const all = (edge << 1n) - 1n
  const words = atomsOf(String.raw`\w`)
  const lineEnds = flags.includes('m') ? edge | atomsOf(String.raw`[\n\r\u2028\u2029]`) : edge
  const anything: Gap = { before: all, after: all, isSure: true }
  const unsure: Gap = { ...anything, isSure: false }
  const places: Automaton['places'] = []
  let isAside = false

  const nothing: Part = { firsts: [], lasts: [], empties: [anything] }

  function onePlace(atoms: Atoms): Part {
    if (places.length === placesMax) throw new Error('it is too large to tell')
    const to = places.push({ atoms, isAside, steps: [] }) - 1
    return { firsts: [{ ...anything, to }], lasts: [{ ...anything, to }], empties: [] }
  }

  function either(parts: Part[]): Part {
    return {
      firsts: parts.flatMap((part) => part.firsts),
      lasts: parts.flatMap((part) => part.lasts),
      empties: parts.flatMap((part) => part.empties),
    }
  }

  function link(from: Step[], to: Step[]): void {
    for (const last of from)
      for (const first of to)
        for (const gap of meet(last, first)) places[last.to]!.steps.push({ ...gap, to: first.to })
  }

  function inRow(left: Part, right: Part): Part {
    link(left.lasts, right.firsts)
    const past = (gaps: Gap[], steps: Step[]) =>
      steps.flatMap((step) => gaps.flatMap((gap) => meet(step, gap).map((met) => ({ ...met, to: step.to }))))
    return {
      firsts: [...left.firsts, ...past(left.empties, right.firsts)],
      lasts: [...right.lasts, ...past(right.empties, left.lasts)],
      empties: left.empties.flatMap((one) => right.empties.flatMap((other) => meet(one, other))),
    }
  }

  /** A turn of a repetition that takes no character is given up by the engine. */
  const maybe = (part: Part): Part => ({ ...part, empties: [anything] })

  function repeated({ element, min, max }: AST.Quantifier): Part {
    if (max === 0) return nothing
    const placesBefore = places.length
    const turn = partOf(element)
    const size = places.length - placesBefore
    const isCopied = max * size <= (min === max ? copiedPlacesMax : copiedPlacesMax / 2)
    if (!isCopied) link(turn.lasts, turn.firsts)
    const needed = isCopied ? min : Math.min(min, Math.max(Math.floor(copiedPlacesMax / size), 1))
    const count = isCopied ? max : Math.max(needed, 1)
    let rest = nothing
    for (let at = count; at > 0; at--) {
      const copy = at === count ? turn : partOf(element)
      rest = inRow(copy, rest)
      if (at > needed) rest = maybe(rest)
    }
    return needed < min ? inRow(rest, { ...nothing, empties: [unsure] }) : rest
  }

  function lookaround(node: AST.LookaroundAssertion): Part {
    const one = oneCharacter(node)
    if (one !== undefined) {
      const atoms = node.negate ? all & ~one : one
      const gap = node.kind === 'lookahead' ? { ...anything, after: atoms } : { ...anything, before: atoms }
      return { ...nothing, empties: [gap] }
    }
    if (node.kind === 'lookbehind') {
      if (longest(node) > copiedPlacesMax) throw new Error('it looks behind without a bound')
      return { ...nothing, empties: [unsure] }
    }
    const outside = isAside
    isAside = true
    const { firsts } = either(node.alternatives.map(rowOf))
    isAside = outside
    return { firsts, lasts: [], empties: [unsure] }
  }

  /** @returns what a look at one character, or at the edge, accepts. Nothing if it looks further */
  function oneCharacter({ alternatives, kind }: AST.LookaroundAssertion): Atoms | undefined {
    let atoms = 0n
    for (const { elements } of alternatives) {
      const [element] = elements
      if (element === undefined) return all
      if (elements.length > 1) return undefined
      if (element.type === 'Assertion' && element.kind === (kind === 'lookahead' ? 'end' : 'start'))
        atoms |= lineEnds
      else if (isOneCharacter(element)) atoms |= atomsOf(element.raw)
      else return undefined
    }
    return atoms
  }

  function assertion(node: AST.Assertion): Part {
    if (node.kind === 'lookahead' || node.kind === 'lookbehind') return lookaround(node)
    const gaps =
      node.kind === 'word'
        ? wordGaps(node.negate)
        : [node.kind === 'start' ? [lineEnds, all] : [all, lineEnds]]
    return {
      ...nothing,
      empties: gaps.map(([before, after]) => ({ before: before!, after: after!, isSure: true })),
    }
  }

  function wordGaps(isWithin: boolean): Atoms[][] {
    const others = all & ~words
    return isWithin
      ? [
          [words, words],
          [others, others],
        ]
      : [
          [words, others],
          [others, words],
        ]
  }

  function partOf(node: AST.Element): Part {
    switch (node.type) {
      case 'Assertion':
        return assertion(node)
      case 'Quantifier':
        return repeated(node)
      case 'Group':
      case 'CapturingGroup':
        if (node.type === 'Group' && node.modifiers) throw new Error('it changes its flags')
        return either(node.alternatives.map(rowOf))
      case 'Backreference':
        return sameAgain(node)
      default:
        if (isOneCharacter(node)) return onePlace(atomsOf(node.raw))
        throw new Error('it has a set of strings')
    }
  }

  /** A group of one character: again one of those it can be. */
  function sameAgain({ resolved }: AST.Backreference): Part {
    const [row, more] = Array.isArray(resolved) ? [] : resolved.alternatives
    const [element, ...others] = row?.elements ?? []
    if (more || !element || others.length > 0 || !isOneCharacter(element))
      throw new Error('it refers to a group')
    return inRow({ ...nothing, empties: [unsure] }, onePlace(atomsOf(element.raw)))
  }

  const rowOf = ({ elements }: AST.Alternative): Part => elements.map(partOf).reduce(inRow, nothing)

  const whole = rowOf(alternative)
  const ends = places.map((_, at) => whole.lasts.filter(({ to }) => to === at))
  return { samples, places, firsts: whole.firsts, ends }
}

function meet(one: Gap, other: Gap): Gap[] {
  const before = one.before & other.before
  const after = one.after & other.after
  return before && after ? [{ before, after, isSure: one.isSure && other.isSure }] : []
}

type OneCharacter = AST.Character | AST.CharacterSet | AST.CharacterClass | AST.ExpressionCharacterClass

/** With the flag `v`, a class may have strings. */
function isOneCharacter(node: AST.Node): node is OneCharacter {
  if (node.type === 'Character' || node.type === 'CharacterClass' || node.type === 'ExpressionCharacterClass')
    return !/\\q\{|\\p\{(?:RGI|Basic_Emoji|Emoji_Keycap)/.test(node.raw)
  return node.type === 'CharacterSet' && !(node.kind === 'property' && node.strings)
}

/** @returns the most characters that a look takes */
function longest(node: AST.Element | AST.Alternative): number {
  switch (node.type) {
    case 'Alternative':
      return node.elements.map(longest).reduce((sum, length) => sum + length, 0)
    case 'Group':
    case 'CapturingGroup':
      return Math.max(...node.alternatives.map(longest))
    case 'Assertion':
      return 'alternatives' in node ? Math.max(...node.alternatives.map(longest)) : 0
    case 'Quantifier':
      return node.max === 0 ? 0 : longest(node.element) * node.max
    case 'Backreference':
      return Infinity
    default:
      return 1
  }
}

/** Beside ASCII, of each kind that classes ask for: scripts, cases, digits, spaces, controls, marks, formats, emoji, halves of pairs. */
const ordinary = [
  0x85, 0xa0, 0xad, 0xb5, 0xb7, 0xdf, 0xe9, 0xc9, 0x130, 0x131, 0x17f, 0x1c5, 0x2b0, 0x301, 0x345, 0x378,
  0x3c3, 0x3a9, 0x5d0, 0x600, 0x627, 0x660, 0x903, 0xe01, 0x115f, 0x180e, 0x200b, 0x200c, 0x200d, 0x200e,
  0x2028, 0x2029, 0x202e, 0x2060, 0x2061, 0x203f, 0x20ac, 0x20e3, 0x212a, 0x2160, 0x2190, 0x231a, 0x2640,
  0x2800, 0x3000, 0x3042, 0x3164, 0x4e2d, 0xd800, 0xdbff, 0xdc00, 0xdfff, 0xe000, 0xfdd0, 0xfe0f, 0xfeff,
  0xff10, 0xff21, 0xfff9, 0xfffd, 0xffff,
]
const wide = [0x10400, 0x1d7ce, 0x1f1e6, 0x1f3fb, 0x1f468, 0x1f600, 0xe0001, 0xe0061, 0xe0100, 0xf0000]

/** Finds by trying which characters a pattern tells apart: those of `ordinary`, its own, and their neighbours. */
function atomsIn(pattern: AST.Alternative, flags: string) {
  const isWide = /[uv]/.test(flags)
  const ascii = Array.from({ length: 128 }, (_, code) => code)
  const codes = new Set([...ascii, ...ordinary, ...(isWide ? wide : [])])
  const raws = new Set([String.raw`\w`, String.raw`[\n\r\u2028\u2029]`])
  const addCode = (code: number) => {
    for (const near of [code - 1, code, code + 1])
      if (near >= 0 && near <= (isWide ? 0x10ffff : 0xffff)) codes.add(near)
  }
  const visit = (node: AST.Node, isInClass = false): void => {
    if (node.type === 'Character') addCode(node.value)
    const isOne = isOneCharacter(node)
    if (isOne && !isInClass) raws.add(node.raw)
    for (const key of ['alternatives', 'elements', 'element', 'min', 'max', 'left', 'right', 'expression']) {
      const below = (node as unknown as Record<string, unknown>)[key]
      for (const one of Array.isArray(below) ? below : [below])
        if (typeof one === 'object' && one !== null) visit(one as AST.Node, isOne || isInClass)
    }
  }
  visit(pattern)
  const tests = [...raws].map((raw) => [raw, new RegExp(`^(?:${raw})$`, flags)] as const)
  const bySignature = new Map<string, string>()
  for (const code of codes) {
    const character = String.fromCodePoint(code)
    const signature = tests.map(([, test]) => (test.test(character) ? '1' : '0')).join('')
    if (!bySignature.has(signature)) bySignature.set(signature, character)
  }
  const samples = [...bySignature.values()]
  const atoms = new Map(
    tests.map(([raw, test]) => [
      raw,
      samples.reduce((sum, sample, at) => (test.test(sample) ? sum | (1n << BigInt(at)) : sum), 0n),
    ]),
  )
  const atomsOf = (raw: string): Atoms => {
    const found = atoms.get(raw)
    if (found === undefined) throw new Error(`it has ${raw}, which was not looked at`)
    return found
  }
  return { samples, atomsOf }
}
