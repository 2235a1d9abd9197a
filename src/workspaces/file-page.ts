import { limits } from '../limits.ts'
import type { FileRange, FileStat, WorkspaceStore } from './store.ts'
import { type TextPage, leadBytes, textPage } from './text-page.ts'

/** A page of a file, as it is shown. */
export interface ShownPage {
  sizeBytes: number
  offsetBytes: number
  /** Null where the bytes are no text. */
  content: string | null
  /** Null at the end of the file, and where the bytes are no text. */
  nextOffsetBytes: number | null
  /** What there is to know of a file that takes several pages, or cannot be shown. */
  note: string | null
}

/** Reads a page of a file at whatever offset; undefined where there is no such file. */
export async function readPage(
  store: WorkspaceStore,
  path: string,
  askedBytes: number,
): Promise<ShownPage | undefined> {
  const fromBytes = Math.max(0, askedBytes - leadBytes)
  const range = { offsetBytes: fromBytes, lengthBytes: askedBytes - fromBytes + limits.fileBytesPerPage }
  const read = await store.readRange(path, range)
  return read && shownPage(read, fromBytes, askedBytes)
}

function shownPage({ file, bytes, isSteady }: FileRange, fromBytes: number, askedBytes: number): ShownPage {
  const { sizeBytes, version } = file
  if (askedBytes > sizeBytes) {
    const note = `The file has ${sizeBytes} bytes and ends before this offset; its version is ${version}. Start again at offset 0.`
    return { sizeBytes, offsetBytes: askedBytes, content: '', nextOffsetBytes: null, note }
  }
  const endBytes = fromBytes + bytes.length
  const isFileEnd = endBytes >= sizeBytes
  const page = textPage(bytes, fromBytes, { offsetBytes: askedBytes, endBytes, isFileEnd })
  const { offsetBytes, content } = page
  if (content === null) {
    const note = `Bytes ${offsetBytes} to ${page.endBytes} are not UTF-8 text and are not shown.`
    return { sizeBytes, offsetBytes, content, nextOffsetBytes: null, note }
  }
  const nextOffsetBytes = isFileEnd ? null : page.endBytes
  const isOnePage = offsetBytes === 0 && isFileEnd
  const notes = [
    ...(isOnePage ? [] : [partNote(page, file, nextOffsetBytes)]),
    ...(isSteady ? [] : ['The file is being written: this page may mix two versions of it.']),
  ]
  return { sizeBytes, offsetBytes, content, nextOffsetBytes, note: notes.join(' ') || null }
}

// Pages are read one by one and nobody holds the file meanwhile: its version is how a reader notices a change.
function partNote(page: TextPage, { sizeBytes, version }: FileStat, next: number | null): string {
  const part = `Bytes ${page.offsetBytes} to ${page.endBytes} of ${sizeBytes}, version ${version}.`
  const more = next === null ? '' : ` Continue with offset ${next}.`
  return `${part}${more} Where another page tells another version, the file has changed in between: start again at offset 0.`
}
