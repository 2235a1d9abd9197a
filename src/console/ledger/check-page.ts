import { html } from '../../web/html.ts'
import { definePage } from '../page.ts'
import { pageScript, verifierScript } from '../scripts.ts'
import { ledgerPath } from './ledger-path.ts'

export const checkPath = `${ledgerPath}/check`

/** Checks a file in the browser. The one page that runs a script: the stand-alone verifier, which is no part of the service. */
export const checkPage = definePage({
  path: checkPath,
  async show() {
    return {
      title: 'Check a file',
      script: pageScript,
      body: html`<p>
          Checks a sealed export, the proof of an entry or a receipt against the keys that you trust. The
          check runs in your browser. The file is not uploaded.
        </p>
        <noscript>
          <p class="notice">
            This page needs JavaScript. Without it,
            <a href="${verifierScript}" download="verify.mjs">download the verifier</a> and run
            <code>node verify.mjs FILE --policy POLICY</code>.
          </p>
        </noscript>
        <div class="field">
          <label for="file">File</label>
          <input type="file" id="file" aria-describedby="file-hint" />
          <p class="hint" id="file-hint">
            <code>.jsonl</code>, <code>.tlog-proof</code> or a receipt. You can also drop it on this page.
          </p>
        </div>
        <div class="field">
          <label for="trusted">Keys that you trust</label>
          <textarea id="trusted" rows="6" spellcheck="false" aria-describedby="trusted-hint"></textarea>
          <p class="hint" id="trusted-hint">
            A <a href="https://c2sp.org/tlog-policy" rel="noreferrer">trust policy</a> (<code>log …</code>,
            <code>quorum …</code>), or for a receipt the JSON of <code>/.well-known/gate-receipts.json</code>.
            Do not take them from the sender of the file. For files of this gate, an administrator can
            <a href="${ledgerPath}/policy">download its trust policy</a>.
          </p>
        </div>
        <div class="field">
          <label for="payload">Payload <span class="optional">(optional, for a receipt)</span></label>
          <input type="file" id="payload" />
        </div>
        <p><button type="button" id="check" disabled>Check file</button></p>
        <div id="verdict" role="status"></div>
        <p class="hint">
          The gate that you check serves this page. If you do not trust it, get
          <code>qualification-gate-verify</code> from another place and run it yourself. You can compare it
          with <a href="${verifierScript}" download="verify.mjs">the file that this page runs</a>.
        </p>
        <p class="pager"><a href="${ledgerPath}">Back to ledger</a></p>`,
    }
  },
})
