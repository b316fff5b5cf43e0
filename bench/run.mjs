/** `npm run bench`: the real program beside a bare one, in the same run; `npm run bench -- cashin-file start` measures these alone. */
import { rows } from './table.mjs'

const asked = process.argv.slice(2)
const unknown = asked.filter((name) => !(name in rows))
if (unknown.length > 0) {
  console.error(`There is no figure ${unknown.join(', ')}: there are ${Object.keys(rows).join(', ')}.`)
  process.exit(2)
}

const named = asked.length === 0 ? Object.keys(rows) : asked
const wanted = new Set(named.flatMap((name) => [name, rows[name].floor ?? name]))
const measured = new Map()
let missed = 0

/** `byCpu` is the same ratio, of the CPU that the servers used instead of the time that passed: said beside it, and no part of the verdict. */
function report(name, value, byCpu) {
  const { figure, goal, unit = goal?.unit ?? '' } = rows[name]
  const isMet = goal === null || goal.isMet(value)
  if (!isMet) missed++
  measured.set(name, {
    figure,
    value: `${value.toFixed(2)}${unit}`,
    'by CPU': byCpu === undefined ? '' : byCpu.toFixed(2),
    goal: goal === null ? '' : `${goal.sign} ${goal.bound}${goal.unit}`,
    verdict: goal === null ? '' : isMet ? 'met' : 'MISSED',
    floor: '',
  })
}

for (const file of new Set([...wanted].map((name) => rows[name].file))) {
  const { measure } = await import(`./${file}.mjs`)
  await measure(
    (name) => wanted.has(name),
    (name, ...values) => wanted.has(name) && report(name, ...values),
  )
}
// What can be reached at all stands beside what is: a floor has a line of its own only where it was asked for alone.
for (const [name, line] of [...measured]) {
  const floor = measured.get(rows[name].floor)
  if (floor !== undefined) line.floor = floor['by CPU'] === '' ? floor.value : `${floor.value} (CPU ${floor['by CPU']})`
}
const beside = new Set([...measured.keys()].map((name) => rows[name].floor))
const lines = [...measured].filter(([name]) => !beside.has(name))
console.table(Object.fromEntries(lines))
if (missed > 0) console.log(`${missed} of ${lines.length} figures missed their goals.`)
