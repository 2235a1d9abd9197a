import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { projectRoot } from '../../src/process/root.ts'

/** Every Markdown page, by its path from the root. */
export const pages: string[] = [
  ...readdirSync(projectRoot).filter((name) => name.endsWith('.md')),
  ...readdirSync(join(projectRoot, 'docs'))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
]

export const readPage = (page: string): string => readFileSync(join(projectRoot, page), 'utf8')

export interface Block {
  /** The words after the fence, for example `sh run`. */
  info: string
  text: string
  line: number
}

/** The fenced blocks of a page, in order. */
export function blocksOf(markdown: string): Block[] {
  const blocks: Block[] = []
  let open: Block | undefined
  for (const [at, line] of markdown.split('\n').entries()) {
    if (!line.startsWith('```')) {
      if (open) open.text += `${line}\n`
    } else if (open) {
      blocks.push(open)
      open = undefined
    } else open = { info: line.slice(3).trim(), text: '', line: at + 1 }
  }
  if (open) throw new Error(`the block of line ${open.line} has no end`)
  return blocks
}

/** The page without code. */
export function proseOf(markdown: string): string {
  return withoutBlocks(markdown).replaceAll(/`[^`\n]*`/g, '')
}

/** The texts in back ticks outside of blocks. */
export const codeWordsOf = (markdown: string): string[] =>
  [...withoutBlocks(markdown).matchAll(/`([^`\n]+)`/g)].map((match) => match[1]!)

/** The anchors of a page, named after its headings as GitHub does. */
export function anchorsOf(markdown: string): string[] {
  const seen = new Map<string, number>()
  return withoutBlocks(markdown)
    .split('\n')
    .filter((line) => /^#{1,6} /.test(line))
    .map((line) => {
      const slug = slugOf(line.replace(/^#+ /, ''))
      const times = seen.get(slug) ?? 0
      seen.set(slug, times + 1)
      return times === 0 ? slug : `${slug}-${times}`
    })
}

const slugOf = (heading: string): string =>
  heading
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{Letter}\p{Number} _-]/gu, '')
    .replaceAll(' ', '-')

const withoutBlocks = (markdown: string): string => markdown.replaceAll(/^```[^]*?^```$/gm, '')
