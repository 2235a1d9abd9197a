import { type Html, html } from '../../web/html.ts'

/** Shown until the account has a runner key: how to put the gate before the tool calls of a runner. */
export const firstSteps = (url: string): Html =>
  html`<div class="empty">
    <p>No runners yet. Put the gate before every tool call of an agent runner:</p>
    <ol>
      <li>
        Mint a key for the machine, bound to its member:
        <pre class="message code">
gate key mint --runner --actor grace@example.com --label "Grace laptop"</pre>
      </li>
      <li>
        On that machine, install the hook of the runner:
        <pre class="message code">
npx qualification-gate-hook install --runner claude --url ${url} --key …</pre>
      </li>
      <li>
        Check it:
        <pre class="message code">npx qualification-gate-hook doctor --runner claude</pre>
      </li>
    </ol>
    <p>The first call appears here. Until a call is allowed, it does not run.</p>
  </div>`
