import { writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'

const usage = `node --import ./test/support/run-ts.js bench/agent-session.ts --url URL --key KEY --out FOLDER
  Proposes and confirms one broadcast over MCP for grace@example.com, as an agent does, after ten others. Prints how many
  characters each part costs, and writes each as FOLDER/<part>.json, for a tokenizer to count.
`

interface Message {
  result: { tools?: unknown[]; structuredContent?: { id: number } }
}

/** Measures what one session of an agent over MCP costs in characters. */
async function main(): Promise<void> {
  const { values } = parseArgs({
    options: { url: { type: 'string' }, key: { type: 'string' }, out: { type: 'string' } },
  })
  const { url, key, out } = values
  if (!url || !key || !out) return void process.stdout.write(usage)
  const send = async (method: string, params: object): Promise<Message['result']> => {
    const answer = await fetch(new URL('/api/mcp', url), {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    })
    return ((await answer.json()) as Message).result
  }
  const call = async (name: string, args: object) =>
    (await send('tools/call', { name, arguments: args })).structuredContent!
  const actor = { email: 'grace@example.com' }
  const propose = (message: string) =>
    call('request_action', { kind: 'broadcast', actor, payload: { message } })
  for (let n = 1; n <= 10; n++) await call('cancel_action', { id: (await propose(`Lunch ${n}.`)).id, actor })

  const { tools } = await send('tools/list', {})
  const check = await call('check_capability', actor)
  const proposed = await propose('Lunch is at noon.')
  const confirmed = await call('confirm_action', { id: proposed.id, actor })
  const list = await call('list_actions', { kind: 'broadcast', limit: 10 })
  const parts = {
    'list tools': tools!,
    check,
    propose: proposed,
    confirm: confirmed,
    'list 10 actions': list,
  }
  for (const [part, value] of Object.entries(parts)) {
    const text = JSON.stringify(value)
    writeFileSync(`${out}/${part.replaceAll(' ', '-')}.json`, text)
    process.stdout.write(`${part}: ${text.length} characters\n`)
  }
}

await main()
