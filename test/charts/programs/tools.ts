import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { projectRoot } from '../../../src/process/root.ts'

/** Beside what other tests install on first use. */
export const folder = join(projectRoot, 'build', 'charts')

/** What `go install` builds where it is not installed; helm takes some minutes, once. */
const modules = {
  helm: 'helm.sh/helm/v3/cmd/helm@v3.22.0',
  kubeconform: 'github.com/yannh/kubeconform/cmd/kubeconform@v0.8.0',
  kustomize: 'sigs.k8s.io/kustomize/kustomize/v5@v5.5.0',
}

/** @returns the path of the program @throws Error where it is neither installed nor can be built */
export function tool(name: keyof typeof modules): string {
  const places = [...(process.env['PATH'] ?? '').split(delimiter), join(folder, 'bin')]
  const found = places.map((place) => join(place, name)).find((file) => existsSync(file))
  if (found) return found
  mkdirSync(join(folder, 'bin'), { recursive: true })
  execFileSync('go', ['install', modules[name]], {
    env: { ...process.env, GOBIN: join(folder, 'bin') },
    stdio: 'inherit',
  })
  return join(folder, 'bin', name)
}

/** The folder of a Go module's files. */
export function sourcesOf(module: string): string {
  const told = execFileSync('go', ['mod', 'download', '-json', module], { cwd: folder, encoding: 'utf8' })
  return JSON.parse(told).Dir
}
