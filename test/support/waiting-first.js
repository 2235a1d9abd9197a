import Sequencer from '@jest/test-sequencer'

const waiting = /\/test\/(faults|start|embedded|model)\//

/**
 * First what mostly waits, for processes to start and for the bounds of killed ones: it runs beside what computes, and is
 * not what everybody waits for at the end. Else as Jest has it: the longest of the last run first.
 */
export default class WaitingFirst extends Sequencer {
  sort(tests) {
    const order = super.sort(tests)
    return [
      ...order.filter(({ path }) => waiting.test(path)),
      ...order.filter(({ path }) => !waiting.test(path)),
    ]
  }
}
