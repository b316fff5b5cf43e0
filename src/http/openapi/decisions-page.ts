/** The parts of docs/decisions.md that repeat the assumed rows of the tables. */
import { code, markdownTable, withParts } from '../../base/markdown.js'
import {
  chainsOf,
  currencies,
  currencyNames,
  networkNames,
  networks,
  networksOf,
} from '../../protocol/platform/currencies.js'
import { type ErrorRow, errorCatalogue, errorCodes } from '../../protocol/platform/errors.js'
import { limitTable } from '../../protocol/platform/limit-table.js'
import { transitions } from '../../protocol/platform/transitions.js'
import { platformSettingNames, platformSettings } from '../../protocol/settings/platform.js'

/** The page with each of its made parts up to date. */
export function decisionsPage(page: string): string {
  return withParts(page, 'docs/decisions.md', {
    'error codes': errorTable(),
    'retryable errors': `These errors are retryable: ${codes(errorCodes.filter((name) => rowOf(name).retryable === true))}.`,
    settings: markdownTable(
      ['Setting', 'What it decides'],
      platformSettingNames
        .filter((key) => platformSettings[key].guess)
        .map((key) => [code(key), `${platformSettings[key].title}.`]),
    ),
    decimals: markdownTable(
      ['Currency', 'Decimals'],
      currencyNames.map((currency) => [code(currency), currencies[currency].scale]),
    ),
    minimums: currencyNames
      .filter((currency) => currencies[currency].minBasis === 'assumed')
      .map((currency) => `- ${code(currency)}: ${currencies[currency].min}`)
      .join('\n'),
    pairs: markdownTable(
      ['Currency', 'Chains', 'Withdrawal networks'],
      currencyNames
        .filter((currency) => chainsOf(currency).length > 0)
        .map((currency) => [code(currency), codes(chainsOf(currency)), codes(networksOf(currency))]),
    ),
    labels: markdownTable(
      ['Network', 'Label', 'Confirmations'],
      networkNames.map((name) => [code(name), code(networks[name].label), networks[name].minConfirmations]),
    ),
    'dispute steps': transitions
      .filter((row) => row.basis === 'assumed')
      .map(({ from, on, to }) => `- ${code(from)} to ${code(to)} on \`${on}\``)
      .join('\n'),
    limits: markdownTable(
      ['Limit', 'Value'],
      limitTable.filter(({ basis }) => basis === 'assumed').map(({ name, value }) => [name, value]),
    ),
  })
}

const codes = (names: readonly string[]) => names.map(code).join(', ')
const rowOf = (name: (typeof errorCodes)[number]): ErrorRow => errorCatalogue[name]

const errorTable = () =>
  markdownTable(
    ['Code', 'HTTP', 'Group', 'Retryable', 'Message'],
    errorCodes
      .filter((name) => rowOf(name).basis === 'assumed')
      .map((name) => {
        const { status, group, retryable, message } = rowOf(name)
        return [code(name), status, code(group), retryable === true ? 'yes' : 'no', message]
      }),
  )
