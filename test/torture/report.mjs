/** `REPORT.md`: of each section what it is to show at which figures, and what was last seen, with version, commit and seed; made by the run. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { resultsFolder } from './result.mjs'

const file = join(import.meta.dirname, 'REPORT.md')

/** The sum of what the notes say where the pattern's one number stands. */
const noted =
  (pattern) =>
  ({ notes = [] }) =>
    notes.reduce((sum, line) => sum + Number(line.match(pattern)?.[1] ?? 0), 0)
/** What each section shows; `wanted` are the figures of a full run: their name, how many, and how many there were. */
const sections = {
  simulate: {
    shows:
      'Whole workspaces under a simulated clock, network and disk agree with a small independent model, step by step.',
    wanted: [['operations', 1_000_000, ({ operations }) => operations]],
  },
  plants: {
    shows: 'Faults that are planted in the core are found by the simulation, each within 60 s.',
    wanted: [['faults found', 33, ({ found }) => found]],
  },
  mutants: {
    shows: 'Small changes of the core’s own text are noticed by the simulation, or else by its tests.',
    wanted: [
      ['% tried', 100, ({ tried, mutants }) => Math.floor((100 * tried) / mutants)],
      ['% noticed', 90, ({ score }) => score],
    ],
  },
  kill: {
    shows: 'Killed at every kind of moment, nothing acknowledged is lost and nothing happens twice.',
    wanted: [['kills', 1000, noted(/^(\d+) kills, /)]],
  },
  races: {
    shows: 'Of many at once exactly as many succeed as may.',
    wanted: [['races', 10_000, noted(/^(\d+) races$/)]],
  },
  fuzz: {
    shows: 'No input is answered with a fault of the sandbox, is slow, or makes it grow.',
    wanted: [
      ['inputs a route', 20_000, noted(/at least (\d+) inputs for each of/)],
      ['scenario files', 20_000, noted(/(\d+) scenario files, \d+ accepted/)],
    ],
  },
  damage: {
    shows: 'Full disks and damaged files are reported, and harm nothing.',
    wanted: [
      ['full disks', 300, noted(/the disk was full (\d+) times/)],
      ['damaged files', 300, noted(/damage: (\d+) damaged files: /)],
    ],
  },
  receivers: {
    shows: 'Whatever a receiver does is recorded as what it is, and holds up nobody else.',
    wanted: [],
  },
  many: {
    shows: 'Hundreds of workspaces, sandboxes and waiting callers do not get in each other’s way.',
    wanted: [],
  },
  books: {
    shows:
      'Each planted mistake in a ledger is found by its rule alone, correct ledgers are never accused, and statements equal the ledger.',
    wanted: [
      ['planted mistakes', 60, noted(/: (\d+) mistakes found/)],
      ['random months', 100, noted(/^(\d+) random months/)],
    ],
  },
  chaos: {
    shows:
      'The chaos of one seed repeats in any order; a correct shop passes, and a wrong one is caught by at most two faults.',
    wanted: [['calls', 10_000, noted(/^(\d+) calls of one seed/)]],
  },
  shops: {
    shows: 'Shops in Node and Python get the same results from the command line, the library, the page and HTTP.',
    wanted: [],
  },
  backlog: {
    shows:
      'While 30 callers create, pay and read on a durable file, no webhook gets older than 1 s, and none is left 1 s after.',
    wanted: [['seconds', 60, ({ seconds }) => seconds]],
  },
  soak: {
    shows: 'Half an hour of load leaves nothing behind and slows nothing down.',
    wanted: [
      ['minutes', 30, noted(/calls in (\d+) minutes/)],
      ['calls', 500_000, noted(/soak: (\d+) calls in/)],
    ],
  },
}

export function writeReport() {
  if (!existsSync(resultsFolder)) return
  const found = readdirSync(resultsFolder)
    .filter((name) => name.endsWith('.json'))
    .map((name) => JSON.parse(readFileSync(join(resultsFolder, name), 'utf8')))
  const results = Object.keys(sections).map((section) => [section, found.find((one) => one.section === section)])
  const lines = [
    '# What the long trials have shown',
    '',
    'Made by `npm run torture`; each section can be run alone, and repeated with its seed: `npm run torture -- --only SECTION --seed SEED`.',
    'A verdict counts for the version and the commit beside it. Where less was done than a full run does, it says so.',
    '',
    '| section | verdict | wanted | done | version, commit | what it shows |',
    '| --- | --- | --- | --- | --- | --- |',
    ...results.map(([section, result]) => row(section, result)),
    ...results.flatMap(([section, result]) => (result === undefined ? [] : part(section, result))),
  ]
  writeFileSync(file, `${lines.join('\n')}\n`)
}

const counted = (number) => number.toLocaleString('en')
const wantedOf = ({ wanted }) => wanted.map(([name, count]) => `${counted(count)} ${name}`).join(', ') || 'all tests'
const doneOf = ({ wanted }, figures) =>
  wanted.map(([name, , of]) => `${counted(of(figures))} ${name}`).join(', ') || `${counted(figures.tests)} tests`

function verdictOf({ wanted }, { verdict, figures }) {
  const isLess = wanted.some(([, count, of]) => of(figures) < count)
  return verdict === 'held' && isLess ? 'held, in less than a full run' : verdict
}

const builtFrom = ({ version, commit, isChanged }) =>
  `${version}, ${commit === null ? 'no commit' : `\`${commit}\``}${isChanged ? ' with changes' : ''}`

function row(name, result) {
  const section = sections[name]
  if (result === undefined) return `| ${name} | not run | ${wantedOf(section)} | | | ${section.shows} |`
  const cells = [verdictOf(section, result), wantedOf(section), doneOf(section, result.figures), builtFrom(result)]
  return `| [${name}](#${name}) | ${cells.join(' | ')} | ${section.shows} |`
}

function part(name, result) {
  const { at, node, seed, figures } = result
  const { notes = [], failed = [], ...rest } = figures
  const isTable = ([, value]) => Array.isArray(value)
  const where = `${at.slice(0, 10)}, version ${builtFrom(result)}, Node ${node}`
  return [
    '',
    `## ${name}`,
    '',
    `${verdictOf(sections[name], result)}; ${where}${seed === null ? '' : `, seed ${seed}`}`,
    '',
    ...Object.entries(rest)
      .filter((one) => !isTable(one))
      .map(([name, value]) => `- ${worded(name)}: ${textOf(name, value)}`),
    ...notes.map((line) => `- ${line}`),
    ...failed.map((name) => `- **failed:** ${name}`),
    ...Object.entries(rest)
      .filter(isTable)
      .flatMap(([name, rows]) => (rows.length === 0 ? [] : table(name, rows))),
  ]
}

const worded = (name) => name.replace(/Ms$/, '').replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)

const textOf = (name, value) =>
  name.endsWith('Ms') ? `${(value / 1000).toFixed(1)} s` : typeof value === 'number' ? counted(value) : value

function table(title, rows) {
  const names = Object.keys(rows[0])
  const cell = (name, value) => String(value === null ? '' : textOf(name, value)).replaceAll('|', '\\|')
  return [
    '',
    ...(title === 'rows' ? [] : [`The ${worded(title)}:`, '']),
    `| ${names.map(worded).join(' | ')} |`,
    `|${' --- |'.repeat(names.length)}`,
    ...rows.map((row) => `| ${names.map((name) => cell(name, row[name])).join(' | ')} |`),
  ]
}
