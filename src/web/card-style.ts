/**
 * The style of a card, in the colours of its page. Long lines wrap and are never hidden. On a phone each label
 * begins the line of its value, and the buttons of a card that is not long stay on the screen: of a long one, they follow what people
 * decide by.
 */
export const cardStyle = `
.card { max-width: 46rem; margin: 1.25rem 0; padding: .25rem 1.25rem 1.1rem; border: 1px solid var(--line); border-left: .3rem solid var(--accent); border-radius: .5rem; background: var(--card); overflow-wrap: anywhere }
.card h2 { margin: .9rem 0; font-size: 1.15rem }
.card dl { margin: .9rem 0 0 } .card dl div { display: flex; gap: 0 .75rem }
.card dt { flex: 0 0 11rem; color: var(--soft) } .card dd { margin: 0; flex: 1 1 0; min-width: 0; unicode-bidi: isolate }
.card figure { margin: .9rem 0 0 } .card figcaption { color: var(--soft); font-size: .9375rem }
.card pre { margin: .35rem 0 0; padding: .6rem .9rem; border-left: .2rem solid var(--soft); background: var(--paper); font: inherit; white-space: pre-wrap }
.card form { margin: 1.1rem 0 0; padding: 1.1rem 0 .9rem; border: solid var(--line); border-width: 1px 0 }
.card .choices { display: grid; grid-auto-flow: column; grid-auto-columns: 1fr; gap: .75rem; margin: 0 }
.card .choices button { width: 100%; min-height: 2.75rem; margin: 0; font-size: 1rem } .card button.second { border-color: #7d8694; background: var(--card); color: var(--ink); font-weight: 600 }
.card details .choices { margin-top: .75rem }
.card form p { margin: .75rem 0 0; font-size: .9375rem; color: var(--soft) }
.card form .notice, .card form .problem { margin-bottom: .75rem }
.card details { margin: .75rem 0 0 } .card summary { padding: .25rem 0; cursor: pointer }
.card details label { margin: .5rem 0 .25rem } .card textarea { width: 100%; padding: .5rem .65rem; border: 1px solid #7d8694; border-radius: .4rem; background: var(--paper); color: inherit; font: inherit }
.card .fold { margin: 0; padding: .35rem .9rem; border-left: .2rem solid var(--soft); background: var(--paper) } .card .fold pre { margin: 0; padding: .35rem 0; border: 0 }
@media (max-width: 36rem) {
.card { margin: .75rem 0; padding: 0 .9rem .9rem } .card h2 { margin: .6rem 0 0; font-size: 1.05rem }
.card figure, .card dl { margin-top: .5rem } .card figcaption, .card dt { font-size: .875rem; line-height: 1.35 }
.card pre { padding: .4rem .7rem; line-height: 1.4 }
.card dl div { display: block; margin-bottom: .2rem; line-height: 1.4 } .card dt, .card dd { display: inline }
.card form { margin-top: .6rem; padding: .75rem 0 .4rem } .card form details { margin-top: .25rem } .card form p { margin-top: .5rem } }
@media (max-width: 36rem) and (min-height: 34rem) {
.card.brief form:not(:has(details[open])) { position: sticky; bottom: var(--thumb, 0px); background: var(--card) } }
`
