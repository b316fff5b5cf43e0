/** Renders terminal output as an animated SVG, in which each line appears at the time when it was printed. The text stays text, and the SVG loads nothing. */

const [charWidth, lineHeight, margin, barHeight] = [8.4, 19, 18, 34]
/** How long the complete picture stays before the animation restarts. */
const restMs = 6000
/** Brand colors by terminal color code. */
const names = { 31: 'bad', 32: 'ok', 33: 'warning', 34: 'info', 35: 'accent', 36: 'info', 90: 'muted' }

// biome-ignore lint/suspicious/noControlCharactersInRegex: terminals mark colors with this control character
const colorCode = /(\u001b\[[\d;]*m)/

const escaped = (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

/** Splits a line into pieces of one style each. */
function pieces(line) {
  const found = []
  let look = {}
  for (const part of line.split(colorCode)) {
    if (!part.startsWith('\u001b[')) {
      if (part !== '') found.push({ text: part, ...look })
      continue
    }
    for (const code of part.slice(2, -1).split(';')) {
      if (code === '' || code === '0') look = {}
      else if (code === '1') look = { ...look, bold: true }
      else if (code === '2') look = { ...look, dim: true }
      else if (code === '22') look = { ...look, bold: false, dim: false }
      else if (code === '39') look = { ...look, color: undefined }
      else if (names[code] !== undefined) look = { ...look, color: names[code] }
    }
  }
  return found
}

function span({ text, bold, dim, color }, colors) {
  const [, fill] = colors[color ?? (dim ? 'muted' : '')] ?? []
  const attributes = `${fill === undefined ? '' : ` fill="${fill}"`}${bold ? ' font-weight="700"' : ''}`
  return `<tspan${attributes}>${escaped(text)}</tspan>`
}

const plainOf = (line) =>
  line
    .split(colorCode)
    .filter((part) => !colorCode.test(part))
    .join('')
const lengthOf = (line) => [...plainOf(line)].length

/** Wraps a line that is wider than the picture. */
function wrapped({ text, atMs }, columns) {
  if (lengthOf(text) <= columns) return [{ text, atMs }]
  const rows = []
  // Continuation lines align with the text after the label, if the line has one.
  const [{ length: indent }] = /^ +(\w+ {2,})?/.exec(plainOf(text)) ?? ['']
  let row = ''
  for (const word of text.split(/(?<= )/)) {
    if (lengthOf(row + word) > columns && row !== '') {
      rows.push(row)
      row = ' '.repeat(indent)
    }
    row += word
  }
  return [...rows, row].map((part) => ({ text: part, atMs }))
}

/** Returns an SVG of a command and its output lines, each `{text, atMs}`; `colors` are the brand's. */
export function terminalPicture(command, lines, colors, columns = 118) {
  const rows = [{ text: `\u001b[90m$\u001b[0m ${command}`, atMs: 0 }, ...lines].flatMap((line) =>
    wrapped(line, columns),
  )
  const wholeMs = (rows.at(-1)?.atMs ?? 0) + restMs
  const width = Math.round(columns * charWidth + 2 * margin)
  const height = barHeight + rows.length * lineHeight + margin
  const texts = rows
    .map(({ text, atMs }, at) => {
      const y = barHeight + (at + 1) * lineHeight
      const content = pieces(text)
        .map((piece) => span(piece, colors))
        .join('')
      return content === '' ? '' : `<text x="${margin}" y="${y}" class="t${tick(atMs)}">${content}</text>`
    })
    .filter((text) => text !== '')
  const ticks = [...new Set(rows.map(({ atMs }) => tick(atMs)))]
  const styles = ticks.map((at) => keyframes(at, Math.min(99.9, ((at * everyMs) / wholeMs) * 100), wholeMs))
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${escaped(command)}">
<style>text{font:14px ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace;fill:${colors.text[1]};white-space:pre}
@media (prefers-reduced-motion: no-preference){${styles.join('')}}</style>
<rect width="100%" height="100%" rx="8" fill="${colors.bg[1]}"/>
<circle cx="20" cy="17" r="5.5" fill="#ff5f57"/><circle cx="38" cy="17" r="5.5" fill="#febc2e"/><circle cx="56" cy="17" r="5.5" fill="#28c840"/>
${texts.join('\n')}
</svg>
`
}

/** Lines that are printed within this time appear together. */
const everyMs = 50
const tick = (atMs) => Math.round(atMs / everyMs)

function keyframes(at, share, wholeMs) {
  const from = share.toFixed(2)
  return `@keyframes k${at}{0%{opacity:0}${from}%{opacity:0}${(Number(from) + 0.01).toFixed(2)}%{opacity:1}100%{opacity:1}}.t${at}{animation:k${at} ${wholeMs}ms infinite}`
}
