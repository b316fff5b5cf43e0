/** The script of the API page: the theme of the dashboard, copy buttons, and a menu that folds on phones. Everything else works without it. */
import { showTheme, themeKey } from '../theme.js'
import { copyOnClick } from './copy-button.js'

// Before the page is painted.
showTheme(localStorage.getItem(themeKey) ?? 'system')

document.addEventListener('DOMContentLoaded', () => {
  for (const sample of document.querySelectorAll('.sample')) {
    const button = document.createElement('button')
    button.type = 'button'
    button.textContent = 'Copy'
    copyOnClick(button, sample.querySelector('pre')?.textContent ?? '')
    sample.querySelector('figcaption')?.append(button)
  }

  const menu = document.querySelector<HTMLDetailsElement>('nav details')
  const narrow = matchMedia('(max-width: 60rem)')
  const fold = () => {
    if (menu !== null) menu.open = !narrow.matches
  }
  fold()
  narrow.addEventListener('change', fold)
  menu?.addEventListener('click', ({ target }) => {
    if (target instanceof Element && target.closest('a') !== null) fold()
  })
})
