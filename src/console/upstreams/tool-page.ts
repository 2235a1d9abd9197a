import { z } from 'zod'
import { idOf, namesOf } from '../../operations/names-of-ids.ts'
import { reviewDigest, toolName } from '../../operations/upstreams/fields.ts'
import { type ToolDetails, readTool, setToolRule } from '../../operations/upstreams/review.ts'
import { type Html, type Part, html } from '../../web/html.ts'
import { type PageContext, accountOf, asAdmin, definePage, idIn } from '../page.ts'
import { facts, formProblem, moment } from '../parts.ts'
import { setByWords } from '../policies/words.ts'
import { foreignDefinition, foreignText, writtenBy } from './foreign-text.ts'
import { toolPathOf, upstreamPathOf } from './paths.ts'
import { ruleControls, ruleFieldOf, ruleFields, ruleOf } from './rule-form.ts'
import { nameIn } from './server-page.ts'
import { claimPart, isWaiting, ruleFacts, stateBadge, stateWords } from './tool-parts.ts'

const path = toolPathOf(':upstream', ':tool')

/** One tool of an MCP server. */
export const toolPage = definePage({
  path,
  role: 'admin',
  async show(context) {
    const { upstream, tool } = await toolIn(context)
    return {
      title: tool.name,
      body: html`<p class="line">${stateBadge(tool)} ${stateWords[tool.state]}</p>
        ${facts(await toolFacts(context, tool))} ${actionsPart(upstream, tool)}
        <h2 id="rule">Rule</h2>
        ${facts(ruleFacts(tool))}
        <h2 id="definition">Definition</h2>
        ${definitionPart(upstream, tool)}
        <p class="pager"><a href="${upstreamPathOf(upstream)}">All tools of ${upstream}</a></p>`,
    }
  },
})

/** Changes the rule of a tool. */
export const toolRulePage = definePage({
  path: `${path}/rule`,
  role: 'admin',
  // A denial from the page of the tool names no rule: it denies whatever is in force.
  form: z.strictObject({ shown: reviewDigest.optional(), ...ruleFields }),
  fieldOf: ruleFieldOf,
  async show(context, _query, rejected) {
    const { upstream, tool } = await toolIn(context)
    return {
      title: `Rule of ${tool.name}`,
      body: html`${formProblem(rejected)}
        <p class="line">${stateBadge(tool)} ${stateWords[tool.state]}</p>
        ${facts([['What the server says', claimPart(tool)]])}
        <form method="post">
          ${ruleControls(tool, rejected)}
          <p class="actions">
            <button type="submit">Save rule</button>
            <a class="button" href="${toolPathOf(upstream, tool.tool)}">Go back</a>
          </p>
        </form>`,
    }
  },
  async send(context, { shown, ...fields }) {
    const { upstream, tool } = await toolIn(context)
    await setToolRule(asAdmin(context), { upstream, tool: tool.tool, rule: ruleOf(fields), shown })
    return { to: toolPathOf(upstream, tool.tool), flash: 'tool_rule_set' }
  },
})

/** The tool that the address names. @throws GateError `not_found` */
export async function toolIn(context: PageContext): Promise<{ upstream: string; tool: ToolDetails }> {
  const upstream = nameIn(context)
  const tool = await readTool(accountOf(context), upstream, idIn(context, 'tool', toolName))
  return { upstream, tool }
}

/** What is known of a tool, and what its server claims. */
export async function toolFacts(context: PageContext, tool: ToolDetails): Promise<[string, Part][]> {
  const { reviewed_by: by, quarantined_at: quarantinedAt, gone_at: goneAt } = tool
  const names = await namesOf(context.deps.db, context.session.account, [by])
  return [
    ['Name for agents', html`<code>${tool.name}</code>`],
    ['Reviewed', moment(tool.reviewed_at)],
    ...(by === null ? [] : [fact('Reviewed by', setByWords({ by, byName: names.get(idOf(by)) }))]),
    ...(quarantinedAt === null ? [] : [fact('In quarantine since', moment(quarantinedAt))]),
    ...(goneAt === null ? [] : [fact('Not listed since', moment(goneAt))]),
    ['Claim of the server', html`${claimPart(tool)} <span class="hint">Not used for decisions</span>`],
    ['Definition (SHA-256)', html`<code>${tool.hash}</code>`],
  ]
}

const fact = (name: string, value: Part): [string, Part] => [name, value]

/** The description of a tool to read, and its whole definition. */
export const definitionPart = (
  upstream: string,
  { description, definition, unreadable }: ToolDetails,
): Html =>
  html`${
      description === null
        ? html`<p>It has no description.</p>`
        : foreignText(writtenBy(upstream, 'Description'), description)
    }
    ${
      unreadable === undefined
        ? ''
        : foreignText(`Schema left out. The reason can quote the MCP server ${upstream}`, unreadable)
    }
    <p>Models read the definition as it is. Here, invisible characters are written out.</p>
    ${foreignDefinition(upstream, definition)}`

const actionsPart = (upstream: string, tool: ToolDetails): Html =>
  html`<div class="beside">
    <p>
      ${
        isWaiting(tool)
          ? html`<a class="button primary" href="${toolPathOf(upstream, tool.tool)}/review">Review tool</a>`
          : ''
      }
      <a class="button" href="${toolPathOf(upstream, tool.tool)}/rule">Change rule</a>
    </p>
    ${
      tool.rule.rule === 'deny'
        ? ''
        : html`<details>
            <summary>Deny calls</summary>
            <p>This replaces the whole rule. To go back to it later, keep a copy of its JSON.</p>
            <form method="post" action="${toolPathOf(upstream, tool.tool)}/rule">
              <input type="hidden" name="rule" value="deny" />
              <button class="danger" type="submit">Deny calls</button>
            </form>
          </details>`
    }
  </div>`
