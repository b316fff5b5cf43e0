/** The theme: light, dark or the system's; stored in this browser. */
import { createValue } from './value.js'

const key = 'sandbox-theme'
export const themes = ['system', 'light', 'dark'] as const
type Theme = (typeof themes)[number]

const remembered = localStorage.getItem(key)
export const theme = createValue<Theme>(themes.find((name) => name === remembered) ?? 'system')

export function applyTheme(): void {
  document.documentElement.dataset.theme = theme.get()
}

export const nextTheme = (): void => setTheme(themes[(themes.indexOf(theme.get()) + 1) % themes.length] ?? 'system')

export function setTheme(next: Theme): void {
  localStorage.setItem(key, next)
  theme.set(next)
  applyTheme()
}

export const themeNames = { system: 'System theme', light: 'Light theme', dark: 'Dark theme' } as const
