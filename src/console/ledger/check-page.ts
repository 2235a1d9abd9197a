import { html } from '../../web/html.ts'
import { definePage } from '../page.ts'
import { pageScript, verifierScript } from '../scripts.ts'
import { ledgerPath } from './ledger-path.ts'

export const checkPath = `${ledgerPath}/check`

/** Checks a file in the browser. The one page that runs a script: the verifier that strangers use, which is no part of the service. */
export const checkPage = definePage({
  path: checkPath,
  async show() {
    return {
      title: 'Check a file',
      script: pageScript,
      body: html`<p>
          Checks a sealed export, the proof of an entry or a receipt against the keys that you trust. Your
          browser does this; the file is not uploaded.
        </p>
        <noscript>
          <p class="notice">
            This page needs a script. Without one,
            <a href="${verifierScript}" download="verify.mjs">download</a> the verifier and run
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
            A <a href="https://c2sp.org/tlog-policy" rel="noreferrer">policy</a> (<code>log …</code>,
            <code>quorum …</code>); for a receipt, the JSON of the gate’s keys. Get them from somewhere else
            than the file.
          </p>
        </div>
        <div class="field">
          <label for="payload">Payload <span class="optional">(optional, for a receipt)</span></label>
          <input type="file" id="payload" />
        </div>
        <p><button type="button" id="check" disabled>Check file</button></p>
        <div id="verdict" role="status"></div>
        <p class="hint">
          This page comes from the gate that you check. To rely on nothing of it, get
          <code>qualification-gate-verify</code> from another place, and run it yourself. Here is
          <a href="${verifierScript}" download="verify.mjs">the file that this page runs</a>, to compare.
        </p>
        <p class="pager"><a href="${ledgerPath}">Back to ledger</a></p>`,
    }
  },
})
