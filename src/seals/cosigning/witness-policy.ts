import { readFileSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { GateError } from '../../errors.ts'
import { limits } from '../../limits.ts'
import { isLoopbackHost } from '../../network/loopback.ts'
import { projectRoot } from '../../process/root.ts'
import { parseTrustPolicy, type TrustPolicy } from '../trust-policy.ts'
import { openWitnesses, type Witnesses } from './witness-client.ts'

/**
 * The witnesses of this process; undefined without a policy.
 * @throws GateError `invalid`, as `readWitnessPolicy`
 */
export function witnessesOf({
  WITNESS_POLICY: setting,
}: {
  WITNESS_POLICY?: string | undefined
}): Witnesses | undefined {
  return setting === undefined ? undefined : openWitnesses(readWitnessPolicy(setting))
}

/**
 * The policy of the setting WITNESS_POLICY: its text, or the path of a file. A relative path counts from the folder of the
 * program.
 * @throws GateError `invalid` that names the file or the line
 */
export function readWitnessPolicy(setting: string): TrustPolicy {
  const policy = parseTrustPolicy(textOf(setting))
  for (const { name, url, line } of policy.witnesses) {
    if (url !== undefined && !isSafeUrl(url))
      throw new GateError(
        'invalid',
        `Line ${line} of the policy has a URL that is neither https nor loopback, or that holds a password or a query: ${name}.`,
      )
  }
  return policy
}

/** What a policy for those who check takes over from the setting: everything but the logs, as it is written there. */
export function witnessLines({ WITNESS_POLICY: setting }: { WITNESS_POLICY?: string | undefined }): string[] {
  if (setting === undefined) return ['quorum none']
  readWitnessPolicy(setting)
  return textOf(setting)
    .split('\n')
    .filter((line) => /^[ \t]*(witness|group|quorum)[ \t]/.test(line))
}

const textOf = (setting: string): string =>
  isPolicyText(setting) ? setting : readPolicyFile(resolve(projectRoot, setting))

/** A path has no line break, and does not begin with a word of a policy and a space. */
function isPolicyText(setting: string): boolean {
  return setting.includes('\n') || /^\s*(#|(log|witness|group|quorum)[ \t])/.test(setting)
}

/** @throws GateError `invalid` that names the file */
export function readPolicyFile(file: string): string {
  try {
    if (statSync(file).size <= limits.policyFileBytesMax)
      return new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(file))
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code
    throw new GateError(
      'invalid',
      code === 'ENOENT' ? `There is no policy file ${file}.` : `${file} cannot be read as UTF-8 text.`,
    )
  }
  throw new GateError('invalid', `The policy file ${file} is longer than ${limits.policyFileBytesMax} bytes.`)
}

function isSafeUrl(text: string): boolean {
  const { protocol, hostname, username, password, search, hash } = new URL(text)
  if (username || password || search || hash) return false
  return protocol === 'https:' || (protocol === 'http:' && isLoopbackHost(hostname))
}
