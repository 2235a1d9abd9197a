import { attacks } from './attacks/registry.js'
import { requirements } from './requirements.js'

/**
 * The run as SARIF 2.1.0: one rule an attack, one result for each transport over which it was tried.
 * @type {typeof import('./index.js').sarifOf}
 */
export function sarifOf({ tool, url, results, started_at: startedAt }) {
  return {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: { driver: { name: tool.name, semanticVersion: tool.version, rules: attacks.map(ruleOf) } },
        columnKind: 'utf16CodeUnits',
        invocations: [{ executionSuccessful: true, startTimeUtc: startedAt }],
        results: results.map((result) => resultOf(result, url)),
      },
    ],
  }
}

/** @param {import('./index.js').Attack} attack */
const ruleOf = ({ id, topic, title, requirements: names }) => ({
  id,
  name: id.replaceAll(/(?:^|-)(.)/g, (_, /** @type {string} */ letter) => letter.toUpperCase()),
  shortDescription: { text: title },
  fullDescription: { text: names.map((name) => `${name}: ${requirements[name]?.text}`).join(' ') },
  properties: { tags: ['security', topic, ...names] },
})

const kinds = { passed: 'pass', failed: 'fail', not_applicable: 'notApplicable' }

/** @param {import('./index.js').Result} result @param {string} url */
const resultOf = ({ id, transport, verdict, title, reason, evidence }, url) => ({
  ruleId: id,
  ruleIndex: attacks.findIndex((attack) => attack.id === id),
  kind: kinds[verdict],
  level: verdict === 'failed' ? 'error' : 'none',
  message: { text: reason === undefined ? title : `${title}: ${reason}` },
  locations: [{ physicalLocation: { artifactLocation: { uri: url } } }],
  partialFingerprints: { 'attack/transport': `${id}/${transport}` },
  properties: { transport, evidence },
})
