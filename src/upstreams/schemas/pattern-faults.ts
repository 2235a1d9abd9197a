import { type AST, RegExpParser, visitRegExpAST } from '@eslint-community/regexpp'

const patternCharsMax = 4_000

/** What is repeated, as often as it can be: engines write some of it out. */
const patternWeightMax = 100_000

/** Parentheses within one another. Python calls itself for each. */
const patternDepthMax = 50
const tooDeep = `a pattern in it is nested deeper than ${patternDepthMax}`

/** Why a pattern does not compile in JavaScript, as JSON Schema has it there: with the flag `u`. Undefined where it does. Pure. */
export function patternFault(source: string): string | undefined {
  if (source.length > patternCharsMax) return `a pattern in it is longer than ${patternCharsMax} characters`
  try {
    const { depth, weight } = measure(parse(source))
    if (depth > patternDepthMax) return tooDeep
    if (weight > patternWeightMax) return 'a pattern in it repeats repetitions too often'
    return undefined
  } catch (error) {
    return error instanceof RangeError ? tooDeep : 'a pattern in it is no regular expression of Unicode'
  }
}

/**
 * Why Python does not compile a pattern that JavaScript compiles. Undefined where it does. Pure.
 * @source https://docs.python.org/3/library/re.html#regular-expression-syntax
 */
export function pythonPatternFault(source: string): string | undefined {
  let found: string | undefined
  const is = (what: string) => () => void (found ??= `a pattern in it has ${what}, which Python cannot read`)
  visitRegExpAST(parse(source), {
    onCapturingGroupEnter: ({ name }) => {
      if (name !== null) is('a group with a name')()
    },
    onBackreferenceEnter: is('a reference to a group'),
    onAssertionEnter: ({ kind }) => {
      if (kind === 'lookbehind') is('a look behind')()
    },
    onCharacterSetEnter: ({ kind }) => {
      if (kind === 'property') is('a Unicode property')()
    },
    onCharacterClassEnter: ({ elements }) => {
      if (elements.length === 0) is('an empty class')()
    },
    onCharacterEnter: ({ raw }) => {
      if (/^\\(?:u\{|c)/.test(raw)) is(`the character \`${raw.slice(0, 12)}\``)()
    },
  })
  return found
}

const parse = (source: string): AST.Pattern =>
  new RegExpParser({ ecmaVersion: 2024 }).parsePattern(source, 0, source.length, { unicode: true })

function measure(pattern: AST.Pattern): { depth: number; weight: number } {
  let [depth, deepest] = [0, 0]
  const weigh = (node: AST.Node): number => {
    switch (node.type) {
      case 'Quantifier':
        return 1 + weigh(node.element) * Math.max(node.max === Infinity ? node.min : node.max, 1)
      case 'Pattern':
      case 'Group':
      case 'CapturingGroup':
        return inside(node.alternatives)
      case 'Alternative':
      case 'CharacterClass':
        return node.elements.reduce((sum, one) => sum + weigh(one), 1)
      case 'Assertion':
        return 'alternatives' in node ? inside(node.alternatives) : 1
      default:
        return 1
    }
  }
  const inside = (alternatives: AST.Alternative[]): number => {
    deepest = Math.max(deepest, ++depth)
    const weight = alternatives.reduce((sum, one) => sum + weigh(one), 1)
    depth--
    return weight
  }
  const weight = weigh(pattern)
  return { depth: deepest, weight }
}
