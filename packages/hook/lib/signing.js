import { createHash } from 'node:crypto'

/**
 * What the gate and a hook sign with, made from the runner key: the key itself is in no file and no request.
 * @param {string} key
 * @returns {{name: string, secret: Buffer}} `name`: how a request names the key. It tells nothing about it
 * @source docs/runner-protocol.md#how-a-request-is-signed
 */
export const signingOf = (key) => ({
  name: sha256(`qualification-gate hook name 1\n${key}`).toString('hex'),
  secret: sha256(`qualification-gate hook secret 1\n${key}`),
})

/**
 * The file that the hook's program reads. The two pads of HMAC-SHA-256 are written as escapes of `printf`, so that a shell can
 * sign with any program that makes a SHA-256.
 * @param {string} key
 * @source RFC 2104
 */
export function formatKey(key) {
  const { name, secret } = signingOf(key)
  const pad = (/** @type {number} */ byte) =>
    Buffer.concat([secret, Buffer.alloc(32)]).map((one) => one ^ byte)
  return `GATE_KEY_NAME=${name}\nGATE_INNER=${escaped(pad(0x36))}\nGATE_OUTER=${escaped(pad(0x5c))}\n`
}

/** @param {Uint8Array} bytes */
const escaped = (bytes) => [...bytes].map((byte) => `\\${byte.toString(8).padStart(3, '0')}`).join('')

/** @param {string} text */
const sha256 = (text) => createHash('sha256').update(text).digest()
