/** `npm run bench`: the real program beside a bare one, in the same run; `npm run bench -- cashin-file start` measures these alone, `--markdown` prints the table of bench/RESULTS.md. */
import { cpus } from 'node:os'
import { rows } from './table.mjs'

const flag = '--markdown'
const isMarkdown = process.argv.includes(flag)
const asked = process.argv.slice(2).filter((word) => word !== flag)
const unknown = asked.filter((name) => !(name in rows))
if (unknown.length > 0) {
  console.error(`There is no figure ${unknown.join(', ')}: there are ${Object.keys(rows).join(', ')}.`)
  process.exit(2)
}

const named = asked.length === 0 ? Object.keys(rows) : asked
const wanted = new Set(named.flatMap((name) => [name, ...(rows[name].of ?? []), rows[name].floor ?? name]))
const measured = new Map()
const found = new Map()
let missed = 0

/** `byCpu` is the same ratio, of the CPU that the servers used instead of the time that passed. */
function report(name, value, byCpu) {
  const { figure, goal, unit = goal?.unit ?? '', byCpu: goesByCpu = false } = rows[name]
  const isMet = goal === null || goal.isMet(goesByCpu && byCpu !== undefined ? byCpu : value)
  if (!isMet) missed++
  found.set(name, value)
  measured.set(name, {
    figure,
    value: `${value.toFixed(2)}${unit}`,
    'by CPU': byCpu === undefined ? '' : byCpu.toFixed(2),
    goal: goal === null ? '' : `${goal.sign} ${goal.bound}${goal.unit}${goesByCpu ? ' by CPU' : ''}`,
    verdict: goal === null ? '' : isMet ? 'met' : 'MISSED',
    floor: '',
  })
}

for (const file of new Set([...wanted].flatMap((name) => rows[name].file ?? []))) {
  const { measure } = await import(`./${file}.mjs`)
  await measure(
    (name) => wanted.has(name),
    (name, ...values) => wanted.has(name) && report(name, ...values),
  )
}
for (const name of wanted) {
  const [part, whole] = rows[name].of ?? []
  if (part !== undefined) report(name, found.get(part) / found.get(whole))
}
// What can be reached at all stands beside what is: a floor has a line of its own only where it was asked for alone.
for (const [name, line] of [...measured]) {
  const floor = measured.get(rows[name].floor)
  if (floor !== undefined) line.floor = floor['by CPU'] === '' ? floor.value : `${floor.value} (CPU ${floor['by CPU']})`
}
const beside = new Set([...measured.keys()].map((name) => rows[name].floor))
const lines = [...measured].filter(([name]) => !beside.has(name))
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
