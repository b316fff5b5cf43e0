/** The report of a certification under chaos as text: each rule, then each failure with its faults and the command that repeats it. */
import { dim, replaceControls } from '../../../../inside/commands.js'
import { word } from '../../../../inside/platform.js'
import type { Language } from '../../languages.js'
import { testedRules } from '../../report/report.js'
import { conclusion, head, ruleLine } from '../../report/text.js'
import type { ChaosFailure, ChaosReport, FaultOfRun } from '../routes.js'
import type { ChaosFlags } from './flags.js'
import { chaosRules } from './rules.js'

interface Certified {
  what: string
  /** The command that was certified. */
  words: readonly string[]
  flags: ChaosFlags
  language: Language
}

export function chaosText(report: ChaosReport, { what, words, flags, language }: Certified): string {
  const lines = testedRules(report).map((rule) => ruleLine(rule, chaosRules))
  const detailsOf = (rule: string): string => {
    const failure = report.chaos.failures.find(({ rules }) => rules.some((id) => id === rule))
    if (rule === 'chaos.without') return outputText(report.chaos.output)
    if (failure === undefined) return ''
    if (failure.rules[0] !== rule) return row('faults', `those of ${failure.rules[0]}`)
    return failureText(failure, repeatCommand(words, flags, failure))
  }
  return [head(what), ...lines, conclusion(report, chaosRules, language, detailsOf), runsLine(report)].join('')
}

function runsLine({ chaos: { seed, runs, failed_runs, faults } }: ChaosReport): string {
  if (runs === 0) return ''
  const seeds = runs < 2 ? `seed ${seed}` : `seeds ${seed} to ${seed + runs - 1}`
  return `${runs} ${runs === 1 ? 'run' : 'runs'} (${seeds}) with ${faults} ${faults === 1 ? 'fault' : 'faults'}, ${failed_runs} failed\n`
}

const row = (name: string, text: string) =>
  `   ${dim(name)}${text === '' ? '' : ' '.repeat(Math.max(1, 8 - name.length))}${text}\n`
const inner = (text: string) => `     ${text}\n`

function failureText(failure: ChaosFailure, command: string): string {
  const { faults, faults_before: before, tries, repeats, output } = failure
  const summary = repeats
    ? `smallest set: ${faults.length} of ${before} ${before === 1 ? 'fault' : 'faults'}, found in ${tries} more ${tries === 1 ? 'run' : 'runs'}`
    : `the run did not fail again with the same ${before} faults: the client does not always make the same calls`
  return [
    row('faults', summary),
    ...alignedFaults(repeats ? faults : faults.slice(0, maxListedFaults)).map(inner),
    outputText(output),
    row('repeat', ''),
    inner(command),
  ].join('')
}

const maxOutputLines = 8

function outputText(output: string): string {
  const lines = output.split('\n').filter((line) => line.trim() !== '')
  if (lines.length === 0) return ''
  return [row('output', ''), ...lines.slice(-maxOutputLines).map((line) => inner(dim(replaceControls(line))))].join('')
}

/** Largest number of faults that are listed for a run that did not fail again. */
const maxListedFaults = 10

function alignedFaults(faults: readonly FaultOfRun[]): string[] {
  const widthOf = (text: (fault: FaultOfRun) => string) => Math.max(0, ...faults.map((one) => text(one).length))
  const [fault, target] = [widthOf((one) => one.fault), widthOf((one) => one.target)]
  return faults.map((one) => {
    const name = one.external_id === null ? '' : `  ${replaceControls(one.external_id)}`
    return `${one.fault.padEnd(fault)}  ${one.target.padEnd(target)}  ${dim(ordinal(one))}${name}`
  })
}

/** Formats the position of a call, such as `2nd call`. */
function ordinal({ count, target }: FaultOfRun): string {
  const ending = count % 100 >= 11 && count % 100 <= 13 ? 'th' : (['th', 'st', 'nd', 'rd'][count % 10] ?? 'th')
  return `${count}${ending} ${target.includes(' ') ? 'call' : 'event'}`
}

/** Returns the command that runs the client with these faults only. */
function repeatCommand(words: readonly string[], flags: ChaosFlags, { seed, faults, repeats }: ChaosFailure): string {
  const { chaos = '', port, webhookUrl, payers, booksCommand, timeout } = flags
  const only = repeats ? ['--only', faults.map(({ id }) => id).join(',')] : ['--runs', '1']
  const shares = [
    ['--chaos', chaos, '--seed', String(seed), ...only],
    port === undefined ? [] : ['--port', port],
    webhookUrl === undefined ? [] : ['--webhook-url', webhookUrl],
    payers === true ? ['--payers'] : [],
    booksCommand === undefined ? [] : ['--books-command', booksCommand],
    timeout === undefined ? [] : ['--timeout', timeout],
  ].flat()
  return ['payments-sandbox certify client', ...shares.map(word), '--', ...words.map(word)].join(' ')
}
