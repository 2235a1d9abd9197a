/** Resolves `typescript` to TypeScript 5. */
export const resolve = (specifier, context, next) =>
  specifier === 'typescript'
    ? { url: new URL('typescript-5.js', import.meta.url).href, shortCircuit: true }
    : next(specifier, context)
