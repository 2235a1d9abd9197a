import { z } from 'zod'
import { agentText } from '../actions/agent-text.ts'
import { consentChannels, consentStrengths, requestedStrengths } from '../gate/consent.ts'
import { denialCodes } from '../gate/denial.ts'
import { statuses } from '../gate/lifecycle.ts'
import { tierSources, tiers } from '../gate/tier.ts'
import { AwaitingApprovals, ConsentGiven, MandateProblem } from './consent-schema.ts'
import { limits } from '../limits.ts'
import { previewModes } from '../db/queries/previews/previews.ts'
import { previewIdForm } from '../previews/label.ts'
import { conversationIdForm } from '../workspaces/store.ts'

/** Text that PostgreSQL and JSON can store: valid Unicode without NUL. */
export const text = (charsMax: number) =>
  z
    .string()
    .min(1, 'must not be empty')
    .max(charsMax, `must have at most ${charsMax} characters`)
    .refine((value) => value.isWellFormed() && !value.includes('\0'), 'must be valid Unicode without NUL')

/**
 * The fields that name a member.
 * @source docs/rest.md#name-the-member
 */
export const actorFields = {
  email: text(limits.identityCharsMax).optional().meta({ description: "The member's e-mail address." }),
  provider: z.enum(['email', 'slack'], 'must be email or slack').optional(),
  external_id: text(limits.identityCharsMax)
    .optional()
    .meta({ description: "The member's id at the provider." }),
}
export const Actor = z.strictObject(actorFields).meta({ description: 'Email, or provider and external_id.' })
export type Actor = z.output<typeof Actor>

/** Why the agent proposes an action. */
export const Rationale = agentText(limits.rationaleCharsMax, 'Why, for the member.').optional()

/** Whether the member is asked when the action is proposed. False is as absent: agents may have to fill in every field. */
export const Ask = z.boolean('must be true or false').optional().meta({
  description: 'Ask the member at once.',
})

export const ActionId = z
  .int('must be a whole number')
  .positive('must be a positive whole number')
  .meta({ description: 'Of an action.' })

const count = z.int().min(0)
const postsInRoom = count.optional().meta({ description: 'Posts in the room in Microsoft Teams.' })
/** Marks a list of values that gets more: a client must not refuse the others. */
export const growing = { 'x-grows': true }
const dateTime = z.iso.datetime()

export const Capability = z.object({
  member: z.object({ name: z.string(), email: z.string().nullable(), providers: z.array(z.string()) }),
  tier: z.enum(tiers),
  tier_source: z.enum(tierSources),
  certified: z.boolean(),
  certifications: z.array(
    z.object({
      curriculum: z.string(),
      title: z.string(),
      certified: z.boolean(),
      modules_passed: count,
      modules_total: count,
      last_passed_at: dateTime.nullable(),
    }),
  ),
})
export type Capability = z.output<typeof Capability>

const changeFields = { field: z.string(), from: z.unknown().optional(), to: z.unknown().optional() }

