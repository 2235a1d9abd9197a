import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** The executor of a declared kind as a separate process: answers at once, and checks nothing. Sends its port. */
const server = createServer((request, response) => {
  request.resume().once('end', () => response.setHeader('content-type', 'application/json').end('{"done":1}'))
})
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port))
process.on('disconnect', () => process.exit(0))
process.on('SIGTERM', () => process.exit(0))
