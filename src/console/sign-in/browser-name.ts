/** The first that matches counts: other browsers also name Chrome or Safari. */
const browsers: [RegExp, string][] = [
  [/\bEdg(?:e|A|iOS)?\//, 'Edge'],
  [/\b(?:OPR|Opera|OPiOS)\//, 'Opera'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\b(?:Firefox|FxiOS)\//, 'Firefox'],
  [/\b(?:Chrome|CriOS|Chromium|HeadlessChrome)\//, 'Chrome'],
  [/\bVersion\/[\d.]+ (?:\w+(?:\/[\w.]+)? ){0,2}Safari\//, 'Safari'],
]

const systems: [RegExp, string][] = [
  [/\biPhone\b/, 'iPhone'],
  [/\biPad\b/, 'iPad'],
  [/\bAndroid\b/, 'Android'],
  [/\bWindows\b/, 'Windows'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bMac OS X\b|\bMacintosh\b/, 'macOS'],
  [/\bLinux\b/, 'Linux'],
]

const shownCharsMax = 60

/**
 * A browser for people: `Firefox on Linux`. One that is not known by name shows the start of what it calls itself. A
 * client can call itself anything. Pure.
 */
export function browserName(userAgent: string | null): string {
  if (userAgent === null || userAgent.trim() === '') return 'Unknown browser'
  const nameIn = (known: [RegExp, string][]) => known.find(([form]) => form.test(userAgent))?.[1]
  const browser = nameIn(browsers)
  if (browser === undefined)
    return userAgent.length > shownCharsMax ? `${userAgent.slice(0, shownCharsMax)}…` : userAgent
  const system = nameIn(systems)
  return system === undefined ? browser : `${browser} on ${system}`
}
