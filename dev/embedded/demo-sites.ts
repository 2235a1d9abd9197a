/** A conversation of the demo account: its participants and its files. */
export interface DemoConversation {
  id: string
  title: string
  /** Names from the demo roster. */
  participants: string[]
  /** By path. */
  files: Record<string, string>
}

const page = (title: string, body: string) => `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>${title}</title>
    <link rel="stylesheet" href="css/site.css">
  </head>
  <body>
${body}
  </body>
</html>
`

const packageJson = (name: string, description: string) =>
  `${JSON.stringify({ name, version: '1.0.0', private: true, description }, null, 2)}\n`

const moonBakery: DemoConversation = {
  id: 'moon-bakery',
  title: 'A page for the Moon Bakery',
  participants: ['Grace Hopper', 'Ada Lovelace', 'Katherine Johnson'],
  files: {
    'README.md': `# Moon Bakery

One page and one style sheet, no build step: open \`index.html\`.

- The opening hours are in \`index.html\`.
- The colours are at the top of \`css/site.css\`.
`,
    'package.json': packageJson('moon-bakery', 'The page of a bakery that opens at moonrise'),
    '.gitignore': 'node_modules/\ndist/\n*.log\n',
    'index.html': page(
      'Moon Bakery',
      `    <header>
      <p class="moon" aria-hidden="true">☾</p>
      <h1>Moon Bakery</h1>
      <p>Fresh at moonrise, sold out by dawn.</p>
    </header>
    <main>
      <section>
        <h2>Tonight</h2>
        <ul>
          <li>Crescent rolls with almond <span>2.80 €</span></li>
          <li>Rye of the dark side <span>4.20 €</span></li>
          <li>Lemon tart, waxing <span>3.50 €</span></li>
        </ul>
      </section>
      <section>
        <h2>Open</h2>
        <p>Tuesday to Saturday, 20:00 – 04:00<br>Orbit Street 7</p>
      </section>
    </main>
    <footer>Made in a conversation.</footer>`,
    ),
    'css/site.css': `:root {
  --night: #12162b;
  --crust: #e9c58f;
  --paper: #f7f1e5;
}

* {
  box-sizing: border-box;
}

body {
  margin: 0 auto;
  max-width: 40rem;
  padding: 2rem 1.25rem;
  background: var(--night);
  color: var(--paper);
  font: 1.05rem/1.6 Georgia, serif;
}

header {
  text-align: center;
}

.moon {
  margin: 0;
  color: var(--crust);
  font-size: 4rem;
  line-height: 1;
}

h1,
h2 {
  color: var(--crust);
  font-weight: normal;
}

ul {
  padding: 0;
  list-style: none;
}

li {
  display: flex;
  justify-content: space-between;
  gap: 1rem;
  border-bottom: 1px dotted #566;
  padding: 0.4rem 0;
}

footer {
  margin-top: 3rem;
  font-size: 0.85rem;
  opacity: 0.7;
}
`,
  },
}

const tideTable: DemoConversation = {
  id: 'tide-table',
  title: 'Tides for the sailing club',
  participants: ['Ada Lovelace', 'Katherine Johnson'],
  files: {
    'README.md': `# Tide table

Today's tides for the club house screen. The times are examples: put a real forecast into \`data/tides.json\`.
`,
    'package.json': packageJson('tide-table', 'Tides on the screen of a sailing club'),
    'index.html': page(
      'Tides today',
      `    <main>
      <h1>Tides today</h1>
      <table>
        <thead>
          <tr><th>Time</th><th>Tide</th><th>Height</th></tr>
        </thead>
        <tbody>
          <tr><td>03:12</td><td>High</td><td>4.1 m</td></tr>
          <tr><td>09:24</td><td>Low</td><td>0.9 m</td></tr>
          <tr><td>15:38</td><td>High</td><td>4.3 m</td></tr>
          <tr><td>21:50</td><td>Low</td><td>0.7 m</td></tr>
        </tbody>
      </table>
    </main>`,
    ),
    'css/site.css': `body {
  margin: 0;
  display: grid;
  min-height: 100vh;
  place-items: center;
  background: linear-gradient(#bfe3f0, #0b6a8f);
  font: 1.4rem/1.5 system-ui, sans-serif;
}

main {
  border-radius: 1rem;
  padding: 1.5rem 2.5rem;
  background: #fffd;
}

table {
  border-collapse: collapse;
  font-variant-numeric: tabular-nums;
}

th,
td {
  border-bottom: 1px solid #0b6a8f44;
  padding: 0.3rem 1.2rem 0.3rem 0;
  text-align: left;
}
`,
    'data/tides.json': `${JSON.stringify(
      [
        { time: '03:12', tide: 'high', metres: 4.1 },
        { time: '09:24', tide: 'low', metres: 0.9 },
        { time: '15:38', tide: 'high', metres: 4.3 },
        { time: '21:50', tide: 'low', metres: 0.7 },
      ],
      null,
      2,
    )}\n`,
  },
}

/** The first member of the roster participates only in the first one, to show that others are not visible. */
export const demoConversations: DemoConversation[] = [moonBakery, tideTable]
