/** Parts of the payer's page that several states share. */
import { capitalized } from '../../base/text.js'
import { type Html, html } from '../html.js'
import type { PayTexts } from './texts/texts.js'

export interface Fact {
  name: string
  value: string
  /** A value to compare character by character. */
  isCode?: true
  /** The text of a copy button, for a value that the payer needs in another app. */
  copied?: string
}

/** `Tron (TRC20)`, `BITCOIN`: some wallets list a network by its name, some by the label of its tokens. */
export function networkName({ chain, network }: { chain: string; network: string }): string {
  const name = chain.length < 4 ? chain.toUpperCase() : capitalized(chain)
  return network.toLowerCase() === chain ? network : `${name} (${network})`
}

/** A list of facts, without those that have no value. */
export const facts = (rows: readonly Fact[], texts: PayTexts): Html =>
  html`<dl>${rows.filter(({ value }) => value !== '').map((row, index) => factRow(row, `fact-${index}`, texts))}</dl>`

const factRow = ({ name, value, isCode, copied }: Fact, id: string, texts: PayTexts): Html =>
  html`<div><dt id="${id}">${name}</dt><dd>${isCode === true ? html`<code>${value}</code>` : value}${copied === undefined ? null : copyButton(copied, id, texts)}</dd></div>`

/** The script shows it if the browser can copy. */
const copyButton = (text: string, labelId: string, { copy, copied }: PayTexts): Html =>
  html`<button type="button" class="copies" data-copy="${text}" data-copied="${copied}" aria-describedby="${labelId}" hidden>${copy}</button>`

/** Above this length a text takes several lines. */
const oneLine = 20

/** A text with a button that copies it. A page has at most one. */
export const copyable = (label: string, text: string, texts: PayTexts): Html =>
  html`<div class="copy"><p class="label" id="label">${label}</p><code${text.length > oneLine ? null : html` class="number"`} aria-labelledby="label" tabindex="0"><span>${text}</span></code>${copyButton(text, 'label', texts)}</div>`
