import { limits } from '../../limits.ts'

/**
 * The page of the console to return to after signing in: only its own pages, whatever is asked for or stands in a cookie.
 * Pure.
 * @param asked  path and query, as requested
 * @returns undefined for the start page, the pages of signing in and out, files, and everything outside the console
 */
export function returnPath(asked: string | undefined): string | undefined {
  if (asked === undefined || asked.length > limits.returnPathCharsMax || !asked.startsWith('/console/'))
    return undefined
  if (!URL.canParse(asked, base)) return undefined
  // Without dot segments: they could lead out of the console.
  const { origin, pathname, search } = new URL(asked, base)
  const isOurs = origin === base && /^\/console\/[\w-]+(\/[\w%:.-]+)*$/.test(pathname)
  if (!isOurs || /^\/console\/sign-(in|out)(\/|$)|\.[a-z]+$/.test(pathname)) return undefined
  return `${pathname}${search}`
}

const base = 'http://gate.invalid'