export const ActionRequest = z
  .object({
    id: z.int(),
    kind: z.string(),
    kind_version: z.int().optional().meta({
      description: 'Of a declared kind: the version of its document that the action is executed by.',
    }),
    status: z.enum(statuses),
    member: z
      .string()
      .meta({ description: "The member's e-mail address or `slack:U…` when the action was created." }),
    tier_at_request: z.enum(tiers),
    source: z.string(),
    requested_by: z.string().optional().meta({ description: 'The name of the API key that proposed it.' }),
    requested_host: z
      .string()
      .optional()
      .meta({ description: 'The host of the connected app that proposed it. Absent: it was not one.' }),
    payload: z.record(z.string(), z.unknown()),
    created_at: dateTime,
    denial_reason: z.string().optional(),
    denial_code: z
      .enum(denialCodes)
      .meta({ ...growing, description: 'Which rule denied it. Later versions have more.' })
      .optional(),
    needed_tier: z.enum(tiers).optional().meta({ description: 'The tier that would suffice.' }),
    curricula: z.array(z.string()).optional().meta({ description: 'The curricula that grant that tier.' }),
    rationale: z.string().optional().meta({ description: 'Why the agent asks for it.' }),
    consent_required: z
      .enum(consentStrengths)
      .optional()
      .meta({ description: 'The consent that the policy required when it was proposed.' }),
    card: z.string().optional().meta({
      description:
        'Of an open proposal that moves money, where it is read or proposed: what the member is asked, as text to show them.',
    }),
    requires_confirmation: z.boolean(),
    blast_radius: z
      .object({ slack: count, email: count, unreachable: count, teams: postsInRoom })
      .meta({ description: 'How many members a broadcast reaches, by channel. Zeros for other kinds.' }),
    result: z.record(z.string(), z.unknown()).optional(),
    executed_at: dateTime.optional(),
    expires_at: dateTime.optional(),
    digest: z.string().optional().meta({ description: 'Hex SHA-256 of what the member consents to.' }),
    recipients_digest: z.string().optional().meta({ description: 'Hex SHA-256 of the frozen recipients.' }),
    consent: ConsentGiven.optional(),
    receipt: z.string().optional().meta({
      description:
        'Of an action whose member consented, for 30 days: a signed receipt (compact JWS) that other services can verify with `/.well-known/gate-receipts.json`. Not in lists.',
    }),
    receipt_problem: z.literal('payload_changed').optional().meta({
      description:
        'Why a consented action has no `receipt`. `payload_changed`: its stored payload is not the one that the member consented to. Do not act on it; tell the operator of the gate.',
    }),
    consent_request: z
      .object({
        required: z.enum(requestedStrengths),
        requested_via: z.enum(consentChannels),
        requested_at: dateTime,
        next: z.string().meta({ description: 'What to do now.' }),
      })
      .optional()
      .meta({
        description:
          'Present while a consent request to the member is open. After an approval the action executes automatically.',
      }),
    awaiting_approvals: AwaitingApprovals.optional(),
    mandate_problem: MandateProblem.optional(),
    consent_request_problem: z.string().optional().meta({
      description:
        'Of the answer to a proposal that the member is to be asked about at once: why nobody was asked, and what to do.',
    }),
    duplicate_of: z.int().optional().meta({
      description:
        'The id of an identical action: the oldest open one, or else the one confirmed last in the 24 hours before this proposal.',
    }),
    replaces: z.int().optional().meta({
      description: 'The id of the action that this one answers: the member declined it.',
    }),
    execution: z
      .object({
        state: z.literal('running'),
        delivered: count,
        remaining: count,
        claim: z.enum(['open', 'held', 'ended']).optional().meta({
          description: 'Of an action that is executed by claim. open: claim_action gives it to you.',
        }),
        attempts: count.optional().meta({ description: 'Calls of its executor or provider so far.' }),
        last_error: z.string().optional().meta({ description: 'Why the last of them failed.' }),
        failing_since: dateTime.optional(),
        next_attempt_at: dateTime.optional(),
        repeated_until: dateTime.optional().meta({ description: 'No attempt begins after it.' }),
      })
      .optional(),
    closed_reason: z
      .enum(['proposer', 'member_declined', 'approver_declined', 'expired', 'admin', 'refused'])
      .optional()
      .meta({
        description: 'Why it is `cancelled`. proposer: the agent cancelled. refused: the provider refused.',
      }),
    edited_by_member: z
      .object({ former_digest: z.string(), changes: z.array(z.object(changeFields)) })
      .optional()
      .meta({
        description:
          'What the member changed before they approved. `payload` and `digest` are what they made of it.',
      }),
    decline_reason: z.string().optional().meta({ description: 'Why the member declined it.' }),
  })
  .meta({ description: 'An action, with its state and result.' })
export type ActionRequest = z.output<typeof ActionRequest>

