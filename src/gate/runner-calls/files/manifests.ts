import { knownWord } from '../command/cursor.ts'
import type { Word } from '../command/cursor.ts'
import { isCode } from './programs.ts'
import type { Manifest } from './programs.ts'
import { type Reading, addFile, join, noteManifests } from './found-files.ts'

/** Reads a tool such as make or npm, and the file that says what it does. @returns false: with these arguments it does something else */
export function readManifest(manifest: Manifest, args: Word[], reading: Reading): boolean {
  const { names, optional = [], folderOptions = [], fileOptions = [], scripts, runs, alsoOperands } = manifest
  const texts = args.map(({ text }) => text)
  // A package manager then runs nothing of the project.
  if (runs && !runs(texts)) return scripts !== undefined
  reading.unbound.add('loads')
  if (scripts && texts.some((text) => ofWorkspaces.test(text))) reading.unbound.add('folder')
  const folders: Word[] = []
  const files: Word[] = []
  for (const [at, word] of args.entries()) {
    const { text } = word
    for (const [options, found] of [
      [folderOptions, folders],
      [fileOptions, files],
    ] as const)
      for (const option of options) {
        const value = valueOf(option, word, args[at + 1])
        if (value) found.push(value)
      }
    if (alsoOperands && isCode(text)) addFile(word, reading, { isSure: false })
  }
  if (folders.length > 1 || folders.some(({ isOpen, isGlob }) => isOpen !== 'no' || isGlob)) {
    reading.unbound.add('folder')
    return true
  }
  const folder = folders[0] ? `${folders[0].text.replace(/(?<!\/)\/+$/, '')}/` : ''
  if (files.length > 0)
    for (const file of files)
      addFile({ ...file, text: join(folder, file.text) }, reading, { isSure: true, isPinned: true })
  else {
    for (const name of [...names, ...optional]) addManifest(folder + name, scripts?.(args) ?? [], reading)
    noteManifests(
      names.map((name) => folder + name),
      reading,
    )
  }
  return true
}

/** The scripts of other manifests than the one in the folder. */
const ofWorkspaces = /^(-w|-r|-F|-ws|--workspaces?|--recursive|--filter|workspaces?)(=|$)/

/** The value of an option: apart from it, after `=`, or glued to one letter. */
export function valueOf(option: string, word: Word, next: Word | undefined): Word | undefined {
  if (word.text === option) return next
  if (word.text.startsWith(`${option}=`)) return { ...word, text: word.text.slice(option.length + 1) }
  const isGlued = /^-[A-Za-z]$/.test(option) && word.text.startsWith(option)
  return isGlued ? { ...word, text: word.text.slice(2) } : undefined
}

const addManifest = (path: string, scripts: string[], reading: Reading): void =>
  addFile(knownWord(path), reading, { isSure: path.endsWith('package.json'), isPinned: true, scripts })
