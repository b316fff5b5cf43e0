/** `REPORT.md`: what each section was last seen to do, with its seed and its figures; made by the run. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { resultsFolder } from './result.mjs'

const file = join(import.meta.dirname, 'REPORT.md')

/** What each section shows. */
const promises = {
  simulate:
    'Whole workspaces under a simulated clock, network and disk agree with a small independent model, step by step.',
  plants: 'Faults that are planted in the core are found by the simulation, each within 60 s.',
  mutants: 'Small changes of the core’s own text are noticed by its tests.',
  kill: 'Killed at every kind of moment, nothing acknowledged is lost and nothing happens twice.',
  races: 'Of many at once exactly as many succeed as may.',
  fuzz: 'No input is answered with a fault of the sandbox, is slow, or makes it grow.',
  damage: 'Full disks and damaged files are told, and harm nothing.',
  receivers: 'Whatever a receiver does is recorded as what it is, and holds up nobody else.',
  many: 'Hundreds of workspaces, sandboxes and waiting callers do not get in each other’s way.',
  soak: 'Half an hour of load leaves nothing behind and slows nothing down.',
  certify: 'Integrations that are right are certified, every time.',
  languages: 'The pages for every language run as they stand.',
  drivers: 'The same behaviour by either driver of the database.',
}

export function writeReport({ version }) {
  if (!existsSync(resultsFolder)) return
  const found = readdirSync(resultsFolder)
    .filter((name) => name.endsWith('.json') && name !== 'tests.json')
    .map((name) => JSON.parse(readFileSync(join(resultsFolder, name), 'utf8')))
  const rows = Object.keys(promises).flatMap((section) => found.filter((one) => one.section === section))
  const lines = [
    '# What the long trials have shown',
    '',
    `Made by \`npm run torture\` with version ${version}; each section can be run alone, and repeated with its seed:`,
    '`npm run torture -- --only SECTION --seed SEED`.',
    '',
    '| section | verdict | what it shows |',
    '| --- | --- | --- |',
    ...rows.map(({ section, verdict }) => `| [${section}](#${section}) | ${verdict} | ${promises[section]} |`),
    ...rows.flatMap(part),
  ]
  writeFileSync(file, `${lines.join('\n')}\n`)
}

function part({ section, at, node, seed, verdict, figures }) {
  const { notes = [], failed = [], ...rest } = figures
  const isTable = ([, value]) => Array.isArray(value)
  return [
    '',
    `## ${section}`,
    '',
    `${verdict}; ${at.slice(0, 10)}, Node ${node}${seed === null ? '' : `, seed ${seed}`}`,
    '',
    ...Object.entries(rest)
      .filter((one) => !isTable(one))
      .map(([name, value]) => `- ${worded(name)}: ${textOf(name, value)}`),
    ...notes.map((line) => `- ${line}`),
    ...failed.map((name) => `- **failed:** ${name}`),
    ...Object.entries(rest)
      .filter(isTable)
      .flatMap(([, rows]) => (rows.length === 0 ? [] : table(rows))),
  ]
}

const worded = (name) => name.replace(/Ms$/, '').replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)

const textOf = (name, value) =>
  name.endsWith('Ms')
    ? `${(value / 1000).toFixed(1)} s`
    : typeof value === 'number'
      ? value.toLocaleString('en')
      : value

function table(rows) {
  const names = Object.keys(rows[0])
  const cell = (name, value) => String(value === null ? '' : textOf(name, value)).replaceAll('|', '\\|')
  return [
    '',
    `| ${names.map(worded).join(' | ')} |`,
    `|${' --- |'.repeat(names.length)}`,
    ...rows.map((row) => `| ${names.map((name) => cell(name, row[name])).join(' | ')} |`),
  ]
}
