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
type Say = (response: ServerResponse, asked: Asked, call: ToolCall | null) => void

/** A tool of the runner, as its model calls it. */
export interface ToolCall {
  name: string
  input: object
  /** Of MCP servers in the Responses API. */
  namespace?: string
}

/**
 * The APIs of Anthropic, OpenAI (both) and Gemini on loopback, for one run of an agent runner: the model asks for one call of a
 * tool, and ends its turn once it has the result.
 * @param asks  a shell command, or a call of another tool
 * @param times  how often it asks for it
 */
export async function startFakeModels(asks: string | ToolCall, times = 1): Promise<FakeModels> {
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
      const shell = dialect.shell.exec(text)?.[1]
      const hasTool = typeof asks === 'string' ? shell !== undefined : text.includes(`"${asks.name}"`)
      if (hasTool) {
        told.push(text)
        if (results === tookMs.length + 1) tookMs.push(performance.now() - askedAt)
        askedAt = performance.now()
      }
      const call = typeof asks === 'string' ? { name: shell!, input: dialect.input(asks, shell) } : asks
      dialect.say(response, asked, hasTool && results < times ? call : null)
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

const described = (command: string) => ({ command, description: 'Run' })

const dialects: {
  path: RegExp
  /** The name of the runner's shell tool in a request. */
  shell: RegExp
  /** The arguments of that tool. */
  input: (command: string, shell: string | undefined) => object
  /** What stands once in a request for each result of a tool. */
  result: string
  say: Say
}[] = [
  {
    path: /^\/v1\/messages(\?|$)/,
    shell: /"name":"(Bash)"/,
    input: described,
    result: '"tool_result"',
    say: sayAnthropic,
  },
  {
    path: /^\/v1\/responses$/,
    shell: /"name":"(shell_command|exec_command|shell)"/,
    input: (command, shell) =>
      shell === 'exec_command'
        ? { cmd: command }
        : { command: shell === 'shell' ? ['bash', '-c', command] : command },
    result: 'function_call_output',
    say: sayResponses,
  },
  {
    path: /GenerateContent\?alt=sse$|:generateContent$/i,
    shell: /"(run_shell_command)"/,
    input: described,
    result: '"functionResponse"',
    say: sayGemini,
  },
  {
    path: /^\/v1\/chat\/completions$/,
    shell: /"name":"(bash)"/,
    input: described,
    result: '"role":"tool"',
    say: sayChat,
  },
]

function sayAnthropic(response: ServerResponse, { body, results }: Asked, call: ToolCall | null): void {
  const usage = { input_tokens: 1, output_tokens: 1 }
  const block = call
    ? { type: 'tool_use', id: `toolu_fake${results || ''}`, name: call.name, input: call.input }
    : { type: 'text', text: 'Done.' }
  const stop_reason = call ? 'tool_use' : 'end_turn'
  const message = {
    id: 'msg_fake',
    type: 'message',
    role: 'assistant',
    model: body['model'],
    stop_sequence: null,
    usage,
  }
  if (!body['stream']) return sendJson(response, { ...message, content: [block], stop_reason })
  const delta = call
    ? { type: 'input_json_delta', partial_json: JSON.stringify(call.input) }
    : { type: 'text_delta', text: 'Done.' }
  const empty = call ? { ...block, input: {} } : { type: 'text', text: '' }
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

function sayResponses(response: ServerResponse, _asked: Asked, call: ToolCall | null): void {
  const item = call
    ? {
        type: 'function_call',
        id: 'fc_fake',
        call_id: 'call_fake',
        name: call.name,
        ...(call.namespace === undefined ? {} : { namespace: call.namespace }),
        arguments: JSON.stringify(call.input),
      }
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

function sayGemini(response: ServerResponse, { path }: Asked, call: ToolCall | null): void {
  const part = call ? { functionCall: { name: call.name, args: call.input } } : { text: 'Done.' }
  const answer = {
    candidates: [{ content: { role: 'model', parts: [part] }, finishReason: 'STOP', index: 0 }],
    usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 },
  }
  if (path.includes('alt=sse')) sendEvents(response, [dataLine(answer)])
  else sendJson(response, answer)
}

function sayChat(response: ServerResponse, { body }: Asked, asks: ToolCall | null): void {
  const call = asks && {
    index: 0,
    id: 'call_fake',
    type: 'function',
    function: { name: asks.name, arguments: JSON.stringify(asks.input) },
  }
  const message = call ? { role: 'assistant', tool_calls: [call] } : { role: 'assistant', content: 'Done.' }
  const finish_reason = call ? 'tool_calls' : 'stop'
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
