/** Parts of the payer's page that several states share. */
import { type Html, html } from '../html.js'
import type { PayTexts } from './texts/texts.js'

export interface Fact {
  name: string
  value: string
  /** A value to compare character by character. */
  isCode?: true
}

/** A list of facts, without those that have no value. */
export const facts = (rows: readonly Fact[]): Html =>
  html`<dl>${rows.filter(({ value }) => value !== '').map(({ name, value, isCode }) => html`<div><dt>${name}</dt><dd>${isCode === true ? html`<code>${value}</code>` : value}</dd></div>`)}</dl>`

/** A text with a button that copies it. A page has at most one. */
export const copyable = (label: string, text: string, { copy, copied }: PayTexts): Html =>
  html`<div class="copy"><p class="label" id="label">${label}</p><code aria-labelledby="label" tabindex="0"><span>${text}</span></code><button type="button" data-copy="${text}" data-copied="${copied}" hidden>${copy}</button></div>`
