/** The theme that the dashboard remembers. The API reference shows it too. */

export const themeKey = 'sandbox-theme'

export function showTheme(name: string): void {
  document.documentElement.dataset.theme = name
}