/** The answer to a claim. */
export const ClaimedAction = ActionRequest.extend({
  lease_expires_at: dateTime.meta({ description: 'Report the outcome before.' }),
  claim: z.string().meta({ description: 'Shown once. report_outcome needs it.' }),
}).meta({ description: 'A confirmed action, for its executor.' })
export type ClaimedAction = z.output<typeof ClaimedAction>

export const ActionPage = z.object({
  actions: z.array(ActionRequest),
  next_after: z
    .int()
    .optional()
    .meta({ description: 'Set `after` to this value for the next page. Absent on the last page.' }),
})

/** The form is not checked here: an invalid id is answered with 404, like an unknown one. */
export const ConversationId = z.string().meta({
  description: 'A conversation of the member.',
  pattern: conversationIdForm.source,
})

export const WorkspaceFiles = z.object({
  conversation_id: z.string(),
  files: z.array(
    z.object({
      path: z.string().meta({ description: 'Path relative to the workspace, with `/` between parts.' }),
      size: count.meta({ description: 'Size in bytes.' }),
      modified_at: dateTime,
    }),
  ),
  truncated: z.boolean(),
  note: z.string().optional(),
  next_after: z.string().optional().meta({ description: 'Set `after` to this value for the next page.' }),
})

export const WorkspaceFilePage = z.object({
  conversation_id: z.string(),
  path: z.string(),
  size: count.meta({ description: 'Size of the whole file in bytes.' }),
  offset: count.meta({ description: 'The byte offset at which `content` starts.' }),
  content: z.string(),
  encoding: z
    .enum(['utf-8', 'binary'])
    .meta({ description: '`binary`: the file is not text, and `content` is empty.' }),
  next_offset: count
    .nullable()
    .meta({ description: 'Set `offset` to this value for the next page; null at the end of the file.' }),
  truncated: z.boolean(),
  note: z.string().optional(),
})

/** The form is not checked here: an invalid id is answered with 404, like an unknown one. */
export const PreviewId = z.string().meta({
  description: 'From start_preview.',
  pattern: previewIdForm.source,
})

export const Preview = z.object({
  preview_id: z.string(),
  conversation_id: z.string(),
  status: z.enum(['starting', 'running', 'stopping', 'stopped', 'failed', 'expired']),
  mode: z.enum(previewModes).meta({
    description: '`static`: the files are served directly. `command`: the app of the workspace runs.',
  }),
  url: z.string().optional().meta({
    description:
      'Present while the preview runs. The member must open this link in a browser within 15 minutes.',
  }),
  started_at: dateTime,
  expires_at: dateTime,
  exit_code: z.int().optional(),
  error: z.string().optional().meta({ description: 'A code that says why it failed or expired.' }),
  log_tail: z.string().optional().meta({ description: 'The end of its output.' }),
})
export type Preview = z.output<typeof Preview>

/** The answer of start_preview. A denial has `action` and `status` only. */
export const StartedPreview = Preview.partial().extend({
  status: z.enum([...Preview.shape.status.options, 'denied']),
  action: ActionRequest.optional().meta({ description: 'The denied action.' }),
})

/** The fields that tell an agent what to do next: all that the list of tools describes of these answers. */
export const fieldsToolsDescribe = new Map<z.ZodType, z.ZodType>([
  [Capability, Capability.pick({ tier: true, certified: true, certifications: true })],
  [
    ActionRequest,
    ActionRequest.pick({ id: true, status: true, denial_reason: true, consent_required: true }),
  ],
  [ClaimedAction, ClaimedAction.pick({ id: true, payload: true, lease_expires_at: true, claim: true })],
  [WorkspaceFilePage, WorkspaceFilePage.pick({ content: true, next_offset: true })],
  [Preview, Preview.pick({ preview_id: true, status: true, url: true })],
  [StartedPreview, StartedPreview.pick({ preview_id: true, status: true, url: true, action: true })],
])
