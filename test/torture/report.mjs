/** Writes `REPORT.md`: for each section what it checks, the figures of a full run, and the last result with version, commit and seed. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { plants } from './plants.mjs'
import { isOfThisSource, resultOf, testedVersion } from './result.mjs'

const file = join(import.meta.dirname, 'REPORT.md')

/** Sums a number over the notes of a run. The pattern captures the number. */
const sumOfNotes =
  (pattern) =>
  ({ notes = [] }) =>
    notes.reduce((sum, line) => sum + Number(line.match(pattern)?.[1] ?? 0), 0)
/** What each section checks. `wanted` lists the figures of a full run: name, amount, and a function that reads the actual amount. */
const sections = {
  simulate: {
    shows:
      'Whole workspaces under a simulated clock, network and disk agree with a small independent model, step by step.',
    wanted: [['operations', 1_000_000, ({ operations }) => operations]],
  },
  plants: {
    shows: 'The simulation finds each fault that is planted in the core within 60 s.',
    wanted: [['faults found', plants.length, ({ found }) => found]],
  },
  mutants: {
    shows:
      'The simulation or a test notices small changes of the source, or a reason says why nothing can: all changes of money, delivery and the recorder, and of the judges a sample of 40 changes a file, drawn by the text of the file. The table of parts says for which commit each folder was tried.',
    wanted: [
      ['% of all and of the sample tested', 100, ({ tested, chosen }) => Math.floor((100 * tested) / chosen)],
      [
        '% of them noticed or explained',
        100,
        ({ tested, left }) => Math.floor(100 - (100 * left) / Math.max(1, tested)),
      ],
    ],
  },
  kill: {
    shows: 'A sandbox that is killed at any moment loses nothing that it acknowledged and does nothing twice.',
    wanted: [['kills', 5000, sumOfNotes(/^(\d+) kills, /)]],
  },
  races: {
    shows: 'When calls race for a limited resource, exactly as many succeed as the limit allows.',
    wanted: [['races', 10_000, sumOfNotes(/^(\d+) races$/)]],
  },
  fuzz: {
    shows: 'No input causes an internal error, a slow response or a growing heap.',
    wanted: [
      ['inputs for each route', 20_000, sumOfNotes(/at least (\d+) inputs for each of/)],
      ['scenario files', 20_000, sumOfNotes(/(\d+) scenario files, \d+ accepted/)],
    ],
  },
  hostile: { shows: 'Hostile bodies, scenario files, uploads and texts are rejected as documented.', wanted: [] },
  damage: {
    shows: 'The sandbox reports full disks and damaged files and loses no acknowledged data.',
    wanted: [
      ['full disks', 300, sumOfNotes(/the disk was full (\d+) times/)],
      ['damaged files', 300, sumOfNotes(/damage: (\d+) damaged files: /)],
    ],
  },
  receivers: {
    shows: 'The sandbox records every behaviour of a receiver correctly, and one receiver never delays another.',
    wanted: [],
  },
  many: {
    shows: 'Hundreds of workspaces, sandboxes and waiting callers do not disturb each other.',
    wanted: [],
  },
  audit: {
    shows:
      'An auditor in Python, which shares no code with the sandbox, agrees with random traffic, under kills and under chaos too: each answer, webhook, balance and statement entry. It finds each of 30 planted mistakes.',
    wanted: [['answers', 50_000, sumOfNotes(/^(\d+) answers and /)]],
  },
  books: {
    shows:
      'Each planted mistake in a ledger fails exactly its own rule, correct ledgers pass, and statements equal the ledger.',
    wanted: [
      ['planted mistakes', 60, sumOfNotes(/: (\d+) mistakes found/)],
      ['random months', 100, sumOfNotes(/^(\d+) random months/)],
    ],
  },
  chaos: {
    shows:
      'Chaos with the same seed repeats, whatever the order of calls. A correct shop passes, and at most two faults reveal a wrong one.',
    wanted: [['calls', 10_000, sumOfNotes(/^(\d+) calls of one seed/)]],
  },
  shops: {
    shows:
      'Shops in Node and Python get the same certification results from the command line, the library, the page and HTTP.',
    wanted: [],
  },
  backlog: {
    shows:
      'While 30 callers create, pay and read charges on a durable file, each webhook is sent within 1 s, and 1 s later none is left.',
    wanted: [['seconds', 60, ({ seconds }) => seconds]],
  },
  tenants: {
    shows:
      'Of 10,000 workspaces on files, 200 are busy and 1,000 have an open dispute: a start takes at most 5 s, no deadline is missed, and idle ones take no memory. The same with 1,000 Durable Objects, without restarts.',
    wanted: [['workspaces', 10_000, ({ rows }) => Math.max(...rows.map(({ workspaces }) => workspaces))]],
  },
  soak: {
    shows: 'An hour of load leaks no memory, connections or timers, and responses stay fast.',
    wanted: [
      ['minutes', 60, sumOfNotes(/calls in (\d+) minutes/)],
      ['calls', 1_000_000, sumOfNotes(/soak: (\d+) calls in/)],
    ],
  },
  ...Object.fromEntries(
    Object.entries({
      commands: 'The commands and their examples do what the help says.',
      faults: 'Certification finds every planted mistake of a receiver, a client and a shop.',
      compare: 'Comparisons of recordings find every planted difference, and reveal no secret.',
      pages: 'Every page of the dashboard and of a payer, in each browser.',
      long: 'All test files that the check leaves out and no other section has.',
      certify: 'Each correct receiver and client passes a hundred times.',
      languages: 'The examples of the language pages run with the test runner of their language.',
      packages: 'The packages for other languages, and that a killed test run leaves nothing behind.',
      runners: 'The fixtures with each test runner of Node.',
      drivers: 'All behavior tests with the other database driver.',
      workerd: 'All behavior tests in Durable Objects, with alarms.',
      release: 'Two builds are equal, and the executable passes the black-box tests.',
    }).map(([name, shows]) => [name, { shows, wanted: [] }]),
  ),
}

