import { agentClientIds, agentClients, keyPlaceholder } from '../../src/keys/agent-clients.ts'

const place = {
  url: 'https://gate.example.com',
  key: keyPlaceholder,
  hostedUrl: 'https://gate.example.com/mcp',
}

/** A page with the lines of each client as src/keys/agent-clients.ts has them: of those that send a key, and of hosted ones. */
export const withClients = (page: string): string =>
  withSections(withSections(page, 'clients', false), 'hosted', true)

function withSections(page: string, name: string, isHosted: boolean): string {
  const marked = new RegExp(`(<!-- ${name}: [^]*?-->\\n)[^]*?(<!-- end of ${name} -->)`)
  if (!marked.test(page)) throw new Error(`The page has no marks between which ${name} belong.`)
  return page.replace(marked, (_whole, from: string, to: string) => `${from}\n${sections(isHosted)}\n\n${to}`)
}

const sections = (isHosted: boolean): string =>
  agentClientIds
    .map((id) => agentClients[id])
    .filter(({ is }) => (is === 'hosted') === isHosted)
    .map(({ name, lines, check }) =>
      [
        `### ${name}`,
        ...lines(place).flatMap(({ says, format, text }) => [
          says,
          `\`\`\`${format === 'text' ? '' : format}\n${text}\n\`\`\``,
        ]),
        check,
      ].join('\n\n'),
    )
    .join('\n\n')
