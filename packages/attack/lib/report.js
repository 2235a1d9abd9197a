const marks = { passed: 'passed', failed: 'FAILED', not_applicable: 'n/a   ' }

/**
 * What the gate answered, without what a terminal would act on: control, bidirectional and invisible characters.
 * @param {unknown} text
 */
const shown = (text) =>
  String(text).replace(
    /[\p{C}\p{Zl}\p{Zp}]/gu,
    (sign) => `\\u{${/** @type {number} */ (sign.codePointAt(0)).toString(16)}}`,
  )

/** JSON that says the same with ASCII alone. @param {unknown} value */
export const asciiJson = (value) =>
  JSON.stringify(value, null, 2).replace(
    /[^\n\x20-\x7e]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )

/** One line. @param {import('./index.js').Result} result */
export const resultLine = ({ verdict, transport, id, title, reason }) =>
  shown(
    `${marks[verdict]}  ${transport.padEnd(4)}  ${id.padEnd(30)}  ${reason === undefined ? title : `${title}: ${reason}`}`,
  )

/** The failed attacks with their evidence, and the sums. @type {typeof import('./index.js').reportText} */
export function reportText(run) {
  const failed = run.results.filter(({ verdict }) => verdict === 'failed')
  const told = failed.flatMap((result) => [
    '',
    resultLine(result),
    ...result.requirements.map(({ id, text }) => `  requirement  ${id}: ${text}`),
    ...result.evidence.map(
      ({ request, status, answer }) => `  ${shown(request)}\n    ${status}  ${shown(answer)}`,
    ),
  ])
  const sums = `${run.passed} passed, ${run.failed} failed, ${run.not_applicable} not applicable`
  const left =
    run.left_open.length === 0 ? [] : [`Left open, cancel by hand: ${shown(run.left_open.join(', '))}`]
  return [...told, '', sums, ...left].join('\n')
}
