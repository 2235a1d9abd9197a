/** Where the version of the product stands. `package.json` of the root is the source; `npm run release:version` writes the others. */
import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..')

export const productVersion = () => JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).version

const inJson = /^ {2}"version": "([^"]+)"/m
const packages = readdirSync(join(root, 'packages'), { withFileTypes: true }).filter((entry) =>
  entry.isDirectory(),
)

/** Each file, and the patterns whose first group is the version. */
export const places = [
  ...packages
    .filter(({ name }) => name !== 'client-python')
    .map(({ name }) => ({ file: `packages/${name}/package.json`, patterns: [inJson] })),
  { file: 'docker-compose.yml', patterns: [/image: qualification-gate(?:-sandbox)?:(\S+)/g] },
  { file: 'docs/kubernetes.md', patterns: [/tag: (\d\S+)/g] },
  { file: 'README.md', patterns: [/\*\*Status\*\*: (\d+\.\d+\.\d+)/g] },
  { file: 'packages/client-python/pyproject.toml', patterns: [/^version = "([^"]+)"/m] },
  { file: 'packages/hook/claude-plugin/.claude-plugin/plugin.json', patterns: [inJson] },
  {
    file: 'deploy/helm/qualification-gate/Chart.yaml',
    patterns: [/^version: (.+)$/m, /^appVersion: (.+)$/m],
  },
  {
    file: 'deploy/kustomize/base/gate.yaml',
    patterns: [
      /app\.kubernetes\.io\/version: "([^"]+)"/g,
      /helm\.sh\/chart: qualification-gate-(\S+)/g,
      /image: qualification-gate:(\S+)/g,
    ],
  },
  { file: 'deploy/kustomize/overlays/example/kustomization.yaml', patterns: [/newTag: (\S+)/g] },
]

/** The versions that a text has in a place. */
export const versionsIn = (text, patterns) =>
  patterns.flatMap((pattern) => {
    const found = [...text.matchAll(new RegExp(pattern.source, `${pattern.flags.replace('g', '')}g`))]
    return found.length === 0 ? [undefined] : found.map(([, version]) => version)
  })

/** The same text with another version in those places. */
export const withVersion = (text, patterns, version) =>
  patterns.reduce(
    (changed, pattern) => changed.replace(pattern, (whole, was) => whole.replace(was, version)),
    text,
  )

/** The newest version that a changelog has, its date, and whether it has changes since. */
export function newestIn(changes) {
  const [unreleased, ...rest] = changes.split(/^## \[Unreleased\]$/m)
  const hasUnreleased = rest.length > 0
  const [, first, date] =
    /^## \[([^\]]+)\](?: - (\d{4}-\d{2}-\d{2}))?$/m.exec(rest.join('') || unreleased) ?? []
  return { first, date, hasUnreleased }
}
