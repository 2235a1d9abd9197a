/**
 * Jest runs tests in a realm of its own, where an error thrown by Node itself is no `instanceof Error`, and libraries that
 * ask so lose its name and cause. Imported first, this makes `instanceof Error` answer as it does in a plain process.
 */
const ordinary = Function.prototype[Symbol.hasInstance]

Object.defineProperty(Error, Symbol.hasInstance, {
  value(this: unknown, candidate: unknown): boolean {
    return ordinary.call(this, candidate) || (this === Error && isErrorOfAnyRealm(candidate))
  },
})

function isErrorOfAnyRealm(candidate: unknown): boolean {
  if (typeof candidate !== 'object' || candidate === null) return false
  for (let proto = Object.getPrototypeOf(candidate); proto !== null; proto = Object.getPrototypeOf(proto)) {
    if (proto.constructor?.name === 'Error') return true
  }
  return false
}
