import { type Server, createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A collector that takes whatever it is sent, or with the argument `hang` never answers. Sends its port. */
const isHanging = process.argv[2] === 'hang'
const server: Server = createServer((request, response) => {
  request.resume()
  if (!isHanging)
    request.on('end', () => response.writeHead(200, { 'content-type': 'application/json' }).end('{}'))
}).listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port))
process.on('disconnect', () => process.exit(0))
process.on('SIGTERM', () => process.exit(0))
