/** The theme: light, dark or the system's; stored in this browser. */
import { createValue } from './value.js'

const key = 'sandbox-theme'
const themes = ['system', 'light', 'dark'] as const
export type Theme = (typeof themes)[number]

const remembered = localStorage.getItem(key)
export const theme = createValue<Theme>(themes.find((name) => name === remembered) ?? 'system')

export function applyTheme(): void {
  document.documentElement.dataset.theme = theme.get()
}

export function nextTheme(): void {
  const next = themes[(themes.indexOf(theme.get()) + 1) % themes.length] ?? 'system'
  localStorage.setItem(key, next)
  theme.set(next)
  applyTheme()
}
