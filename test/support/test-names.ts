import { parseSync } from '@swc/core'

/** The names of tests and of their groups, as they are written: of `test(…)`, `test.each(…)(…)`, `testRows(…)(…)`, `describe(…)`. */
export function testAndGroupNames(source: string): string[] {
  const found: string[] = []
  visit(parseSync(source, { syntax: 'typescript', target: 'es2022' }), found)
  return found
}

interface Node {
  type?: string
  [key: string]: any
}

function visit(node: Node, found: string[]): void {
  if (node.type === 'CallExpression' && (isTest(node['callee']) || isTable(node['callee']))) {
    const first: Node | undefined = node['arguments'][0]?.expression
    if (first?.type === 'StringLiteral') found.push(first['value'])
  }
  for (const child of Object.values(node)) {
    if (typeof child === 'object' && child !== null) visit(child as Node, found)
  }
}

const isTest = (node: Node): boolean =>
  node.type === 'Identifier' && ['test', 'describe'].includes(node['value'])

/** `test.each(…)`, or `testRows(…)`. */
function isTable({ type, callee }: Node): boolean {
  if (type !== 'CallExpression') return false
  if (callee.type === 'Identifier') return callee.value === 'testRows'
  return callee.type === 'MemberExpression' && isTest(callee.object) && callee.property.value === 'each'
}
