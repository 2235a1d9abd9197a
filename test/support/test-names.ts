import { parseSync } from '@swc/core'

/** The names of the tests in a source, as they are written: of `test(…)` and `test.each(…)(…)`. */
export const testNames = (source: string): string[] => namesOf(source, ['test'])

/** The names of the tests and of their groups: also of `describe(…)` and `describe.each(…)(…)`. */
export const testAndGroupNames = (source: string): string[] => namesOf(source, ['test', 'describe'])

function namesOf(source: string, functions: string[]): string[] {
  const found: string[] = []
  visit(parseSync(source, { syntax: 'typescript', target: 'es2022' }), functions, found)
  return found
}

interface Node {
  type?: string
  [key: string]: any
}

function visit(node: Node, functions: string[], found: string[]): void {
  if (node.type === 'CallExpression' && isNamed(node['callee'], functions)) {
    const first: Node | undefined = node['arguments'][0]?.expression
    if (first?.type === 'StringLiteral') found.push(first['value'])
  }
  for (const child of Object.values(node)) {
    if (typeof child === 'object' && child !== null) visit(child as Node, functions, found)
  }
}

/** `test`, or `test.each(…)`. */
function isNamed(callee: Node, functions: string[]): boolean {
  if (callee.type === 'Identifier') return functions.includes(callee['value'])
  const member = callee.type === 'CallExpression' ? (callee['callee'] as Node) : undefined
  return (
    member?.type === 'MemberExpression' &&
    isNamed(member['object'], functions) &&
    member['property'].value === 'each'
  )
}
