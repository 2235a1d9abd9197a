import type { SimpleCommand, Word } from '../command/cursor.ts'
import { interpreters, isCode, scriptsOfPackage } from './programs.ts'
import { type Reading, addFile, noteManifests } from './found-files.ts'

// Shells and interpreters, and the files that they are given.

/** The first operand. */
export function readOperand(args: Word[], reading: Reading): void {
  reading.unbound.add('loads')
  const operand = args.find(
    ({ text, isOpen, isInput }) => isInput || isOpen !== 'no' || !text.startsWith('-'),
  )
  if (operand) addFile(operand, reading, { isSure: true })
}

const shellOptionsWithValue = /^([-+][a-z]*[oO]|--rcfile|--init-file)$/

export function readShell(args: Word[], command: SimpleCommand, reading: Reading): void {
  reading.unbound.add('loads')
  let at = 0
  for (; at < args.length && /^[-+]./.test(args[at]!.text); at++) {
    const { text } = args[at]!
    if (text === '--' && ++at) break
    if (!shellOptionsWithValue.test(text)) continue
    at++
    if (text.startsWith('--') && args[at]) addFile(args[at]!, reading, { isSure: true })
  }
  const readsInput = args.slice(0, at).some(({ text }) => /^-[a-z]*s/.test(text))
  const script = args[at]
  for (const word of args.slice(at + 1)) if (isCode(word.text)) addFile(word, reading, { isSure: false })
  if (script && !readsInput && !/^(-|\/dev\/(stdin|fd\/\d+))$/.test(script.text))
    return addFile(script, reading, { isSure: true })
  readInput(command, reading, true)
}

/** Reads the input of a program that runs it. */
function readInput({ inputs, redirects, reads }: SimpleCommand, reading: Reading, isShellText = false): void {
  const files = redirects.filter(({ writes }) => !writes)
  for (const { target } of files) addFile(target, reading, { isSure: true })
  for (const { text, isOpen, isInput, isBound } of inputs)
    if (isOpen !== 'no' || isInput || isBound) reading.unbound.add('unread')
    else if (isShellText) reading.readInner(text, reading)
  if (files.length > 0 || inputs.length > 0) return
  reading.unbound.add('unread')
  const [first, ...args] = reads?.words ?? []
  if (first?.text === 'cat')
    for (const word of args) if (!word.text.startsWith('-')) addFile(word, reading, { isSure: true })
}

export function readInterpreter(name: string, args: Word[], command: SimpleCommand, reading: Reading): void {
  reading.unbound.add('loads')
  const { valued = '', module: moduleOption, inline, endings = [], isFirstOnly } = interpreters[name]!
  let hasProgram = false
  for (let at = 0; at < args.length; at++) {
    const word = args[at]!
    const { text } = word
    if (text === '--run' && name === 'node') {
      noteManifests(['package.json'], reading)
      addFile({ ...word, text: 'package.json' }, reading, {
        isSure: true,
        isPinned: true,
        scripts: scriptsOfPackage(args.slice(at)),
      })
      return
    }
    if (word.isOpen === 'no' && /^-./.test(text)) {
      if (inline?.test(text)) hasProgram = true
      const [, value] = /^--?[\w-]+=([^]*)$/.exec(text) ?? []
      if (value !== undefined) {
        if (value.includes('/') || isCode(value))
          addFile({ ...word, text: value }, reading, { isSure: false })
      } else if (text === moduleOption && args[at + 1]) {
        addModule(args[++at]!, reading)
        hasProgram = true
      } else if (moduleOption && text.startsWith(moduleOption)) {
        addModule({ ...word, text: text.slice(moduleOption.length) }, reading)
        hasProgram = true
      } else if (/^-[A-Za-z].*\//.test(text)) {
        // `-r./a.js`
        addFile({ ...word, text: text.slice(2) }, reading, { isSure: false })
      } else if (valued.split(' ').includes(text) && args[at + 1]) {
        addFile(args[++at]!, reading, { isSure: /^-(f|jar|-file)$/.test(text) })
        if (/^-(f|jar|-file)$/.test(text)) hasProgram = true
      } else if (inline?.test(text)) at++
      continue
    }
    if (text === '-') continue
    if (!hasProgram) {
      hasProgram = true
      addProgram(word, endings, reading)
      if (isFirstOnly) return
    } else if (isCode(text)) addFile(word, reading, { isSure: false })
  }
  if (!hasProgram && args.every(({ text }) => !/^-{1,2}(v|V|h|version|help)$/.test(text)))
    readInput(command, reading)
}

/** A script, and the files that its name may stand for. */
function addProgram(word: Word, endings: string[], reading: Reading): void {
  if (isCode(word.text) || endings.length === 0) return addFile(word, reading, { isSure: true })
  addFile(word, reading, { isSure: !word.text.endsWith('.') && !word.text.endsWith('/') })
  const base = word.text.replace(/(?<!\/)\/+$/, '')
  for (const ending of endings) addFile({ ...word, text: base + ending }, reading, { isSure: false })
}

/** `python -m a.b` runs a file of the folder if there is one. */
function addModule(word: Word, reading: Reading): void {
  const base = word.text.replaceAll('.', '/')
  for (const text of [`${base}.py`, `${base}/__main__.py`])
    addFile({ ...word, text }, reading, { isSure: false })
}
