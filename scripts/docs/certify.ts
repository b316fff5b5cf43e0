/** The generated parts of docs/certify.md and docs/chaos.md: the requirements and the load profiles. */

import { booksRules } from '../../src/features/certify/books/rules.js'
import { callRuleIds, chaosRules, clientRules } from '../../src/features/certify/client/rules.js'
import { loadProfileNames, loadProfiles } from '../../src/features/certify/load/profiles.js'
import { loadRules } from '../../src/features/certify/load/rules.js'
import { receiverRules } from '../../src/features/certify/receiver/rules.js'
import type { RuleRow } from '../../src/features/certify/report/rules.js'
import { codes, withParts } from './markdown.js'

type Rules = Readonly<Record<string, RuleRow>>

/** Returns the page with every part between `<!-- made: NAME -->` and `<!-- end -->` generated again. */
export function certifyPage(page: string): string {
  const { 'accept.signed': _first, ...onlyUnderLoad } = loadRules
  return withParts(page, 'docs/certify.md', {
    'receiver rules': rulesTable(receiverRules),
    'client rules': rulesTable(clientRules),
    'books rules': rulesTable(booksRules),
    'load rules': rulesTable(onlyUnderLoad),
    'load profiles': [
      row('profile', 'rate'),
      row('---', '---'),
      ...loadProfileNames.map((name) => row(`\`${name}\``, loadProfiles[name].title)),
    ].join('\n'),
  })
}

/** Returns the page about chaos with its requirements generated again. Those of clients are on the page about certification. */
export function chaosPage(page: string): string {
  const isShared = (id: string) => callRuleIds.some((one) => one === id)
  const own = Object.fromEntries(Object.entries(chaosRules).filter(([id]) => !isShared(id)))
  return withParts(page, 'docs/chaos.md', { 'chaos rules': rulesTable(own), 'call rules': codes(callRuleIds) })
}

const row = (...cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`

/** The fix of a requirement is in the report of a failure, so the page leaves it out. */
const rulesTable = (rules: Rules): string =>
  [
    row('id', 'requirement', 'source', 'how it is checked'),
    row('---', '---', '---', '---'),
    ...Object.entries(rules).map(([id, { requirement, check, severity, source }]) =>
      row(`\`${id}\`${severity === 'warning' ? ' (warning)' : ''}`, requirement, sectionOf(source), check),
    ),
  ].join('\n')

/** `§3: "…"` as `§3`: a report quotes the sentence, the page only names its place. */
const sectionOf = (source: string): string => source.split(':')[0] ?? source
