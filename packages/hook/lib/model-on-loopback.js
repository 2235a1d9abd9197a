import { createServer } from 'node:http'

/** @typedef {{url: string, hasToolResult: () => boolean, close: () => void}} Model */

/**
 * How a model is spoken with.
 * @typedef {{path: string, result: string, call: (asked: any) => object[] | null, end: (asked: any) => object[]}} Dialect
 */

/**
 * A stand-in for a model: asks for one tool call, and ends once it has the result.
 * @param {Dialect} dialect
 * @returns {Promise<Model>}
 */
export function startModel({ path, result, call, end }) {
  let isAnswered = false
  const server = createServer((request, response) => {
    let body = ''
    request.setEncoding('utf8')
    request.on('data', (part) => (body += part))
    request.on('end', () => {
      if (new URL(request.url ?? '/', 'http://model').pathname !== path)
        return void response.writeHead(200, { 'content-type': 'application/json' }).end('{"input_tokens":1}')
      const asked = JSON.parse(body)
      const hasResult = body.includes(`"${result}"`)
      isAnswered ||= hasResult
      const events = (hasResult ? null : call(asked)) ?? end(asked)
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.end(events.map(written).join(''))
    })
  })
  return new Promise((resolve, reject) => {
    server.on('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const { port } = /** @type {import('node:net').AddressInfo} */ (server.address())
      const close = () => void server.close(() => undefined).closeAllConnections?.()
      resolve({ url: `http://127.0.0.1:${port}`, hasToolResult: () => isAnswered, close })
    })
  })
}

/** @param {any} event */
const written = (event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`

/** @param {any} asked @param {string} name */
const knows = (asked, name) =>
  (asked.tools ?? []).some((/** @type {{name?: string}} */ tool) => tool.name === name)

/**
 * Anthropic's API, which Claude Code speaks.
 * @param {string} command  for the shell
 * @returns {Dialect}
 */
export const anthropic = (command) => ({
  path: '/v1/messages',
  result: 'tool_result',
  call: (asked) =>
    knows(asked, 'Bash')
      ? message(
          asked.model,
          { type: 'tool_use', id: 'toolu_canary', name: 'Bash', input: {} },
          { type: 'input_json_delta', partial_json: JSON.stringify({ command, description: 'Make a file' }) },
          'tool_use',
        )
      : null,
  end: (asked) =>
    message(asked.model, { type: 'text', text: '' }, { type: 'text_delta', text: 'Done.' }, 'end_turn'),
})

/**
 * @param {string} model
 * @param {object} block
 * @param {object} delta
 * @param {string} reason
 */
function message(model, block, delta, reason) {
  const usage = { input_tokens: 1, output_tokens: 1 }
  const begun = { id: 'msg_canary', type: 'message', role: 'assistant', model, content: [], usage }
  return [
    { type: 'message_start', message: { ...begun, stop_reason: null, stop_sequence: null } },
    { type: 'content_block_start', index: 0, content_block: block },
    { type: 'content_block_delta', index: 0, delta },
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason: reason, stop_sequence: null }, usage },
    { type: 'message_stop' },
  ]
}

/**
 * OpenAI's Responses API, which Codex speaks.
 * @param {string} command  for the shell
 * @returns {Dialect}
 */
export const openai = (command) => ({
  path: '/v1/responses',
  result: 'function_call_output',
  call(asked) {
    const inputs = {
      exec_command: { cmd: command },
      shell_command: { command },
      shell: { command: ['sh', '-c', command] },
    }
    const found = Object.entries(inputs).find(([name]) => knows(asked, name))
    if (!found) return null
    const [name, input] = found
    return responded({
      type: 'function_call',
      id: 'fc_1',
      call_id: 'call_canary',
      name,
      arguments: JSON.stringify(input),
    })
  },
  end: () =>
    responded({
      type: 'message',
      role: 'assistant',
      id: 'msg_1',
      content: [{ type: 'output_text', text: 'Done.' }],
    }),
})

/** @param {object} item */
function responded(item) {
  const tokens = {
    input_tokens: 1,
    input_tokens_details: null,
    output_tokens: 1,
    output_tokens_details: null,
    total_tokens: 2,
  }
  return [
    { type: 'response.created', response: { id: 'resp_1' } },
    { type: 'response.output_item.done', output_index: 0, item },
    { type: 'response.completed', response: { id: 'resp_1', usage: tokens } },
  ]
}
