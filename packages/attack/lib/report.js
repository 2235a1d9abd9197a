const marks = { passed: 'passed', failed: 'FAILED', not_applicable: 'n/a   ' }

/** One line. @param {import('./index.js').Result} result */
export const resultLine = ({ verdict, transport, id, title, reason }) =>
  `${marks[verdict]}  ${transport.padEnd(4)}  ${id.padEnd(30)}  ${reason === undefined ? title : `${title}: ${reason}`}`

/** What failed with its evidence, and the sums. @type {typeof import('./index.js').reportText} */
export function reportText(run) {
  const failed = run.results.filter(({ verdict }) => verdict === 'failed')
  const told = failed.flatMap((result) => [
    '',
    resultLine(result),
    ...result.requirements.map(({ id, text }) => `  requirement  ${id}: ${text}`),
    ...result.evidence.map(({ request, status, answer }) => `  ${request}\n    ${status}  ${answer}`),
  ])
  const sums = `${run.passed} passed, ${run.failed} failed, ${run.not_applicable} not applicable`
  const left = run.left_open.length === 0 ? [] : [`Left open, cancel by hand: ${run.left_open.join(', ')}`]
  return [...told, '', sums, ...left].join('\n')
}
