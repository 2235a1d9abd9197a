import type { IncomingMessage, ServerResponse } from 'node:http'
import { once } from 'node:events'
import mime from 'mime'
import { limits } from '../limits.ts'
import { pathParts } from '../workspaces/file-path.ts'
import type { FileRange, WorkspaceStore } from '../workspaces/store.ts'
import { readFirstPiece } from './file-cache.ts'

/** The answer to a request: a file with its first piece, a redirect, or not found. */
type Target = { path: string; first: FileRange } | { redirect: string } | undefined

/**
 * Answers with a file of a workspace. A folder answers with its index.html. An unknown page path answers with the preview's
 * own index.html and status 200, for applications that route in the browser.
 * @param url  the URL of the request, with its query
 * @param root  the served folder: empty, or ending with `/`
 * @returns false if the file was not found and nothing was sent
 */
export async function serveFile(
  request: IncomingMessage,
  response: ServerResponse,
  { files, root, url }: { files: WorkspaceStore; root: string; url: URL },
): Promise<boolean> {
  const found = await find(files, root, url, request.headers.accept ?? '')
  if (!found) return false
  if ('redirect' in found) {
    response.writeHead(308, { location: found.redirect, 'content-length': 0 }).end()
    return true
  }
  await send(response, files, found, request.method === 'HEAD')
  return true
}

async function find(files: WorkspaceStore, root: string, url: URL, accept: string): Promise<Target> {
  const path = decoded(url.pathname)
  if (path === undefined) return undefined
  const isFolder = path === '' || path.endsWith('/')
  const named = isFolder ? `${path}index.html` : path
  // A path that is not a valid file path is not a page either.
  if (!pathParts(root + named)) return undefined
  const found = await pieceOf(files, root + named)
  if (found) return found
  if (!isFolder && (await files.stat(`${root}${path}/index.html`))) {
    return { redirect: `${url.pathname}/${url.search}` }
  }
  return accept.includes('text/html') && isPageLike(path) ? pieceOf(files, `${root}index.html`) : undefined
}

/** Whether a path may be a page that the application routes itself: file names contain a dot. */
function isPageLike(path: string): boolean {
  const parts = path.split('/').filter((part) => part !== '')
  return !parts.at(-1)?.includes('.') && !parts.some((part) => part.startsWith('.'))
}

/** The path below `/`, decoded once. An encoded `/` is refused: it would give a file a second address. */
function decoded(pathname: string): string | undefined {
  if (/%2f/i.test(pathname)) return undefined
  try {
    return decodeURIComponent(pathname.slice(1))
  } catch {
    return undefined
  }
}

async function pieceOf(files: WorkspaceStore, path: string) {
  const first = await readFirstPiece(files, path)
  return first && { path, first }
}

/** Sends a file piece by piece. If the file changes meanwhile, the answer ends early, which browsers detect. */
async function send(
  response: ServerResponse,
  files: WorkspaceStore,
  { path, first }: { path: string; first: FileRange },
  isHead: boolean,
): Promise<void> {
  const { sizeBytes, version } = first.file
  response.writeHead(200, { 'content-type': contentType(path), 'content-length': sizeBytes })
  if (isHead) return void response.end()
  if (isWhole(first, 0)) return void response.end(first.bytes)
  let piece: FileRange | undefined = first
  for (let sentBytes = 0; sentBytes < sizeBytes;) {
    const isSame: boolean = piece?.file.version === version && piece.isSteady && piece.bytes.length > 0
    if (!isSame) return void response.destroy()
    // If the viewer is already gone, no event will report that.
    if (response.destroyed) return
    if (!response.write(piece!.bytes)) await drained(response)
    sentBytes += piece!.bytes.length
    if (sentBytes < sizeBytes)
      piece = await files.readRange(path, { offsetBytes: sentBytes, lengthBytes: limits.previewPieceBytes })
  }
  response.end()
}

const isWhole = ({ file, bytes, isSteady }: FileRange, fromBytes: number): boolean =>
  isSteady && fromBytes + bytes.length === file.sizeBytes

/** Resolves when the written data was received, or the viewer is gone. */
async function drained(response: ServerResponse): Promise<void> {
  const over = new AbortController()
  const either = ['drain', 'close'].map((event) => once(response, event, { signal: over.signal }))
  await Promise.race(either).catch(() => undefined)
  over.abort()
  await Promise.allSettled(either)
}

const texts = /^(text\/|application\/(javascript|json|manifest\+json|xml|xhtml\+xml)$|image\/svg\+xml$)/

function contentType(path: string): string {
  const type = mime.getType(path) ?? 'application/octet-stream'
  return texts.test(type) ? `${type}; charset=utf-8` : type
}
