/** `npm run --silent sbom > sbom.cdx.json`, after an installation: prints the bill of materials of a release. */
import { billOfMaterials } from './bill-of-materials.js'

process.stdout.write(`${JSON.stringify(billOfMaterials(), null, 2)}\n`)
