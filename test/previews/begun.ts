import { randomBytes } from 'node:crypto'
import { expect } from '@jest/globals'
import { startPreview } from '../../src/db/queries/previews/previews.ts'
import { hashKey } from '../../src/keys/api-key.ts'
import { limits } from '../../src/limits.ts'
import { standingOf } from '../../src/operations/clearance/evaluate-clearance.ts'
import type { CallContext } from '../../src/operations/operation.ts'
import { previewRow } from '../../src/operations/previews/preview-row.ts'
import { participantOf } from '../../src/operations/workspaces/workspace-access.ts'
import { newPreviewId } from '../../src/previews/label.ts'
import type { TestGate } from '../support/gate.ts'
import type { PreviewScene } from '../support/preview.ts'

/** The row of a start whose process died before it told Temporal. @returns the preview's id */
export async function begun({ deps }: TestGate, scene: PreviewScene): Promise<string> {
  const previewId = newPreviewId()
  const context = {
    deps,
    account: scene.account.account,
    keyId: scene.account.keyId,
    keyHash: hashKey(scene.account.key),
    actors: null,
    source: 'mcp',
  } as CallContext
  const acting = await participantOf(context, 'site', scene.actor)
  const { policy, tier } = standingOf(deps, acting.facts, acting.member)
  const asked = {
    operation: 'start',
    conversationId: 'site',
    previewId,
    acting,
    policy,
    tier,
    rule: 'test',
  } as const
  const { outcome } = await startPreview(deps.db, {
    account: context.account,
    previewId,
    conversationId: 'site',
    row: previewRow(context, asked),
    versions: {
      member: acting.member.version,
      curricula: acting.facts.curriculaVersion,
      policy: acting.facts.policyVersion,
    },
    linkSecret: randomBytes(32),
    hardMs: 60_000,
    totalMs: 60_000,
    accountMax: 10,
    hostDeadMs: limits.previewHostDeadMs,
    dueMs: 0,
    apiKey: context.keyHash,
  })
  expect(outcome).toBe('created')
  return previewId
}
