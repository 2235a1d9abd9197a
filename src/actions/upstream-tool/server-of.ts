import { sha256 } from '../../ledger/digest.ts'
import { type ServedTool, ofCommand } from '../../upstreams/served-tool.ts'

/** What the payload of a call holds of its server, which can have another address later under the same name. */
export interface CalledServer {
  /** For people: the host of the server, or the command that starts it. */
  runs_at: string
  /** SHA-256 of its name and its address, hex. Of a URL, the `address_digest` that the ledger has. */
  address_digest: string
}

/** The server of a tool. Other headers and another query of its URL leave it the same. Pure. */
export const serverOf = ({ upstream, address }: Pick<ServedTool, 'upstream' | 'address'>): CalledServer => ({
  runs_at: address.startsWith(ofCommand)
    ? `the operator's command ${address.slice(ofCommand.length)}`
    : new URL(address).host,
  address_digest: sha256(`${upstream} ${address}`).toString('hex'),
})
