import type { Arguments } from './options.ts'

// Scripts of other languages inside a command: only the few forms that agents use to look at files.

const sedLine = /^(\d+|\$|\/[^/\\\n]+\/)?(,(\d+|\$|\+\d+|\/[^/\\\n]+\/))?\s*[pdq=]$/
const sedReplacement = /^s([/|#,])[^/|#,\\\n;]*\1[^/|#,\\\n;]*\1[gpI0-9]*$/

/** A script of lines to print and simple replacements: `e`, `w`, `r` and all else can run programs or reach files. */
export function onlyPrintsWithSed({ options, operands }: Arguments): boolean {
  const given = options.filter(({ name }) => name === 'e' || name === 'expression').map(({ value }) => value!)
  const scripts = given.length > 0 ? given : operands.slice(0, 1)
  const commands = scripts.flatMap((script) => script.split(';').map((command) => command.trim()))
  return (
    commands.length > 0 && commands.every((command) => sedLine.test(command) || sedReplacement.test(command))
  )
}

const awkScript =
  /^(NR\s*([<>]=?|==)\s*\d+(\s*&&\s*NR\s*([<>]=?|==)\s*\d+)?)?\s*(\{\s*print(\s[$\w\s,":.-]*)?\})?$/

/** A script that prints fields of lines: no pipes, files, functions or variables of the environment. */
export function onlyPrintsWithAwk({ operands }: Arguments): boolean {
  const script = (operands[0] ?? '').trim()
  return script !== '' && awkScript.test(script) && !/getline|ENVIRON/.test(script)
}

/** A filter that reaches neither the environment nor other files. */
export function onlyPrintsWithJq({ operands }: Arguments): boolean {
  return (
    operands.length > 0 &&
    !/\b(env|ENV|import|include|input_filename|debug|halt_error|getpath)\b/.test(operands[0]!)
  )
}
