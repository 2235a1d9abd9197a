/** Why a receipt is refused: `code` for programs, the message for people. */
export class ReceiptError extends Error {
  /**
   * @param {import('./index.d.ts').ReceiptErrorCode} code
   * @param {string} message
   * @param {ErrorOptions} [options]
   */
  constructor(code, message, options) {
    super(message, options)
    this.name = 'ReceiptError'
    this.code = code
  }
}
