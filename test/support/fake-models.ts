import { once } from 'node:events'
import { createServer } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface FakeModels {
  url: string
  /** The bodies of the requests that carried tools: what the model was told, in order. */
  told: string[]
  /** From the answer that asked for the command until its result arrived, for each time. */
  tookMs: number[]
  close: () => Promise<void>
}

/** A request; `results`: how many results of tools it carries. */
type Asked = { body: Record<string, unknown>; text: string; path: string; results: number }
type Say = (response: ServerResponse, asked: Asked, command: string | null) => void

/**
 * The APIs of Anthropic, OpenAI (both) and Gemini on loopback, for one run of an agent runner: the model asks for one shell
 * command, and ends its turn once it has the result.
 * @param times  how often it asks for the command
 */
export async function startFakeModels(command: string, times = 1): Promise<FakeModels> {
  const told: string[] = []
  const tookMs: number[] = []
  let askedAt = 0
  const server = createServer((request, response) => {
    void bodyOf(request).then((text) => {
      const path = request.url ?? ''
      const dialect = dialects.find((one) => one.path.test(path))
      if (!dialect || request.method !== 'POST') return response.writeHead(404).end('{}')
      const results = text.split(dialect.result).length - 1
      const asked: Asked = { body: text ? JSON.parse(text) : {}, text, path, results }
      const hasTool = dialect.hasTool(asked)
      if (hasTool) {
        told.push(text)
        if (results === tookMs.length + 1) tookMs.push(performance.now() - askedAt)
        askedAt = performance.now()
      }
      dialect.say(response, asked, hasTool && results < times ? command : null)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const close = async (): Promise<void> => {
    server.closeAllConnections()
    server.close()
    await once(server, 'close')
  }
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, told, tookMs, close }
}

export async function bodyOf(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = []
  for await (const part of request) parts.push(part as Buffer)
  return Buffer.concat(parts).toString()
}

const dialects: {
  path: RegExp
  hasTool: (asked: { text: string }) => boolean
  /** What stands once in a request for each result of a tool. */
  result: string
  say: Say
}[] = [
  {
    path: /^\/v1\/messages(\?|$)/,
    hasTool: ({ text }) => text.includes('"name":"Bash"'),
    result: '"tool_result"',
    say: sayAnthropic,
  },
  {
    path: /^\/v1\/responses$/,
    hasTool: ({ text }) => /"name":"(shell|shell_command|exec_command)"/.test(text),
    result: 'function_call_output',
    say: sayResponses,
  },
  {
    path: /GenerateContent\?alt=sse$|:generateContent$/i,
    hasTool: ({ text }) => text.includes('"run_shell_command"'),
    result: '"functionResponse"',
    say: sayGemini,
  },
  {
    path: /^\/v1\/chat\/completions$/,
    hasTool: ({ text }) => text.includes('"name":"bash"'),
    result: '"role":"tool"',
    say: sayChat,
  },
]

function sayAnthropic(response: ServerResponse, { body, results }: Asked, command: string | null): void {
  const usage = { input_tokens: 1, output_tokens: 1 }
  const block = command
    ? {
        type: 'tool_use',
        id: `toolu_fake${results || ''}`,
        name: 'Bash',
        input: { command, description: 'Run' },
      }
    : { type: 'text', text: 'Done.' }
  const stop_reason = command ? 'tool_use' : 'end_turn'
  const message = {
    id: 'msg_fake',
    type: 'message',
    role: 'assistant',
    model: body['model'],
    stop_sequence: null,
    usage,
  }
  if (!body['stream']) return sendJson(response, { ...message, content: [block], stop_reason })
  const delta = command
    ? { type: 'input_json_delta', partial_json: JSON.stringify({ command, description: 'Run' }) }
    : { type: 'text_delta', text: 'Done.' }
  const empty = command ? { ...block, input: {} } : { type: 'text', text: '' }
  const events = [
    { type: 'message_start', message: { ...message, content: [], stop_reason: null } },
    { type: 'content_block_start', index: 0, content_block: empty },
    { type: 'content_block_delta', index: 0, delta },
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason, stop_sequence: null }, usage },
    { type: 'message_stop' },
  ]
  sendEvents(
    response,
    events.map((event) => `event: ${event.type}\n${dataLine(event)}`),
  )
}

function sayResponses(response: ServerResponse, { text }: Asked, command: string | null): void {
  const name = /"name":"(shell_command|exec_command|shell)"/.exec(text)?.[1]
  const given =
    name === 'exec_command'
      ? { cmd: command }
      : { command: name === 'shell' ? ['bash', '-c', command] : command }
  const item = command
    ? { type: 'function_call', id: 'fc_fake', call_id: 'call_fake', name, arguments: JSON.stringify(given) }
    : {
        type: 'message',
        id: 'msg_fake',
        role: 'assistant',
        content: [{ type: 'output_text', text: 'Done.' }],
      }
  const usage = {
    input_tokens: 1,
    input_tokens_details: null,
    output_tokens: 1,
    output_tokens_details: null,
    total_tokens: 2,
  }
  const events = [
    { type: 'response.created', response: { id: 'resp_fake' } },
    { type: 'response.output_item.done', output_index: 0, item },
    { type: 'response.completed', response: { id: 'resp_fake', output: [item], usage } },
  ]
  sendEvents(
    response,
    events.map((event) => `event: ${event.type}\n${dataLine(event)}`),
  )
}

function sayGemini(response: ServerResponse, { path }: Asked, command: string | null): void {
  const part = command
    ? { functionCall: { name: 'run_shell_command', args: { command, description: 'Run' } } }
    : { text: 'Done.' }
  const answer = {
    candidates: [{ content: { role: 'model', parts: [part] }, finishReason: 'STOP', index: 0 }],
    usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 },
  }
  if (path.includes('alt=sse')) sendEvents(response, [dataLine(answer)])
  else sendJson(response, answer)
}

function sayChat(response: ServerResponse, { body }: Asked, command: string | null): void {
  const call = {
    index: 0,
    id: 'call_fake',
    type: 'function',
    function: { name: 'bash', arguments: JSON.stringify({ command, description: 'Run' }) },
  }
  const message = command
    ? { role: 'assistant', tool_calls: [call] }
    : { role: 'assistant', content: 'Done.' }
  const finish_reason = command ? 'tool_calls' : 'stop'
  const every = { id: 'chat_fake', created: 1, model: body['model'] }
  const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 }
  if (!body['stream'])
    return sendJson(response, {
      ...every,
      object: 'chat.completion',
      choices: [{ index: 0, message, finish_reason }],
      usage,
    })
  const chunk = { ...every, object: 'chat.completion.chunk' }
  sendEvents(response, [
    dataLine({ ...chunk, choices: [{ index: 0, delta: message, finish_reason: null }] }),
    dataLine({ ...chunk, choices: [{ index: 0, delta: {}, finish_reason }], usage }),
    'data: [DONE]\n\n',
  ])
}

const dataLine = (value: object): string => `data: ${JSON.stringify(value)}\n\n`

function sendEvents(response: ServerResponse, events: string[]): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' }).end(events.join(''))
}

function sendJson(response: ServerResponse, value: object): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(value))
}
