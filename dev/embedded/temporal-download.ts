import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import { z } from 'zod'
import { fetchInto, reportProgress } from './fetch-folder.ts'
import type { SourceContext } from './source-context.ts'

export const downloadBase = 'https://temporal.download'
const sdkVersion = '1.24.0'

const archiveInfo = z.object({ archiveUrl: z.url(), fileToExtract: z.string().regex(/^[\w.][\w./-]*$/) })

/** The names that the SDK's download uses for this machine. */
const architectures: Partial<Record<string, string>> = { x64: 'amd64', arm64: 'arm64' }
const platforms: Partial<Record<string, string>> = { linux: 'linux', darwin: 'darwin' }

/**
 * Downloads the server program for our version of the Temporal SDK into the cache directory. The SDK can only download and
 * start in one call, with its own settings and without a timeout on a stalled connection, so this makes the same two
 * requests.
 * @returns the path of the program
 * @throws Error with a one-line reason
 * @source core-bridge 1.24.0, sdk-core/crates/sdk-core/src/ephemeral_server/mod.rs
 */
export async function downloadTemporal(context: SourceContext): Promise<string> {
  const url = infoUrl(context.downloadBase)
  return fetchInto(context.cacheDir, async (folder) => {
    const watch = stallWatch(context)
    try {
      const info = archiveInfo.parse(await (await get(url, watch.signal)).json())
      watch.sawBytes(0)
      const archive = await get(info.archiveUrl, watch.signal)
      await extract(archive, { fileToExtract: info.fileToExtract, folder }, watch, context)
      return join(folder, info.fileToExtract)
    } catch (error) {
      throw watch.signal.aborted ? watch.signal.reason : new Error(`${new URL(url).host}: ${reasonOf(error)}`)
    } finally {
      watch.end()
    }
  })
}

function infoUrl(base: string): string {
  const [arch, platform] = [architectures[process.arch], platforms[process.platform]]
  if (!arch || !platform) throw new Error(`not available for ${process.platform} on ${process.arch}`)
  const query = { arch, platform, format: 'tar.gz', 'sdk-name': 'sdk-typescript', 'sdk-version': sdkVersion }
  return `${base}/cli/default?${new URLSearchParams(query)}`
}

async function get(url: string, signal: AbortSignal): Promise<Response> {
  const response = await fetch(url, { signal })
  if (!response.ok || !response.body) throw new Error(`the server answered ${response.status}`)
  return response
}

async function extract(
  archive: Response,
  { fileToExtract, folder }: { fileToExtract: string; folder: string },
  watch: StallWatch,
  { log, progressMs }: SourceContext,
): Promise<void> {
  const tar = spawn('tar', ['-xf', '-', '-C', folder, fileToExtract], { stdio: ['pipe', 'ignore', 'pipe'] })
  const complaints: string[] = []
  tar.stderr.on('data', (bytes: Buffer) => complaints.push(bytes.toString()))
  const ended = once(tar, 'close') as Promise<[number | null]>
  const total = Number(archive.headers.get('content-length')) || 0
  let seen = 0
  const count = async function* (bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const chunk of bytes) {
      seen += chunk.length
      watch.sawBytes(chunk.length)
      yield chunk
    }
  }
  log(`Downloading the Temporal server (once${total ? `, ${megabytes(total)}` : ''}).`)
  const done = reportProgress(progressMs, (s) =>
    log(`… ${megabytes(seen)} of the Temporal server after ${s} s`),
  )
  try {
    const body = Readable.fromWeb(archive.body as Parameters<typeof Readable.fromWeb>[0])
    const [flow, end] = await Promise.allSettled([
      pipeline(body, count, createGunzip(), tar.stdin, { signal: watch.signal }),
      ended,
    ])
    if (end.status === 'rejected') throw new Error(`\`tar\` could not be started (${reasonOf(end.reason)})`)
    if (end.value[0] === 0 && !watch.signal.aborted) return
    if (flow.status === 'rejected' && !hasTarClosedFirst(flow.reason)) throw flow.reason
    throw new Error(complaints.join('').trim() || 'the archive cannot be read')
  } finally {
    done()
  }
}

/** tar stops reading after the last file, before the padding of the archive: that is not a failure. */
function hasTarClosedFirst(error: NodeJS.ErrnoException): boolean {
  return error.code === 'EPIPE' || error.code === 'ERR_STREAM_PREMATURE_CLOSE'
}

type StallWatch = { signal: AbortSignal; sawBytes(count: number): void; end(): void }

/** Aborts when no data arrives for `stallMs`, and after `fetchMs` in any case. */
function stallWatch({ stallMs, fetchMs }: SourceContext): StallWatch {
  const controller = new AbortController()
  const giveUp = (why: string): void => controller.abort(new Error(why))
  const stalled = setTimeout(() => giveUp(`no data received for ${stallMs / 1000} s`), stallMs)
  const overdue = setTimeout(() => giveUp(`not complete after ${fetchMs / 1000} s`), fetchMs)
  return {
    signal: controller.signal,
    sawBytes: () => void stalled.refresh(),
    end: () => [stalled, overdue].forEach(clearTimeout),
  }
}

/** The message of an error, or of its cause for `fetch failed`. */
function reasonOf(error: unknown): string {
  const { message, cause } = error as Error
  const detail = cause as { code?: string; message?: string } | undefined
  return detail ? detail.message || detail.code || message : message
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(0)} MB`
}
