import { agentClientIds, agentClients, keyPlaceholder } from '../../src/keys/agent-clients.ts'

const marked = /(<!-- clients: [^]*?-->\n)[^]*?(<!-- end of clients -->)/

const place = { url: 'https://gate.example.com', key: keyPlaceholder }

/** A page with the lines of each client that sends a key, as src/keys/agent-clients.ts has them. */
export function withClients(page: string): string {
  if (!marked.test(page)) throw new Error('The page has no marks between which the lines of clients belong.')
  return page.replace(marked, (_whole, from: string, to: string) => `${from}\n${sections()}\n\n${to}`)
}

const sections = (): string =>
  agentClientIds
    .map((id) => agentClients[id])
    .filter(({ is }) => is !== 'hosted')
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
