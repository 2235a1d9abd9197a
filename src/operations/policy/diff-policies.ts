import type { Policy } from '../../gate/policy.ts'
import { policyLines } from '../../gate/policy-lines.ts'
import { type DiffLine, diffLines } from '../diff-lines.ts'

/** Compares two policies line by line. A rule about tool calls that only changed its place is marked as moved. Pure. */
export function diffPolicies(before: Policy, after: Policy): DiffLine[] {
  const lines = diffLines(policyLines(before), policyLines(after))
  const textsOf = (change: DiffLine['change']) =>
    new Set(lines.filter((line) => line.change === change).map(({ text }) => text))
  const [added, removed] = [textsOf('added'), textsOf('removed')]
  return lines.map((line) =>
    line.change !== 'same' && added.has(line.text) && removed.has(line.text)
      ? { ...line, text: `${line.text}, ${line.change === 'added' ? 'moved here' : 'moved from here'}` }
      : line,
  )
}
