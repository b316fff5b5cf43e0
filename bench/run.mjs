/** `npm run bench`: the real program beside a bare one, in the same run; `npm run bench -- cashin-file start` measures these alone. */
import { rows } from './table.mjs'

const asked = process.argv.slice(2)
const unknown = asked.filter((name) => !(name in rows))
if (unknown.length > 0) {
  console.error(`There is no figure ${unknown.join(', ')}: there are ${Object.keys(rows).join(', ')}.`)
  process.exit(2)
}

const wanted = new Set(asked.length === 0 ? Object.keys(rows) : asked)
const measured = []
let missed = 0

/** `byCpu` is the same ratio, of the CPU that the servers used instead of the time that passed: said beside it, and no part of the verdict. */
function report(name, value, byCpu) {
  const { figure, goal } = rows[name]
  const isMet = goal === null || goal.isMet(value)
  if (!isMet) missed++
  measured.push({
    row: name,
    figure,
    value: `${value.toFixed(2)}${goal?.unit ?? ''}`,
    'by CPU': byCpu === undefined ? '' : byCpu.toFixed(2),
    goal: goal === null ? '' : `${goal.sign} ${goal.bound}${goal.unit}`,
    verdict: goal === null ? '' : isMet ? 'met' : 'MISSED',
  })
}

for (const file of new Set([...wanted].map((name) => rows[name].file))) {
  const { measure } = await import(`./${file}.mjs`)
  await measure(
    (name) => wanted.has(name),
    (name, ...values) => wanted.has(name) && report(name, ...values),
  )
}
console.table(measured)
if (missed > 0) console.log(`${missed} of ${measured.length} figures missed their goals.`)
