/**
 * docs/fidelity.md, generated from the tables: what is known about the distance between sandbox and platform, and which
 * probe observes each documented sentence and each assumption, or why none can.
 */
import { keysOf } from '../../src/base/keys.js'
import { probesByRow } from '../../src/features/compare/probe/probes.js'
import { coverageText, divergenceText } from '../../src/protocol/control/fidelity-text.js'
import { assumptionRows, tierOfAssumption } from '../../src/protocol/platform/assumptions.js'
import {
  documentedSentences,
  fidelityTiers,
  type UnobservableReason,
  unobservableReasons,
} from '../../src/protocol/platform/documented-sentences.js'
import { emulatedInterfaceText } from '../../src/protocol/platform/emulated-interface.js'
import { type Fidelity, measureFidelity, stateText } from '../../src/protocol/platform/fidelity.js'
import { code, codes, markdownTable } from './markdown.js'

const probes: ReadonlyMap<string, string> = probesByRow()

export function fidelityPage(figures: Fidelity = measureFidelity(probes.keys())): string {
  const sections = [intro(figures), figureTable(figures), sentenceTable(), assumptionTable(figures), unobservable()]
  return `${sections.join('\n\n')}\n`
}

function intro(figures: Fidelity): string {
  const { divergence, dates } = figures
  const recorded =
    divergence === 'unknown'
      ? 'Nobody knows how far the sandbox differs from the platform: no recording of calls to the platform exists'
      : `Recordings up to ${dates.divergence} show that ${divergenceText(figures)}; of the rest nobody knows whether it does`
  return `# Fidelity

${recorded}. A *rule* is a sentence of the [platform's documentation](interface.md), or an [assumption](assumptions.md) where it is silent. A *probe* is one or more calls to the platform that show whether rules hold. [\`payments-sandbox probe\`](compare.md#probe) makes these calls. Probes cover ${coverageText(figures)} rules.

<!-- \`npm run docs\` generates this page from src and recordings/index.json. -->

The sandbox emulates this interface: ${emulatedInterfaceText}. \`GET /_sandbox/fidelity\` has the same figures.`
}

function figureTable({ coverage, divergence, dates }: Fidelity): string {
  const rows = fidelityTiers.map((tier) => [
    tier,
    `${coverage[tier].observed} of ${coverage[tier].of}`,
    divergence === 'unknown' ? divergence : `${divergence[tier].differs} of ${divergence[tier].of}`,
  ])
  const [checked, broken] = [
    `Coverage, ${dates.coverage}`,
    dates.divergence === null ? 'Divergence' : `Divergence, ${dates.divergence}`,
  ]
  return `## Figures

The *coverage* is the number of rules that a probe checks, and the *divergence* the number of those that do not hold in a recording. Each rule belongs to a *tier*. Reports of \`payments-sandbox probe\` leave out rules without a probe.

${markdownTable(['Tier', checked, broken], rows)}`
}

/** Items of a cell, each on its own line. */
const listed = (items: readonly string[]) => items.join('<br>')
const withProbe = (id: string, state = '') => `${code(id)}${state}: ${code(probes.get(id) ?? '')}`
const isProbed = ({ id }: { id: string }) => probes.has(id)

function sentenceTable(): string {
  const rows = documentedSentences.filter(isProbed)
  const numbers = [...new Set(rows.map(({ section }) => section))].sort((one, other) => Number(one) - Number(other))
  const cells = numbers.map((number) => [
    `[§${number}](interface.md#section-${number.replace('.', '-')})`,
    listed(rows.filter(({ section }) => section === number).map(({ id }) => withProbe(id))),
  ])
  return `## Documented sentences

Each line names a rule and a probe that checks it. § is the section of the platform's documentation.

${markdownTable(['Section', 'Rule: probe'], cells)}`
}

function assumptionTable({ stateOf }: Fidelity): string {
  const rows = assumptionRows.filter(isProbed)
  const cells = fidelityTiers.map((tier) => [
    tier,
    listed(rows.filter((row) => tierOfAssumption(row) === tier).map(({ id }) => withProbe(id, stateText(stateOf(id))))),
  ])
  return `## Assumptions

[Assumptions](assumptions.md) explains each assumption.

${markdownTable(['Tier', 'Assumption: probe'], cells)}`
}

function unobservable(): string {
  const all: readonly { id: string; unobservable?: UnobservableReason }[] = [...documentedSentences, ...assumptionRows]
  const cells = keysOf(unobservableReasons).map((reason) => [
    unobservableReasons[reason],
    codes(all.filter((row) => row.unobservable === reason && !probes.has(row.id)).map(({ id }) => id)),
  ])
  return `## What no probe checks\n\n${markdownTable(['Why', 'Rules'], cells)}`
}
