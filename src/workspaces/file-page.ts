import { limits } from '../limits.ts'
import type { FileRange, FileStat, WorkspaceStore } from './store.ts'
import { type TextPage, leadBytes, textPage } from './text-page.ts'

/** A page of a file, as shown to agents. */
export interface ShownPage {
  sizeBytes: number
  offsetBytes: number
  /** Null if the bytes are not text. */
  content: string | null
  /** Null at the end of the file, and if the bytes are not text. */
  nextOffsetBytes: number | null
  /** A hint for files that need several pages or cannot be shown. */
  note: string | null
}

/** Reads a page of a file at an offset; undefined if the file does not exist. */
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
    const note = `The file has ${sizeBytes} bytes and ends before this offset. Its version is ${version}. Start again at offset 0.`
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
    ...(isSteady ? [] : ['The file is being written: this page may mix two versions.']),
  ]
  return { sizeBytes, offsetBytes, content, nextOffsetBytes, note: notes.join(' ') || null }
}

// The file can change between two pages: readers notice that by its version.
function partNote(page: TextPage, { sizeBytes, version }: FileStat, next: number | null): string {
  const part = `Bytes ${page.offsetBytes} to ${page.endBytes} of ${sizeBytes}, version ${version}.`
  const more = next === null ? '' : ` Continue with offset ${next}.`
  return `${part}${more} If another page has another version, the file has changed: start again at offset 0.`
}
