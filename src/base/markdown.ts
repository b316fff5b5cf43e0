/** Markdown for pages in the repository: code, tables, and the parts of a page that `npm run docs` writes. */

type Cell = string | number

export const code = (text: Cell) => `\`${text}\``

export function markdownTable(head: readonly string[], rows: readonly (readonly Cell[])[]): string {
  const line = (cells: readonly Cell[]) => `| ${cells.map((cell) => String(cell).replaceAll('|', '\\|')).join(' | ')} |`
  return [line(head), `|${head.map(() => '---').join('|')}|`, ...rows.map(line)].join('\n')
}

/** Replaces each named part of a page: the text between `<!-- made: NAME -->` and the next `<!-- end -->`. */
export function withParts(page: string, file: string, parts: Readonly<Record<string, string>>): string {
  return Object.entries(parts).reduce((text, [name, part]) => {
    const head = `<!-- made: ${name} -->\n`
    const from = text.indexOf(head)
    const to = text.indexOf('<!-- end -->', from)
    if (from < 0 || to < 0) throw new Error(`${file} has no place for the part "${name}"`)
    return `${text.slice(0, from)}${head}${part}\n${text.slice(to)}`
  }, page)
}
