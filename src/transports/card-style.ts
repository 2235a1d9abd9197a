/** How a card looks. A line is broken where it must be, and never hidden. */
export const cardStyle = `
.card { margin: 1.25rem 0; padding: .25rem 1.25rem 1rem; border: 1px solid #8888; border-radius: .5rem; overflow-wrap: anywhere }
.card h2 { font-size: 1.2rem; margin: .75rem 0 }
.card dl { margin: 0 } .card dl div { display: flex; flex-wrap: wrap; gap: 0 .75rem }
.card dt { font-weight: 600; min-width: 7rem } .card dd { margin: 0; flex: 1 1 12rem; unicode-bidi: isolate }
.card figure { margin: 1rem 0 0 } .card figcaption { font-weight: 600 }
.card pre { margin: .35rem 0 0; padding: .5rem .75rem; background: #8882; font: inherit; white-space: pre-wrap; overflow: hidden }
`
