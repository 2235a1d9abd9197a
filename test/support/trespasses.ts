import { parseSync } from '@swc/core'

export interface Trespass {
  what: 'sql' | 'environment' | 'clock'
  text: string
}

/**
 * What a source does that no lint rule can see: it writes SQL, reads the environment by a side door, or asks for the time.
 * Read from the syntax tree, so that comments do not count.
 * @param source  TypeScript or JavaScript
 */
export function trespasses(source: string): Trespass[] {
  const found: Trespass[] = []
  visit(parseSync(source, { syntax: 'typescript', target: 'es2022' }) as unknown as Node, found)
  return found
}

interface Node {
  type?: string
  [key: string]: unknown
}

function visit(node: Node, found: Trespass[]): void {
  const one = trespass(node)
  if (one) found.push(one)
  for (const child of Object.values(node)) {
    if (Array.isArray(child)) for (const item of child) visitChild(item, found)
    else visitChild(child, found)
  }
}

function visitChild(child: unknown, found: Trespass[]): void {
  if (typeof child === 'object' && child !== null) visit(child as Node, found)
}

function trespass(node: Node): Trespass | undefined {
  switch (node.type) {
    case 'StringLiteral':
      return sql(node.value as string)
    case 'TemplateLiteral':
      return sql(templateText(node))
    case 'TaggedTemplateExpression':
      return name(node.tag) === 'sql' ? { what: 'sql', text: templateText(node.template as Node) } : undefined
    case 'MemberExpression':
      return name(node.property) === 'env' && isProcess(node.object) ? environment : undefined
    case 'VariableDeclarator':
      return isProcess(node.init) && takesEnv(node.id as Node) ? environment : undefined
    case 'ImportDeclaration':
      return /^(node:)?process$/.test((node.source as Node).value as string) ? environment : undefined
    case 'NewExpression':
    case 'CallExpression':
      return name(node.callee) === 'Date' && noArguments(node) ? { what: 'clock', text: 'Date' } : undefined
    default:
      return undefined
  }
}

const environment: Trespass = { what: 'environment', text: 'process.env' }

// Sentences begin with a capital, SQL is written in one case: so "Select a member from the list." is none.
const statement = new RegExp(
  `^\\s*(${[
    'select\\s(\\d|[\\w.]+\\(|[^]*\\sfrom\\s)',
    'insert\\s+into\\s',
    'update\\s+\\S+\\s+set\\s+\\S+\\s*=',
    'delete\\s+from\\s',
    'with\\s+(recursive\\s+)?\\w+\\s+as\\s',
    '(create|alter|drop)\\s+(or\\s+replace\\s+)?(unique\\s+)?(table|index|function|role|schema|database|policy|trigger|view|type|extension)\\s',
    '(grant|revoke)\\s+(select|insert|update|delete|execute|usage|create|connect|all)\\s',
    'set\\s+(local|session)\\s',
    'truncate\\s+(table\\s+)?\\w+\\s*;?\\s*$',
    'do\\s+\\$',
  ].join('|')})`,
)

function sql(text: string): Trespass | undefined {
  const first = /^\s*(\w+)/.exec(text)?.[1] ?? ''
  const inOneCase = first === first.toUpperCase() ? text.toLowerCase() : text
  return statement.test(inOneCase) ? { what: 'sql', text } : undefined
}

const templateText = (template: Node): string =>
  (template.quasis as { cooked?: string; raw: string }[]).map((part) => part.cooked ?? part.raw).join('$1')

/** The name of an identifier, of a property, or of what stands between brackets. */
function name(node: unknown): string | undefined {
  const { type, value, expression } = (node ?? {}) as Node
  if (type === 'Computed') return name(expression)
  return type === 'Identifier' || type === 'StringLiteral' ? (value as string) : undefined
}

function isProcess(node: unknown): boolean {
  const given = (node ?? {}) as Node
  return (
    name(given) === 'process' || (given.type === 'MemberExpression' && name(given.property) === 'process')
  )
}

const takesEnv = (pattern: Node): boolean =>
  pattern.type === 'ObjectPattern' &&
  (pattern.properties as Node[]).some((property) => name(property.key) === 'env')

const noArguments = (node: Node): boolean => ((node.arguments as unknown[] | null) ?? []).length === 0
