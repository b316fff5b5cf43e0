/** Styles of the page: one column on phones, samples beside the text on wide screens, light and dark. */
import { brandStyle } from '../../../base/brand.js'

export const style = `${brandStyle}* { box-sizing: border-box; }
html { scroll-padding-top: 1.5rem; -webkit-text-size-adjust: 100%; }
body {
  margin: 0; background: var(--bg); color: var(--text);
  font: 15px/1.6 var(--sans);
}
a { color: var(--accent); text-decoration: none; }
a:hover, p:not([class]) a { text-decoration: underline; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; border-radius: 3px; }
code, pre { font-family: var(--mono); font-size: .86em; }
:not(pre) > code { background: var(--surface); box-shadow: inset 0 0 0 1px var(--line); border-radius: 4px; padding: .1em .2em; overflow-wrap: anywhere; }
p > code { display: inline-block; max-width: 100%; line-height: 1.4; }
a > code { color: inherit; }
.skip { position: absolute; left: -99rem; }
.skip:focus { left: 1rem; top: 1rem; background: var(--surface); padding: .5rem 1rem; z-index: 2; }
.layout { display: grid; grid-template-columns: 15.5rem minmax(0, 1fr); max-width: 92rem; margin: 0 auto; }
nav { position: sticky; top: 0; height: 100vh; overflow-y: auto; padding: 2rem 1rem 3rem 1.75rem; border-right: 1px solid var(--line); font-size: .9rem; scrollbar-width: thin; }
nav summary { display: none; }
nav .brand { display: flex; flex-wrap: wrap; justify-content: space-between; gap: 0 1rem; align-items: baseline; margin: 0 0 1.25rem; }
nav .brand strong { font-size: 1rem; font-weight: var(--strong); }
nav h2 { margin: 1.25rem 0 .3rem; font-size: .72rem; font-weight: var(--strong); color: var(--muted); }
nav ul { list-style: none; margin: 0; padding: 0; }
nav li a { display: block; padding: .16rem .5rem; margin-left: -.5rem; border-radius: 5px; color: var(--muted); }
nav li a:hover { background: var(--sunken); color: var(--text); text-decoration: none; }
main { padding: 2.5rem 2.5rem 6rem; min-width: 0; }
h1 { margin: 0 0 1rem; font-size: 1.9rem; line-height: 1.2; letter-spacing: -.02em; font-weight: var(--strong); }
h1 small { font-size: .85rem; font-weight: 500; color: var(--muted); letter-spacing: 0; }
.lead { font-size: 1.12rem; }
main > section { margin-bottom: 4rem; }
main > section > h2 { font-size: 1.5rem; letter-spacing: -.01em; margin: 0 0 1rem; padding-bottom: .5rem; border-bottom: 1px solid var(--line); }
h3 { margin: 0; font-size: 1.13rem; line-height: 1.35; }
section > h3 { margin: 2.25rem 0 .75rem; }
h3 a { color: inherit; padding-block: .15rem; }
h4 { margin: 1.5rem 0 .25rem; font-size: .74rem; color: var(--muted); font-weight: var(--strong); }
p { margin: .5rem 0 1rem; max-width: 46rem; }
.endpoint { padding: 1.75rem 0 2rem; border-bottom: 1px solid var(--line); }
.endpoint:last-child { border-bottom: 0; padding-bottom: 0; }
.endpoint:target h3::before { content: ''; display: inline-block; width: .5rem; height: .5rem; border-radius: 50%; background: var(--accent); margin-right: .5rem; vertical-align: middle; }
.route { margin: .35rem 0 .75rem; max-width: none; }
.route code { background: none; box-shadow: none; padding: 0; font-size: .92rem; }
.method { font: 650 .72rem/1 var(--mono); letter-spacing: .02em; margin-right: .25rem; color: var(--muted); }
.method.get { color: var(--info); } .method.post { color: var(--ok); } .method.put { color: var(--accent); }
.method.patch { color: var(--warning); } .method.delete { color: var(--bad); }
.badge, .guess { display: inline-block; font: var(--medium) .75rem/1 var(--sans); letter-spacing: .01em; text-transform: none; padding: .25em .55em; border-radius: 99px; white-space: nowrap; vertical-align: .08em; }
.badge { background: var(--accent-soft); color: var(--accent); }
.guess { background: var(--warning-soft); color: var(--warning); }
.columns { display: grid; grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); gap: 2rem; align-items: start; }
.words > p:first-child { margin-top: 0; }
.samples { position: sticky; top: 1.5rem; display: grid; gap: 1rem; }
.sample { margin: 0; border-radius: var(--radius); background: var(--sunken); color: var(--text); border: 1px solid var(--line); overflow: hidden; min-width: 0; }
.sample figcaption { display: flex; gap: .5rem; align-items: center; min-height: 2.4rem; padding: .3rem .5rem .3rem 1rem; font-size: .78rem; color: var(--muted); border-bottom: 1px solid var(--line); }
.sample button { margin-left: auto; font: inherit; color: var(--text); background: var(--raised); border: 1px solid var(--line-strong); border-radius: var(--radius-small); padding: .2rem .7rem; cursor: pointer; }
.sample button:hover { background: var(--sunken); }
/* Shaded above and below where there is more: the covers scroll along with the text, the shades do not. */
.sample pre, .scroll {
  overflow: auto; scrollbar-width: thin; scrollbar-color: var(--line-strong) transparent;
  background: linear-gradient(var(--under) 50%, transparent) 0 0 / 100% 3rem no-repeat local,
    linear-gradient(0deg, var(--under) 50%, transparent) 0 100% / 100% 3rem no-repeat local,
    linear-gradient(var(--shadow-far), transparent) 0 0 / 100% .8rem no-repeat,
    linear-gradient(0deg, var(--shadow-far), transparent) 0 100% / 100% .8rem no-repeat var(--under);
}
.sample pre { --under: var(--sunken); margin: 0; padding: .9rem 2rem 1.1rem 1rem; mask-image: linear-gradient(270deg, transparent, #000 2rem); max-height: 30rem; font-size: .82rem; line-height: 1.6; }
.sample pre code { font-size: 1em; }
pre i { font-style: normal; }
.key { color: var(--code-key); } .text { color: var(--code-string); } .word { color: var(--code-number); }
.status { color: var(--text); }
.fields dl, .errors dl { margin: 0; }
.fields dl > div { padding: .5rem 0; border-top: 1px solid var(--line); }
.fields dt { font-size: .92rem; }
.fields dt code { background: none; box-shadow: none; padding: 0; font-weight: var(--strong); font-size: .86rem; color: var(--text); }
.fields dd { margin: .1rem 0 0; font-size: .9rem; color: var(--muted); line-height: 1.5; }
.type { color: var(--muted); font-size: .8rem; }
.required { color: var(--bad); font-size: .75rem; }
.errors { margin-top: 1.25rem; font-size: .9rem; }
summary { cursor: pointer; padding-block: .15rem; }
.errors summary { color: var(--muted); font-weight: var(--strong); }
.errors dl > div { display: grid; grid-template-columns: 3rem 1fr; padding: .3rem 0; }
.errors dl { padding-top: .5rem; }
.errors dt { color: var(--muted); font-family: var(--mono); font-size: .85rem; line-height: 1.9; }
.errors dd { margin: 0; line-height: 1.9; }
.event { border: 1px solid var(--line); border-radius: var(--radius); background: var(--surface); margin: .6rem 0; }
.event summary { padding: .7rem 1rem; }
.event summary code { background: none; box-shadow: none; font-weight: var(--strong); padding: 0; }
.event summary span { color: var(--muted); font-size: .9rem; margin-left: .5rem; }
.event .columns { padding: 0 1rem 1.25rem; }
.scroll { --under: var(--bg); margin: 1rem 0 1.5rem; }
table { border-collapse: collapse; width: 100%; font-size: .9rem; line-height: 1.5; }
th { text-align: left; font-size: .74rem; color: var(--muted); font-weight: var(--strong); padding: .5rem 1rem .5rem 0; border-bottom: 1px solid var(--line); white-space: nowrap; }
td { vertical-align: top; padding: .55rem 1rem .55rem 0; border-bottom: 1px solid var(--line); }
td:last-child, th:last-child { padding-right: 0; }
td .guess { margin-left: .4rem; }
tr:target td { background: var(--accent-soft); }
td code { overflow-wrap: normal; }
@media (min-width: 45.01rem) { #assumptions td:first-child { width: 32%; } #assumptions td:nth-child(2) { width: 54%; } }
.muted { color: var(--muted); }
@media (max-width: 75rem) { .columns { grid-template-columns: minmax(0, 1fr); gap: 1.25rem; } .samples { position: static; } }
@media (max-width: 60rem) {
  .layout { display: block; }
  nav { position: static; height: auto; border-right: 0; border-bottom: 1px solid var(--line); padding: .75rem 1.25rem; }
  nav summary { display: list-item; font-weight: var(--strong); }
  nav .brand { margin-bottom: .5rem; }
  nav li a { padding: .4rem .5rem; }
  main { padding: 1.75rem 1.25rem 4rem; }
  h1 { font-size: 1.75rem; }
}
@media (max-width: 45rem) {
  thead { display: none; }
  table, tbody, tr, td { display: block; }
  tr { padding: .7rem 0; border-bottom: 1px solid var(--line); }
  td { border: 0; padding: .12rem 0; }
  td code { overflow-wrap: anywhere; }
  td:first-child { font-weight: var(--strong); }
  td:not(:first-child)::before { content: attr(data-label) ' '; color: var(--muted); font-size: .78rem; }
  td:empty { display: none; }
  .event summary span { display: block; margin-left: 0; }
}
@media print { nav, .sample button { display: none; } .layout { display: block; } }
`
