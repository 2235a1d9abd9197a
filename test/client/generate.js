/** `node test/client/generate.js openapi.json client.d.ts` writes the types of a client with openapi-typescript. */
import { readFile, writeFile } from 'node:fs/promises'
import { register } from 'node:module'

// openapi-typescript works with the JavaScript API of TypeScript 5, which TypeScript 7 does not have. npm cannot give it a
// TypeScript of its own, because it is a peer dependency, so it gets the copy that @ts-morph/common brings along.
register('./typescript-5-hooks.js', import.meta.url)

const { default: openapiTS, astToString } = await import('openapi-typescript')
const [from, to] = process.argv.slice(2)
await writeFile(to, astToString(await openapiTS(await readFile(from, 'utf8'))))
