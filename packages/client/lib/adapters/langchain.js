import { signalOf } from '../requests.js'
import { toolThat } from './langchain-tool.js'

/** @type {typeof import('./langchain.d.ts').gateTool} */
export const gateTool = (gate, kind, { timeoutMs = Infinity, ...options }) =>
  toolThat(gate, kind, options, (calls, action, config) =>
    calls.decided(action, { timeoutMs, ...signalOf(config) }),
  )

/** @type {typeof import('./langchain.d.ts').gated} */
export const gated = (gate, kind, run, options) => gateTool(gate, kind, { ...options, run })
