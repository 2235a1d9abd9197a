/** The style of a card, in the colours of its page. Long lines wrap and are never hidden. */
export const cardStyle = `
.card { margin: 1.25rem 0; padding: .25rem 1.25rem 1.1rem; border: 1px solid var(--line); border-left: .3rem solid var(--accent); border-radius: .5rem; background: var(--card); overflow-wrap: anywhere }
.card h2 { margin: .9rem 0; font-size: 1.15rem }
.card dl { margin: 0 } .card dl div { display: flex; gap: 0 .75rem }
.card dt { flex: 0 0 7.5rem; color: var(--soft) } .card dd { margin: 0; flex: 1 1 0; min-width: 0; unicode-bidi: isolate }
.card figure { margin: 1.1rem 0 0 } .card figcaption { color: var(--soft); font-size: .9375rem }
.card pre { margin: .35rem 0 0; padding: .6rem .9rem; border-left: .2rem solid var(--soft); background: var(--paper); font: inherit; white-space: pre-wrap }
`
