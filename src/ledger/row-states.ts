import { type Replayed, statuses } from '../gate/lifecycle.ts'

/** The state of each action so far, one byte each, so that a ledger of millions of actions is verified in little memory. */
export interface RowStates {
  /** The number of actions so far: their ids run from 1 to this. */
  readonly count: number
  get(id: number): Replayed | null
  /** Sets the state of an existing action, or adds the next one. */
  set(id: number, state: Replayed): void
}

const confirmedBit = 8

export function rowStates(): RowStates {
  let bytes = new Uint8Array(1_024)
  let count = 0
  return {
    get count() {
      return count
    },
    get(id) {
      if (id < 1 || id > count) return null
      const byte = bytes[id]!
      return { status: statuses[byte & ~confirmedBit]!, isConfirmed: (byte & confirmedBit) !== 0 }
    },
    set(id, state) {
      if (id < 1 || id > count + 1) throw new RangeError(`action ${id} cannot follow action ${count}`)
      if (id >= bytes.length) {
        const larger = new Uint8Array(bytes.length * 2)
        larger.set(bytes)
        bytes = larger
      }
      bytes[id] = statuses.indexOf(state.status) | (state.isConfirmed ? confirmedBit : 0)
      count = Math.max(count, id)
    },
  }
}
