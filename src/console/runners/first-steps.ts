import { type Html, html } from '../../web/html.ts'
import { keysPath } from '../keys/list-page.ts'

/** Shown until the account has a runner key: how to put the gate before the tool calls of a runner. */
export const firstSteps = (url: string): Html =>
  html`<div class="empty">
    <p>No runners yet. Put the gate before every tool call of an agent runner:</p>
    <ol>
      <li>
        <a href="${keysPath}/new/runner">Mint a runner key</a> for the machine, bound to its member. Or on the
        command line:
        <pre class="message code">gate key mint --runner --actor ada@example.com --label "Ada's laptop"</pre>
      </li>
      <li>
        On that machine, install the hook of the runner, inside a checkout of the gate (its npm package is not
        published, and one that is found there under this name is not ours):
        <pre class="message code">
npx --no qualification-gate-hook install --runner claude --url ${url.replace(/(?<!\/)\/+$/, '')} --key …</pre>
      </li>
      <li>
        Check that calls are blocked:
        <pre class="message code">npx --no qualification-gate-hook doctor --runner claude</pre>
      </li>
    </ol>
    <p>The first call appears here.</p>
  </div>`
