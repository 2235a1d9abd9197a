import { createServer } from 'node:http'

/** @typedef {{url: string, hasToolResult: () => boolean, close: () => void}} Model */

/**
 * A stand-in for Anthropic's API: asks for one tool call, and ends once it has the result.
 * @param {string} tool
 * @param {Record<string, unknown>} input
 * @returns {Promise<Model>}
 */
export function startModel(tool, input) {
  let isAnswered = false
  const server = createServer((request, response) => {
    let body = ''
    request.setEncoding('utf8')
    request.on('data', (part) => (body += part))
    request.on('end', () => {
      if (!request.url?.startsWith('/v1/messages?') && request.url !== '/v1/messages')
        return void response.writeHead(200, { 'content-type': 'application/json' }).end('{"input_tokens":1}')
      const asked = JSON.parse(body)
      const hasResult = body.includes('"tool_result"')
      isAnswered ||= hasResult
      const knowsTool = (asked.tools ?? []).some((/** @type {{name: string}} */ { name }) => name === tool)
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.end(knowsTool && !hasResult ? toolCall(asked.model, tool, input) : goodbye(asked.model))
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

/** @param {string} model @param {string} name @param {Record<string, unknown>} input */
const toolCall = (model, name, input) =>
  answer(
    model,
    { type: 'tool_use', id: 'toolu_canary', name, input: {} },
    { type: 'input_json_delta', partial_json: JSON.stringify(input) },
    'tool_use',
  )

/** @param {string} model */
const goodbye = (model) =>
  answer(model, { type: 'text', text: '' }, { type: 'text_delta', text: 'Done.' }, 'end_turn')

/**
 * @param {string} model
 * @param {object} block
 * @param {object} delta
 * @param {string} reason
 */
function answer(model, block, delta, reason) {
  const usage = { input_tokens: 1, output_tokens: 1 }
  const message = { id: 'msg_canary', type: 'message', role: 'assistant', model, content: [], usage }
  const events = [
    { type: 'message_start', message: { ...message, stop_reason: null, stop_sequence: null } },
    { type: 'content_block_start', index: 0, content_block: block },
    { type: 'content_block_delta', index: 0, delta },
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason: reason, stop_sequence: null }, usage },
    { type: 'message_stop' },
  ]
  return events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('')
}
