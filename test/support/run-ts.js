/** `node --import ./test/support/run-ts.js file.ts` runs TypeScript as a process of its own, which a test may kill. */
import { register } from 'node:module'

register('./ts-hooks.js', import.meta.url)
