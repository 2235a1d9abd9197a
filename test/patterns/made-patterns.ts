/**
 * A process of its own: loads the modules of its arguments, and prints each pattern that was made of a text meanwhile, with the
 * line that made it.
 */
const made: { place: string; source: string; flags: string }[] = []
const record = (pattern: RegExp): RegExp => {
  for (const [, place] of new Error('where').stack!.matchAll(/(file:\/\/[^\s)]+):\d+\)?$/gm))
    made.push({ place: place!, source: pattern.source, flags: pattern.flags })
  return pattern
}
globalThis.RegExp = new Proxy(RegExp, {
  construct: (target, parts: [string, string]) => record(new target(...parts)),
  apply: (target, _, parts: [string, string]) => record(target(...parts)),
})

for (const url of process.argv.slice(2)) await import(url)
process.stdout.write(JSON.stringify(made))
