/**
 * What stands for `@jest/globals`. Modules stay loaded from one test file to the next, but each file has a `test`, hooks and a
 * `jest` of its own: these lead to those of the file that runs.
 */
let current = {}

export function setGlobals(globals) {
  current = globals
}

function forward(name) {
  const here = () => {
    if (current[name] === undefined) throw new Error(`\`${name}\` is there only while a test file runs.`)
    return current[name]
  }
  return new Proxy(function standIn() {}, {
    apply: (_, self, args) => Reflect.apply(here(), self, args),
    get: (_, property) => here()[property],
  })
}

export const afterAll = forward('afterAll')
export const afterEach = forward('afterEach')
export const beforeAll = forward('beforeAll')
export const beforeEach = forward('beforeEach')
export const describe = forward('describe')
export const expect = forward('expect')
export const jest = forward('jest')
export const test = forward('test')
