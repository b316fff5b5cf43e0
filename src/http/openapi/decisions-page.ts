/** The generated parts of docs/decisions.md, which repeat the assumed rows of the tables. */
import { code, codes, markdownTable, withParts } from '../../base/markdown.js'
import { extensions } from './assumptions.js'

/** Returns the page with its generated parts up to date. */
export function decisionsPage(page: string): string {
  const tables = extensions()
  const currencies = tables['x-currencies']
  const errors = tables['x-errors']
  return withParts(page, 'docs/decisions.md', {
    'error codes': markdownTable(
      ['Code', 'HTTP', 'Group', 'Retryable', 'Message'],
      errors
        .filter(isAssumed)
        .map((row) => [code(row.code), row.status, code(row.group), row.retryable ? 'yes' : 'no', row.message]),
    ),
    'retryable errors': `These errors are retryable: ${codes(errors.filter((row) => row.retryable).map((row) => row.code))}.`,
    settings: markdownTable(
      ['Setting', 'What it decides'],
      tables['x-settings'].filter(isAssumed).map((row) => [code(row.key), `${row.title}.`]),
    ),
    decimals: markdownTable(
      ['Currency', 'Decimals'],
      currencies.map((row) => [code(row.currency), row.decimals]),
    ),
    minimums: currencies
      .filter((row) => row['x-min-assumed'])
      .map((row) => `- ${code(row.currency)}: ${row.min}`)
      .join('\n'),
    pairs: markdownTable(
      ['Currency', 'Chains', 'Withdrawal networks'],
      currencies
        .filter(({ chains }) => chains.length > 0)
        .map(({ currency, chains, networks }) => [code(currency), codes(chains), codes(networks)]),
    ),
    labels: markdownTable(
      ['Network', 'Label', 'Confirmations'],
      tables['x-networks'].map((row) => [code(row.network), code(row.label), row.confirmations]),
    ),
    'dispute steps': tables['x-transitions']
      .filter(isAssumed)
      .map(({ from, on, to }) => `- ${code(from ?? 'new')} to ${code(to)} on \`${on}\``)
      .join('\n'),
    limits: markdownTable(
      ['Limit', 'Value'],
      tables['x-limits'].filter(isAssumed).map(({ name, value }) => [name, value]),
    ),
  })
}

const isAssumed = (row: object) => 'x-assumed' in row
