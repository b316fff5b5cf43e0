/** The brand: colors, type and shapes that the dashboard, the API page, the payer's page and the pictures of the documentation share. */

/** A pair each: in light, in dark. Text on its surface has a contrast of at least 4.5. */
export const colors = {
  bg: ['#f6f7f9', '#0e1116'],
  surface: ['#ffffff', '#161a21'],
  raised: ['#ffffff', '#1c212a'],
  sunken: ['#f3f4f7', '#11151b'],
  line: ['#e4e7ec', '#262c36'],
  'line-strong': ['#c9ced8', '#3a4250'],
  text: ['#171a21', '#e7eaf0'],
  muted: ['#5b6472', '#9aa4b3'],
  accent: ['#3350d8', '#93a7ff'],
  /** Behind white text. */
  'accent-solid': ['#3350d8', '#4c66ea'],
  'accent-soft': ['#eaeefd', '#1d2440'],
  ok: ['#11663f', '#6bd49a'],
  'ok-soft': ['#e2f5ea', '#12301f'],
  'ok-bar': ['#1f9d61', '#3fae78'],
  warning: ['#7a4d00', '#ecc06c'],
  'warning-soft': ['#fdf1d7', '#332709'],
  'warning-bar': ['#e0a32e', '#b98524'],
  bad: ['#b3221b', '#ff9a92'],
  'bad-soft': ['#fdeae8', '#3c1816'],
  'bad-bar': ['#d6453d', '#e2665d'],
  info: ['#1d4fa8', '#8fbaff'],
  'info-soft': ['#e5effd', '#14274a'],
  'out-bar': ['#5b76e8', '#6f86f0'],
  'code-key': ['#3350d8', '#93a7ff'],
  'code-string': ['#11663f', '#7fd3a5'],
  'code-number': ['#94500c', '#e8b878'],
  'shadow-near': ['rgb(16 24 40 / 6%)', 'rgb(0 0 0 / 30%)'],
  'shadow-far': ['rgb(16 24 40 / 18%)', 'rgb(0 0 0 / 60%)'],
} as const satisfies Record<string, readonly [light: string, dark: string]>

const fonts = {
  sans: 'Inter, system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", "Noto Sans", "DejaVu Sans", sans-serif',
  mono: 'ui-monospace, "SF Mono", "Cascadia Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace',
} as const

const shapes = {
  radius: '10px',
  'radius-small': '7px',
  /** Sizes of text, from labels to page titles. */
  'text-xs': '0.75rem',
  'text-s': '0.8125rem',
  'text-m': '0.875rem',
  'text-l': '1rem',
  'text-xl': '1.5rem',
  /** Weights of text: words to press, and headings. */
  medium: '500',
  strong: '600',
} as const

/** Custom properties for a style sheet, named as the rows above. */
export const brandStyle = `:root {
  color-scheme: light dark;
${[
  ...Object.entries(colors).map(([name, [light, dark]]) => `  --${name}: light-dark(${light}, ${dark});`),
  ...Object.entries({ ...fonts, ...shapes }).map(([name, value]) => `  --${name}: ${value};`),
].join('\n')}
}
`
