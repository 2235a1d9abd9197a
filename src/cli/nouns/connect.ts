import { z } from 'zod'
import { isKeyForm } from '../../keys/api-key.ts'
import { type Lines, agentClientIds, agentClients, keyPlaceholder } from '../../keys/agent-clients.ts'
import { joinPath } from '../../network/public-link.ts'
import { hostedUrl } from '../../operations/apps/addresses.ts'
import { GateError } from '../../errors.ts'
import { defineVerb, optional, required } from '../verb.ts'

interface Connection {
  name: string
  lines: Lines[]
  check: string
}

export const connect = defineVerb({
  summary: 'Print the lines that connect an agent, with the address of this gate',
  options: {
    client: required(
      'CLIENT',
      z.enum(agentClientIds, `must be one of ${agentClientIds.join(', ')}`),
      `The program: ${agentClientIds.join(', ')}`,
      'claude-code',
    ),
    key: optional(
      'KEY',
      z.string().refine((text) => isKeyForm(text), 'must be an API key, as it was shown'),
      `The API key of the agent; if absent: the lines have ${keyPlaceholder} in its place`,
      'qgk_7hQ2mWzX0aLk4RtY7hQ2mWzX0aLk4RtY1KVFTs',
    ),
  },
  word: 'client',
  async run(context, given): Promise<Connection> {
    const { name, check, lines } = agentClients[given.client]
    const place = {
      url: joinPath(context.publicUrl(), ''),
      key: given.key ?? keyPlaceholder,
      hostedUrl: hostedUrl({ config: context.config() }) ?? context.runningHostedUrl(),
    }
    const toPaste = lines(place)
    if (toPaste.length === 0)
      throw new GateError(
        'unavailable',
        `${name} takes an address and signs in at the gate. This gate has no such address: set OAUTH_URL. See docs/connect-an-agent.md.`,
      )
    return { name, lines: toPaste, check }
  },
  text: ({ lines, check }: Connection) =>
    [...lines.flatMap(({ says, text }) => [`# ${says}`, text]), `# ${check}`].join('\n\n'),
})
