import { createRequire } from 'node:module'

const { name, version } = createRequire(import.meta.url)('../package.json')

/** @type {{ name: string, version: string }} */
export const tool = { name, version }
