export { canonical, payloadSha256 } from './canonical.js'
export { ReceiptError } from './receipt-error.js'
export { verifyReceipt } from './verify-receipt.js'
