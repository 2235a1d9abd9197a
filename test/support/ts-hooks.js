import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { transform } from '@swc/core'

/** Strips the types, as jest does it. */
export async function load(url, context, nextLoad) {
  if (!url.startsWith('file:') || !url.endsWith('.ts')) return nextLoad(url, context)
  const options = { jsc: { target: 'es2023', parser: { syntax: 'typescript' } }, module: { type: 'es6' } }
  const { code } = await transform(await readFile(fileURLToPath(url), 'utf8'), { ...options, swcrc: false })
  return { format: 'module', source: code, shortCircuit: true }
}
