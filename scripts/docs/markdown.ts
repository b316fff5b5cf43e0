/** Writes Markdown for pages in the repository: code, tables, and the generated parts of a page. */

type Cell = string | number

export const codes = (names: readonly string[]): string => names.map(code).join(', ')

export const code = (text: Cell) => `\`${text}\``

export function markdownTable(head: readonly string[], rows: readonly (readonly Cell[])[]): string {
  const line = (cells: readonly Cell[]) => `| ${cells.map((cell) => String(cell).replaceAll('|', '\\|')).join(' | ')} |`
  return [line(head), `|${head.map(() => '---').join('|')}|`, ...rows.map(line)].join('\n')
}

/** Replaces each generated part of a page: the text between `<!-- made: NAME -->` and the next `<!-- end -->`. */
export function withParts(page: string, file: string, parts: Readonly<Record<string, string>>): string {
  return Object.entries(parts).reduce((text, [name, part]) => {
    const head = `<!-- made: ${name} -->\n`
    const from = text.indexOf(head)
    const to = text.indexOf('<!-- end -->', from)
    if (from < 0 || to < 0) throw new Error(`${file} has no placeholder for the part "${name}"`)
    return `${text.slice(0, from)}${head}${part}\n${text.slice(to)}`
  }, page)
}
