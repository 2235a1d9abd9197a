/** A metric of a scrape, with its labels. */
export interface Sample {
  name: string
  labels: Record<string, string>
  value: number
}

/** Reads the text form of Prometheus. */
export function samplesOf(text: string): Sample[] {
  return text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => {
      const [, name, labels = '', value] = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$/.exec(line)!
      const pairs = [...labels.matchAll(/([\w]+)="((?:[^"\\]|\\.)*)"/g)]
      return {
        name: name!,
        labels: Object.fromEntries(pairs.map((one) => [one[1], one[2]])),
        value: Number(value),
      }
    })
}

/** The value of the one series with these labels; undefined: a scrape does not have it. */
export function valueOf(text: string, name: string, labels: Record<string, string> = {}): number | undefined {
  return samplesOf(text).find(
    (sample) =>
      sample.name === name &&
      Object.entries(labels).every(([label, value]) => sample.labels[label] === value),
  )?.value
}

export async function scrape(port: number): Promise<string> {
  const answer = await fetch(`http://127.0.0.1:${port}/metrics`)
  if (answer.status !== 200) throw new Error(`scrape: ${answer.status}`)
  return answer.text()
}
