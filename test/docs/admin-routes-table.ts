import { adminOperations } from '../../src/operations/administration/registry.ts'

const marked = /(<!-- routes: [^]*?-->\n)[^]*?(<!-- end of routes -->)/

/** A page with its table of routes as the registry of administration has them. */
export function withAdminRoutes(page: string): string {
  if (!marked.test(page)) throw new Error('The page has no marks between which the table of routes belongs.')
  const rows = adminOperations.map(
    ({ title, http, power }) =>
      `| ${title} | \`${http.method} ${http.path.replace('/api/v1/admin', '')}\` | \`${power.replace('admin:', '')}\` |`,
  )
  const table = ['| Do | Request | Power |', '|---|---|---|', ...rows].join('\n')
  return page.replace(marked, (_whole, from: string, to: string) => `${from}\n${table}\n\n${to}`)
}
