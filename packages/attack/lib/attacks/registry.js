import { appPages } from './app-pages.js'
import { apps } from './apps.js'
import { bounds } from './bounds.js'
import { consent } from './consent.js'
import { identity } from './identity.js'
import { injection } from './injection.js'
import { keys } from './keys.js'
import { races } from './races.js'
import { replay } from './replay.js'
import { sandbox } from './sandbox.js'
import { unicode } from './unicode.js'

/** Every attack, in the order in which it is tried. @type {import('../index.js').Attack[]} */
export const attacks = [
  ...consent,
  ...identity,
  ...replay,
  ...races,
  ...bounds,
  ...injection,
  ...unicode,
  ...keys,
  ...appPages,
  ...apps,
  ...sandbox,
]