/** Whether a result did what a full run does. */
export const isFullRun = ({ section, figures }) =>
  (sections[section]?.wanted ?? []).every(([, count, of]) => of(figures) >= count)

export function writeReport() {
  const results = Object.keys(sections).map((section) => [section, resultOf(section)])
  const isRun = (result) => result !== undefined && isOfThisSource(result) && isFullRun(result)
  const missing = results.filter(([, result]) => !isRun(result)).map(([section]) => section)
  const machine = `${testedVersion.machine}, Node ${testedVersion.node}`
  const lines = [
    '# Results of the long tests',
    '',
    `Written for version ${builtFrom(testedVersion)}, on ${machine}.`,
    missing.length === 0
      ? 'All sections were run in full on this source.'
      : `**Not run in full on this source:** ${missing.join(', ')}.`,
    '',
    '`npm run torture -- --release` runs all sections, and continues after an interruption. To repeat one section: `npm run torture -- --only SECTION --seed SEED`.',
    'Each verdict is for the version and commit in its row; a later commit that changes only texts, or tests that the section does not run, has the same source. Runs of random sections on one source add up. “passed, in less than a full run” means that the run did less than the column “full run” asks for.',
    '',
    '| section | verdict | full run | last run | version, commit | what it checks | what the auditor found |',
    '| --- | --- | --- | --- | --- | --- | --- |',
    ...results.map(([section, result]) => row(section, result)),
    ...results.flatMap(([section, result]) => (result === undefined ? [] : part(section, result))),
  ]
  writeFileSync(file, `${lines.join('\n')}\n`)
}

const counted = (number) => number.toLocaleString('en')
const wantedOf = ({ wanted }) => wanted.map(([name, count]) => `${counted(count)} ${name}`).join(', ') || 'all tests'
const doneOf = ({ wanted }, figures) =>
  wanted.map(([name, , of]) => `${counted(of(figures))} ${name}`).join(', ') ||
  (figures.tests === undefined ? 'all' : `${counted(figures.tests)} tests`)

const verdictOf = (result) =>
  result.verdict === 'passed' && !isFullRun(result) ? 'passed, in less than a full run' : result.verdict

const builtFrom = ({ version, commit, isChanged }) =>
  `${version}, ${commit === null ? 'no commit' : `\`${commit}\``}${isChanged ? ' with changes' : ''}`

function row(name, result) {
  const section = sections[name]
  if (result === undefined) return `| ${name} | not run | ${wantedOf(section)} | | | ${section.shows} | |`
  const cells = [verdictOf(result), wantedOf(section), doneOf(section, result.figures), builtFrom(result)]
  return `| [${name}](#${name}) | ${cells.join(' | ')} | ${section.shows} | ${auditOf(name, result)} |`
}

/** The notes of the section `audit` that are about another section. */
const auditNotes = { kill: /^audit under kills: /, chaos: /^audit under chaos: /, audit: / answers and .* audited/ }

/** The auditor judges the simulation itself, and runs of its own under kills and under chaos. */
function auditOf(name, { commit, figures }) {
  if (name === 'simulate' && figures.audited > 0) {
    const { audited, answers, webhooks, findings } = figures
    return `${counted(audited)} histories, ${counted(answers)} answers, ${counted(webhooks)} webhooks: ${counted(findings)} findings`
  }
  const audit = resultOf('audit')
  const notes = (audit?.figures.notes ?? []).filter((line) => auditNotes[name]?.test(line))
  if (notes.length === 0) return ''
  const sum = (what) => notes.reduce((total, line) => total + Number(line.match(what)?.[1] ?? 0), 0)
  const found = audit.verdict === 'passed' ? 'no finding' : 'see audit'
  const other = audit.commit === commit ? '' : `, of \`${audit.commit}\``
  return `${counted(sum(/(\d+) answers/))} answers, ${counted(sum(/(\d+) webhooks/))} webhooks: ${found}${other}`
}

function part(name, result) {
  const { at, node, seed, figures, machine = 'an unnamed machine' } = result
  const { notes = [], failed = [], ...rest } = figures
  const isTable = ([, value]) => Array.isArray(value)
  const where = `${at.slice(0, 10)}, version ${builtFrom(result)}, ${machine}, Node ${node}`
  return [
    '',
    `## ${name}`,
    '',
    `${verdictOf(result)}; ${where}${seed === null ? '' : `, seed ${seed}`}`,
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
