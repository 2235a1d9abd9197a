import { parseSync } from '@swc/core'

/** The names of the tests in a source, as they are written: of `test(…)` and `test.each(…)(…)`. */
export function testNames(source: string): string[] {
  const found: string[] = []
  visit(parseSync(source, { syntax: 'typescript', target: 'es2022' }), found)
  return found
}

interface Node {
  type?: string
  [key: string]: any
}

function visit(node: Node, found: string[]): void {
  if (node.type === 'CallExpression' && isTest(node['callee'])) {
    const first: Node | undefined = node['arguments'][0]?.expression
    if (first?.type === 'StringLiteral') found.push(first['value'])
  }
  for (const child of Object.values(node)) {
    if (typeof child === 'object' && child !== null) visit(child as Node, found)
  }
}

/** `test`, or `test.each(…)`. */
function isTest(callee: Node): boolean {
  if (callee.type === 'Identifier') return callee['value'] === 'test'
  const member = callee.type === 'CallExpression' ? (callee['callee'] as Node) : undefined
  return (
    member?.type === 'MemberExpression' && isTest(member['object']) && member['property'].value === 'each'
  )
}
