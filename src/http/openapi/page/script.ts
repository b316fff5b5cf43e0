/** The page's only script: a copy button on each command. Everything else works without it. */
import { copyScript } from '../../copy-script.js'

export const script = `${copyScript}for (const pre of document.querySelectorAll('.sample pre')) {
  const button = document.createElement('button')
  button.type = 'button'
  button.textContent = 'Copy'
  copiesOnClick(button, pre.textContent)
  pre.parentElement.querySelector('figcaption').append(button)
}
const menu = document.querySelector('nav details')
const narrow = matchMedia('(max-width: 60rem)')
const fold = () => { menu.open = !narrow.matches }
fold()
narrow.addEventListener('change', fold)
menu.addEventListener('click', (event) => { if (event.target.closest('a')) fold() })
`
