import { expect } from '@jest/globals'
import { isRubberStamping } from '../../src/gate/habits.ts'
import { testRows } from '../support/rows.ts'

testRows([
  [20, 16, true],
  [20, 15, false],
  [19, 19, false],
  [100, 80, true],
  [100, 79, false],
  [0, 0, false],
])('many confirms within seconds are flagged', (confirmed, hasty, isFlagged) => {
  expect(isRubberStamping({ confirmed, hasty }, { confirmsMin: 20, sharePercentMin: 80 })).toBe(isFlagged)
})
