/** Styles of the payer's page: one card; on wide screens the amount stands beside the payment instructions. */
import { brandStyle } from '../../base/brand.js'

export const style = `${brandStyle}*, *::before, *::after { box-sizing: border-box; }
[hidden] { display: none !important; }
html { background: var(--bg); color: var(--text); font: 16px / 1.5 var(--sans); -webkit-text-size-adjust: 100%; }
body { margin: 0; min-height: 100vh; min-height: 100dvh; display: flex; flex-direction: column; }
h1, h2, p, ol, dl, dd { margin: 0; }
h2 { font-size: 0.9375rem; font-weight: var(--strong); }
main { flex: 1; display: grid; place-items: center; padding: 1.25rem; }
.card { width: 100%; max-width: 26rem; background: var(--surface); border: 1px solid var(--line); border-radius: 18px; overflow: hidden; box-shadow: 0 4px 16px var(--shadow-near); }
header { padding: 1.75rem 1.75rem 1.5rem; background: var(--sunken); border-bottom: 1px solid var(--line); }
.to { color: var(--muted); overflow-wrap: anywhere; text-wrap: balance; }
.to strong { color: var(--text); font-weight: var(--strong); }
h1 { font-size: clamp(1.75rem, 8vw, 2.5rem); line-height: 1.2; font-weight: var(--strong); letter-spacing: -0.025em; font-variant-numeric: tabular-nums; overflow-wrap: anywhere; }
h1.long { font-size: clamp(1.375rem, 6.5vw, 1.875rem); }
.reference { margin-top: 0.25rem; color: var(--muted); font-size: 0.875rem; overflow-wrap: anywhere; }
.left { margin-top: 0.9rem; display: inline-flex; gap: 0.5rem; padding: 0.2rem 0.7rem; border: 1px solid var(--line); border-radius: 99px; background: var(--surface); color: var(--muted); font-size: 0.875rem; }
.left time { color: var(--text); font-weight: var(--strong); font-variant-numeric: tabular-nums; }
.body { padding: 1.75rem; display: flex; flex-direction: column; gap: 1.1rem; }
.qr { width: 100%; max-width: 15rem; align-self: center; border-radius: 12px; border: 1px solid var(--line); }
.note { color: var(--muted); font-size: 0.9375rem; }
.note strong { color: var(--text); font-weight: var(--strong); }
ol { padding: 0; list-style: none; counter-reset: step; display: grid; gap: 0.55rem; font-size: 0.9375rem; margin-top: -0.4rem; }
li { counter-increment: step; display: grid; grid-template-columns: 1.5rem minmax(0, 1fr); gap: 0.65rem; overflow-wrap: anywhere; }
li::before { content: counter(step); width: 1.5rem; height: 1.5rem; border-radius: 50%; background: var(--sunken); border: 1px solid var(--line); font-size: 0.8125rem; font-weight: var(--strong); line-height: 1.375rem; text-align: center; }
.copy { display: grid; grid-template-columns: 1fr auto; gap: 0.4rem 0.6rem; align-items: stretch; }
.label { grid-column: 1 / -1; font-size: 0.8125rem; font-weight: var(--strong); }
code { font-family: var(--mono); font-size: 0.8125rem; overflow-wrap: anywhere; }
.copy code { display: grid; align-items: center; padding: 0.6rem 0.75rem; font-size: 0.75rem; background: var(--sunken); border: 1px solid var(--line); border-radius: 9px; }
/* Whole lines of a long text. The button copies all of it. */
.copy span { display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 3; overflow: hidden; }
.copy code:has(+ [hidden]) { grid-column: 1 / -1; }
.copy code:has(+ [hidden]) span { -webkit-line-clamp: none; }
button { font: inherit; font-size: 0.9375rem; font-weight: var(--strong); cursor: pointer; border-radius: 9px; border: 1px solid transparent; padding: 0.5rem 0.95rem; min-height: 2.75rem; }
.copies { background: var(--accent-solid); color: #fff; }
.copy .number { font-size: 1.0625rem; letter-spacing: 0.04em; }
dd .copies { margin-left: 0.75rem; min-height: 2rem; padding: 0.15rem 0.7rem; background: var(--surface); border-color: var(--line-strong); color: var(--text); font-size: 0.8125rem; font-weight: var(--medium); }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
dl { display: grid; gap: 0.5rem; font-size: 0.9375rem; }
dl div { display: flex; flex-wrap: wrap; align-items: baseline; justify-content: space-between; gap: 0 1rem; border-top: 1px solid var(--line); padding-top: 0.5rem; }
dt { color: var(--muted); }
dd { text-wrap: balance; overflow-wrap: anywhere; font-variant-numeric: tabular-nums; }
h2 + dl { margin-top: -0.4rem; }
.mark { width: 4.5rem; align-self: center; fill: none; stroke: currentColor; stroke-width: 3; stroke-linecap: round; stroke-linejoin: round; }
.state { text-align: center; font-size: 1.375rem; font-weight: var(--strong); margin-top: -0.6rem; }
.state + .note { text-align: center; text-wrap: balance; }
.confirmed .mark, .confirmed .state { color: var(--ok); }
.expired .mark, .expired .state { color: var(--bad); }
.refunded .mark, .refunded .state { color: var(--info); }
/* The tester's toolbar is no part of what a payer sees: dark in both themes. */
aside { color-scheme: dark; background: var(--raised); color: var(--text); padding: 0.45rem 1rem; display: flex; flex-wrap: wrap; gap: 0.4rem 1rem; align-items: center; justify-content: center; font-size: 0.8125rem; }
aside p { color: var(--muted); }
aside strong { color: var(--text); margin-right: 0.35rem; }
.message:empty, .buttons:empty { display: none; }
.message { order: 2; flex-basis: 100%; text-align: center; color: var(--bad); overflow-wrap: anywhere; }
.buttons, .token { display: flex; flex-wrap: wrap; gap: 0.4rem; align-items: center; justify-content: center; }
.token label { display: flex; flex-wrap: wrap; gap: 0.4rem; align-items: center; }
aside button { background: var(--line); color: var(--text); border-color: var(--line-strong); font-size: 0.8125rem; min-height: 2rem; padding: 0.15rem 0.7rem; border-radius: 7px; }
aside button:hover { background: var(--line-strong); }
aside a { color: var(--accent); padding: 0.35rem 0.4rem; margin-right: -0.4rem; }
aside input { font: inherit; min-width: 0; padding: 0.25rem 0.6rem; border-radius: 7px; border: 1px solid var(--line-strong); background: var(--bg); color: inherit; }
@media (pointer: coarse) { aside button, aside a { min-height: 2.75rem; align-content: center; } }
@media (max-width: 30rem) { aside p { flex: 1; } aside .buttons { order: 1; flex-basis: 100%; justify-content: start; } }
@media (max-width: 26rem) { main { padding: 0.6rem; } header, .body { padding: 1.1rem; } }
@media print { aside, .copies { display: none; } .copy span { -webkit-line-clamp: none; } }
@media (min-width: 48rem) {
  .card { max-width: 52rem; display: grid; grid-template-columns: minmax(0, 5fr) minmax(0, 6fr); }
  header { border-bottom: 0; border-right: 1px solid var(--line); padding: 2.5rem; display: flex; flex-direction: column; justify-content: center; align-items: flex-start; }
  .body { padding: 2.5rem; }
}
@media (prefers-reduced-motion: no-preference) { button { transition: background 0.12s; } }
`
