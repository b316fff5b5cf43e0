/** `npm run bench` compares the real program with a bare one in the same run. `npm run bench -- cashin-file start` measures only the named figures; `--markdown` prints the table of bench/RESULTS.md. */
import { cpus } from 'node:os'
import { rows } from './table.mjs'

const flag = '--markdown'
const isMarkdown = process.argv.includes(flag)
const args = process.argv.slice(2).filter((word) => word !== flag)
const unknown = args.filter((name) => !(name in rows))
if (unknown.length > 0) {
  console.error(`Unknown figure ${unknown.join(', ')}; use ${Object.keys(rows).join(', ')}.`)
  process.exit(2)
}

const names = args.length === 0 ? Object.keys(rows) : args
const wanted = new Set(names.flatMap((name) => [name, ...(rows[name].of ?? []), rows[name].floor ?? name]))
const linesByName = new Map()
const values = new Map()
let missed = 0

/** `byCpu` is the same ratio, measured in CPU instead of wall time. */
function report(name, value, byCpu) {
  const { figure, goal, unit = goal?.unit ?? '', byCpu: isJudgedByCpu = false } = rows[name]
  const isMet = goal === null || goal.isMet(isJudgedByCpu && byCpu !== undefined ? byCpu : value)
  if (!isMet) missed++
  values.set(name, value)
  linesByName.set(name, {
    figure,
    value: `${value.toFixed(2)}${unit}`,
    'by CPU': byCpu === undefined ? '' : byCpu.toFixed(2),
    goal: goal === null ? '' : `${goal.sign} ${goal.bound}${goal.unit}${isJudgedByCpu ? ' by CPU' : ''}`,
    verdict: goal === null ? '' : isMet ? 'met' : 'MISSED',
    floor: '',
  })
}

for (const file of new Set([...wanted].flatMap((name) => rows[name].file ?? []))) {
  const { measure } = await import(`./${file}.mjs`)
  await measure(
    (name) => wanted.has(name),
    (name, ...figures) => wanted.has(name) && report(name, ...figures),
  )
}
for (const name of wanted) {
  const [part, whole] = rows[name].of ?? []
  if (part !== undefined) report(name, values.get(part) / values.get(whole))
}
// The floor of a figure goes into the figure's line. A floor gets its own line only if it is measured alone.
for (const [name, line] of [...linesByName]) {
  const floor = linesByName.get(rows[name].floor)
  if (floor !== undefined) line.floor = floor['by CPU'] === '' ? floor.value : `${floor.value} (CPU ${floor['by CPU']})`
}
const floors = new Set([...linesByName.keys()].map((name) => rows[name].floor))
const lines = [...linesByName].filter(([name]) => !floors.has(name))
if (isMarkdown) console.log(markdown(lines.map(([, line]) => line)))
else console.table(Object.fromEntries(lines))
if (missed > 0) console.log(`${missed} of ${lines.length} figures missed their goals.`)

function markdown(lines) {
  const names = Object.keys(lines[0] ?? {})
  const row = (cells) => `| ${cells.join(' | ')} |`
  const [{ model }] = cpus()
  return [
    `${new Date().toISOString().slice(0, 10)}, ${cpus().length} × ${model.trim()}, Node ${process.versions.node}`,
    '',
    row(names),
    row(names.map(() => '---')),
    ...lines.map((line) => row(Object.values(line))),
  ].join('\n')
}
