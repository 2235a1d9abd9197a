export { load } from '../ts-hooks.js'

const globals = new URL('globals.js', import.meta.url).href

/**
 * `@jest/globals` outside of Jest's own module loader only throws: the tests get what stands for it. And what a module of
 * `?run=2` imports of ours is of that run too.
 */
export async function resolve(specifier, context, nextResolve) {
  if (specifier === '@jest/globals') return { url: globals, shortCircuit: true }
  const resolved = await nextResolve(specifier, context)
  const run = /\?run=\d+$/.exec(context.parentURL ?? '')?.[0]
  return run !== undefined && isOurs(resolved.url) ? { ...resolved, url: resolved.url + run } : resolved
}

const isOurs = (url) => /^file:[^?]*$/.test(url) && !url.includes('/node_modules/')
