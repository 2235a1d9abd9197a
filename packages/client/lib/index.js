export { GateError, NotDone, Refused } from './errors.js'
export { createGate } from './gate.js'
